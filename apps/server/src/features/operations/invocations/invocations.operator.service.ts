import { z } from 'zod';
import type { RequestInfo, Operator } from '../../../platform/context.ts';
import { conflict, invalid, orNotFound } from '../../../platform/errors.ts';
import { idOf } from '../../../platform/ids.contract.ts';
import type { Platform } from '../../../platform/platform.ts';
import { inPool, recordPoolAudit } from '../../../platform/pool.ts';
import type { Invocation as Seen, RestateAdmin } from '../../../platform/restate-admin.ts';
import { adviseInvocation, scrub, workOf } from './describe.ts';
import type { Invocation, ListInvocations } from './invocations.contract.ts';

export type InvocationParts = Pick<Platform, 'services' | 'restateAdmin'>;

/** Which operator, and from where. */
export interface By {
  operator: Operator;
  requestInfo: RequestInfo;
}

const unset = 'RESTATE_ADMIN_URL is not set for the API, so work in Restate can’t be shown here.';
const away = 'Restate’s admin API is not responding. Check that Restate is running, then try again.';

function show(seen: Seen, now: number): Invocation {
  const { service, key, retries, ...rest } = seen;
  // Keys are `tenant/what`; a service has none.
  const cut = key?.indexOf('/') ?? -1;
  const tenantId = idOf('tenant').safeParse(cut < 0 ? key : key?.slice(0, cut)).data ?? null;
  const { what, afterKill } = workOf(service);
  return {
    ...rest,
    service,
    what,
    tenantId,
    subject: key === null || cut < 0 ? key : key.slice(cut + 1),
    attempts: retries,
    failure: scrub(seen.failure),
    advice: adviseInvocation(seen, now),
    afterKill,
  };
}

export async function listInvocations({ restateAdmin }: InvocationParts, query: ListInvocations) {
  const after = readPlace(query.cursor);
  if (!restateAdmin.isConfigured) return { data: [], nextCursor: null, problem: unset };
  const { status, service, limit } = query;
  const statuses = status === 'stuck' ? ['paused', 'backing-off'] : status ? [status] : [];
  const rows = await restateAdmin.listOpen({ statuses, service, after, limit: limit + 1 }).catch(() => undefined);
  if (!rows) return { data: [], nextCursor: null, problem: away };
  const data = rows.slice(0, limit).map((row) => show(row, Date.now()));
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, nextCursor: last ? writePlace(last) : null, problem: null };
}

/** Restate's ids do not sort by age, so the place is the time and the id. */
const Place = z.tuple([z.iso.datetime({ offset: true }), z.string().regex(/^inv_\w{20,60}$/)]);
const writePlace = ({ createdAt, id }: Invocation) =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');
function readPlace(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  try {
    const [createdAt, id] = Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { createdAt, id };
  } catch {
    throw invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);
  }
}

export const getInvocation = async ({ restateAdmin }: InvocationParts, id: string) => ({
  invocation: show(orNotFound('invocation', await reach(restateAdmin, () => restateAdmin.find(id))), Date.now()),
});

/** What Restate does not hear is the operator's to know, and no fault of this server. */
async function reach<T>({ isConfigured }: RestateAdmin, work: () => Promise<T>): Promise<T> {
  if (!isConfigured) throw conflict('restate_unavailable', unset);
  return work().catch(() => {
    throw conflict('restate_unavailable', away);
  });
}

/**
 * Written down first, as asked for, and done then: nobody ends work without a trace, and the network is not called inside
 * a transaction. A paused one hears that it is cancelled only when it goes on, so it does.
 */
export async function act(
  { services, restateAdmin }: InvocationParts,
  by: By,
  { id, what, reason }: { id: string; what: 'resume' | 'cancel' | 'kill'; reason: string },
) {
  const seen = orNotFound('invocation', await reach(restateAdmin, () => restateAdmin.find(id)));
  const { operator, requestInfo: from } = by;
  await inPool(services.db, 'admin', (tx) =>
    recordPoolAudit(tx, {
      action: `invocation.${what}_asked`,
      userId: null,
      actor: operator.actor,
      ip: from.ip,
      requestId: from.requestId,
      data: { id, service: seen.service, key: seen.key, status: seen.status, reason },
    }),
  );
  const acted = await reach(restateAdmin, () => restateAdmin.act(id, what));
  if (acted === 'gone') throw conflict('invocation_ended', 'This invocation has already ended. Reload the list.');
  if (acted === 'early')
    throw conflict(
      'invocation_waiting',
      'This invocation is scheduled, or queued behind another one with the same key. Cancel it, or wait.',
    );
  if (what === 'cancel' && seen.status === 'paused') await reach(restateAdmin, () => restateAdmin.act(id, 'resume'));
  return { status: 'done' as const };
}
