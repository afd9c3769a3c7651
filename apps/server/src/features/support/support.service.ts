import type { Context } from '../../platform/context.ts';
import { invalid, orNotFound } from '../../platform/errors.ts';
import { timeOfId } from '../../platform/ids.ts';
import type { ListQuery } from '../../platform/lists.contract.ts';
import { budgetsNow } from '../usage/index.ts';
import { endpointsOfTenant } from '../webhooks/index.ts';
import type { TenantError, TenantHealth } from './support.contract.ts';
import * as store from './support.store.ts';
import type { ErrorRow, ErrorCursor } from './support.store.ts';

export async function getHealth(ctx: Context): Promise<TenantHealth> {
  orNotFound('tenant', await store.findTenant(ctx.tx));
  const { messagesThisMonth, modelSpendToday } = await budgetsNow(ctx);
  return {
    bots: await store.listBots(ctx.tx),
    endpoints: await endpointsOfTenant(ctx),
    keys: await store.listKeys(ctx.tx),
    unknownRuns: await store.countUnknownRuns(ctx.tx),
    budgets: [
      { name: 'messages_this_month', ...messagesThisMonth },
      { name: 'model_spend_today', ...modelSpendToday },
    ],
  };
}

/** Errors of all kinds, newest first. */
export async function listErrors(ctx: Context, { cursor, limit }: ListQuery, traceUrl: string | undefined) {
  orNotFound('tenant', await store.findTenant(ctx.tx));
  const before = parseCursor(cursor);
  const rows = [...(await store.listErrors(ctx.tx, before, limit + 1)), ...(await failedSyncs(ctx, before))]
    .toSorted((a, b) => (isLater(a, b) ? -1 : 1))
    .slice(0, limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map((row) => toTenantError(row, traceUrl)),
    nextCursor: last ? Buffer.from(`${last.at} ${last.id}`).toString('base64url') : null,
  };
}

const isLater = (one: ErrorCursor, other: ErrorCursor) =>
  one.at > other.at || (one.at === other.at && one.id > other.id);

async function failedSyncs({ tx }: Context, before: ErrorCursor | undefined): Promise<ErrorRow[]> {
  const failed = await store.listFailedSources(tx);
  return failed
    .map(({ id, name, syncId, error, createdAt }): ErrorRow => {
      const startedAt = syncId !== null && /_[0-7][0-9a-z]{25}$/.test(syncId) ? new Date(timeOfId(syncId)) : createdAt;
      const at = startedAt.toISOString().replace('Z', '000Z');
      const noDetails = {
        status: null,
        requestId: null,
        traceId: null,
        actorType: null,
        actorId: null,
        webhookId: null,
      };
      const reason = error ?? 'failed';
      return { ...noDetails, id: `sync/${id}`, kind: 'sync', at, what: name, reason, count: 1, subjectId: id };
    })
    .filter((row) => before === undefined || isLater(before, row));
}

const toTenantError = ({ actorType, actorId, at, ...row }: ErrorRow, traceUrl: string | undefined): TenantError => ({
  ...row,
  at: new Date(at),
  traceUrl: row.traceId !== null && traceUrl !== undefined ? traceUrl.replaceAll('{traceId}', row.traceId) : null,
  actor: actorType === null ? null : { type: actorType, id: actorId },
});

function parseCursor(cursor: string | undefined): ErrorCursor | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, at, id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([\w/-]{1,300})$/.exec(text) ?? [];
  if (at !== undefined && id !== undefined && !Number.isNaN(Date.parse(at))) return { at, id };
  throw invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);
}
