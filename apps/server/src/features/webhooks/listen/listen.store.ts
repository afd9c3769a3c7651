import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { isTenantActive } from '../../tenants/index.ts';
import type { CallResult, ListenResponse } from './listen.contract.ts';
import { claimedColumns, type ClaimedDelivery } from '../delivery/queue.store.ts';

// No `where tenantId` anywhere below: row-level security adds it.

/** The current listener, stored with the endpoint. */
export interface Listener {
  id: string;
  until: string;
  /** The newest poll of each kind. Older polls, whose connection may be closed, get nothing. */
  polls: Partial<Record<'events' | 'calls', string>>;
}

export const readListener = async (tx: Tx, webhookId: string): Promise<Listener | null> =>
  ((await tx.selectFrom('webhooks').select('listener').where('id', '=', webhookId).executeTakeFirst())
    ?.listener as unknown as Listener | null | undefined) ?? null;

export const setListener = (tx: Tx, webhookId: string, listener: Listener | null) =>
  tx
    .updateTable('webhooks')
    .set({ listener: listener && JSON.stringify(listener) })
    .where('id', '=', webhookId)
    .execute();

/** The endpoint of this environment that has a listener. */
export async function findListened(tx: Tx, environmentId: string): Promise<string | undefined> {
  const found = await tx
    .selectFrom('webhooks')
    .select('id')
    .where('environmentId', '=', environmentId)
    .where(sql<boolean>`(listener ->> 'until')::timestamptz > now()`)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return found?.id;
}

/** Makes failed deliveries due again in their original order, for a new listener. */
export const resetRetryDelays = (tx: Tx, webhookId: string) =>
  sql`update webhook_queue set next_attempt_at = created_at where webhook_id = ${webhookId} and next_attempt_at > created_at`.execute(
    tx,
  );

/**
 * Claims the oldest pending delivery, even if an attempt was started. The index is by time, which is almost the order of
 * positions: only concurrent transactions can be swapped, never a thousand of them. With `types`, other events stay in the
 * queue, because the listener may not read them.
 */
export async function claimOldest(
  tx: Tx,
  webhookId: string,
  types: string[] | null,
): Promise<ClaimedDelivery | undefined> {
  const { rows } = await sql<ClaimedDelivery>`
    with first as (select id, position from webhook_queue where webhook_id = ${webhookId}
      and (${types}::text[] is null or event_type = any (${types}::text[])) order by next_attempt_at limit 1000)
    update webhook_queue q set attempts = attempts + 1, leased_until = now() + interval '30 seconds', claimed_by = null
    where id = (select id from first order by position, id limit 1) and ${isTenantActive}
    returning ${claimedColumns}`.execute(tx);
  return rows[0];
}

export type Request = Omit<NonNullable<ListenResponse['call']>, 'id' | 'attempt'>;

export const addCall = (tx: Tx, call: { id: string; webhookId: string; request: Request; expiresAt: Date }) =>
  tx
    .insertInto('webhookListenCalls')
    .values({ ...call, request: JSON.stringify(call.request) })
    .execute();

/** Each call is handed out once. Also deletes expired calls. */
export async function claimCall(tx: Tx, webhookId: string): Promise<{ id: string; request: Request } | undefined> {
  await tx
    .deleteFrom('webhookListenCalls')
    .where('expiresAt', '<', sql<Date>`now() - interval '1 minute'`)
    .execute();
  const { rows } = await sql<{ id: string; request: Request }>`
    update webhook_listen_calls set taken_at = now()
    where id = (select id from webhook_listen_calls
      where webhook_id = ${webhookId} and taken_at is null and expires_at > now() order by created_at limit 1 for update skip locked)
      and ${isTenantActive}
    returning id, request`.execute(tx);
  return rows[0];
}

export const saveCallResult = (tx: Tx, webhookId: string, result: CallResult) =>
  tx
    .updateTable('webhookListenCalls')
    .set({ answer: JSON.stringify(result) })
    .where('id', '=', result.id)
    .where('webhookId', '=', webhookId)
    .where('takenAt', 'is not', null)
    .execute();

export const readCall = async (tx: Tx, id: string) =>
  (await tx
    .selectFrom('webhookListenCalls')
    .select(['takenAt', 'answer'])
    .where('id', '=', id)
    .executeTakeFirst()) as unknown as { takenAt: Date | null; answer: CallResult | null } | undefined;

/** Deletes a call unless the listener has fetched it. */
export async function withdrawCall(tx: Tx, id: string): Promise<boolean> {
  const query = tx.deleteFrom('webhookListenCalls').where('id', '=', id).where('takenAt', 'is', null);
  return (await query.returning('id').executeTakeFirst()) !== undefined;
}
export const removeCall = (tx: Tx, id: string) => tx.deleteFrom('webhookListenCalls').where('id', '=', id).execute();
