import { z } from 'zod';
import type { RequestInfo, Operator } from '../../../platform/context.ts';
import { conflict, invalid, orNotFound } from '../../../platform/errors.ts';
import { idOf } from '../../../platform/ids.contract.ts';
import type { Platform } from '../../../platform/platform.ts';
import { inPool, recordPoolAudit } from '../../../platform/pool.ts';
import type { Invocation as RestateInvocation, RestateAdmin } from '../../../platform/restate-admin.ts';
import { adviseInvocation, scrub, describeService } from './describe.ts';
import type { Invocation, ListInvocations } from './invocations.contract.ts';

export type InvocationDeps = Pick<Platform, 'services' | 'restateAdmin'>;

export interface OperatorRequest {
  operator: Operator;
  requestInfo: RequestInfo;
}

const adminUrlUnset = 'RESTATE_ADMIN_URL is not set for the API, so work in Restate can’t be shown here.';
const adminApiDown = 'Restate’s admin API is not responding. Check that Restate is running, then try again.';

function toInvocation(found: RestateInvocation, now: number): Invocation {
  const { service, key, retries, ...rest } = found;
  // Keys are `tenantId/subject`. A plain service has no key.
  const slash = key?.indexOf('/') ?? -1;
  const tenantId = idOf('tenant').safeParse(slash < 0 ? key : key?.slice(0, slash)).data ?? null;
  const { what, afterKill } = describeService(service);
  return {
    ...rest,
    service,
    what,
    tenantId,
    subject: key === null || slash < 0 ? key : key.slice(slash + 1),
    attempts: retries,
    failure: scrub(found.failure),
    advice: adviseInvocation(found, now),
    afterKill,
  };
}

export async function listInvocations({ restateAdmin }: InvocationDeps, query: ListInvocations) {
  const after = parseCursor(query.cursor);
  if (!restateAdmin.isConfigured) return { data: [], nextCursor: null, problem: adminUrlUnset };
  const { status, service, limit } = query;
  const statuses = status === 'stuck' ? ['paused', 'backing-off'] : status ? [status] : [];
  const rows = await restateAdmin.listOpen({ statuses, service, after, limit: limit + 1 }).catch(() => undefined);
  if (!rows) return { data: [], nextCursor: null, problem: adminApiDown };
  const data = rows.slice(0, limit).map((row) => toInvocation(row, Date.now()));
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, nextCursor: last ? formatCursor(last) : null, problem: null };
}

/** Restate's ids are not ordered by age, so the cursor contains the time and the id. */
const Cursor = z.tuple([z.iso.datetime({ offset: true }), z.string().regex(/^inv_\w{20,60}$/)]);
const formatCursor = ({ createdAt, id }: Invocation) =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');
function parseCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  try {
    const [createdAt, id] = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { createdAt, id };
  } catch {
    throw invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);
  }
}

export const getInvocation = async ({ restateAdmin }: InvocationDeps, id: string) => ({
  invocation: toInvocation(
    orNotFound('invocation', await callRestate(restateAdmin, () => restateAdmin.find(id))),
    Date.now(),
  ),
});

/** Returns 409 instead of 5xx when Restate is unreachable, so that the operator learns the reason. */
async function callRestate<T>({ isConfigured }: RestateAdmin, work: () => Promise<T>): Promise<T> {
  if (!isConfigured) throw conflict('restate_unavailable', adminUrlUnset);
  return work().catch(() => {
    throw conflict('restate_unavailable', adminApiDown);
  });
}

/**
 * Writes the audit entry first, so that no action goes unrecorded, and calls Restate outside the transaction. A paused
 * invocation receives a cancellation only when it is resumed, so it is resumed too.
 */
export async function act(
  { services, restateAdmin }: InvocationDeps,
  request: OperatorRequest,
  { id, what, reason }: { id: string; what: 'resume' | 'cancel' | 'kill'; reason: string },
) {
  const found = orNotFound('invocation', await callRestate(restateAdmin, () => restateAdmin.find(id)));
  const { operator, requestInfo } = request;
  await inPool(services.db, 'admin', (tx) =>
    recordPoolAudit(tx, {
      action: `invocation.${what}_asked`,
      userId: null,
      actor: operator.actor,
      ip: requestInfo.ip,
      requestId: requestInfo.requestId,
      data: { id, service: found.service, key: found.key, status: found.status, reason },
    }),
  );
  const result = await callRestate(restateAdmin, () => restateAdmin.act(id, what));
  if (result === 'gone') throw conflict('invocation_ended', 'This invocation has already ended. Reload the list.');
  if (result === 'early')
    throw conflict(
      'invocation_waiting',
      'This invocation is scheduled, or queued behind another one with the same key. Cancel it, or wait.',
    );
  if (what === 'cancel' && found.status === 'paused')
    await callRestate(restateAdmin, () => restateAdmin.act(id, 'resume'));
  return { status: 'done' as const };
}
