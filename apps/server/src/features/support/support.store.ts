import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { SupportedBot, SupportedKey, TenantError } from './support.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export const findTenant = (tx: Tx) => tx.selectFrom('tenants').select('status').executeTakeFirst();

type BotRow = Omit<SupportedBot, 'sources'> & { sources: Partial<SupportedBot['sources']> | null };
export async function listBots(tx: Tx): Promise<SupportedBot[]> {
  const { rows } = await sql<BotRow>`
    select b.id, b.name, b.status,
      array(select e.name from bot_deployments d join environments e on e.id = d.environment_id where d.bot_id = b.id order by 1) as deployed_to,
      (select max(newest.last_message_at) from environments e, lateral (
        select c.last_message_at from conversations c where c.bot_id = b.id and c.environment_id = e.id
        order by c.last_message_at desc limit 1) as newest) as last_conversation_at,
      (select jsonb_object_agg(state, n) from
        (select state, count(*)::int as n from knowledge_sources s where s.bot_id = b.id group by state) as states) as sources
    from bots b order by b.id desc limit 100`.execute(tx);
  const noSources = { ready: 0, syncing: 0, waiting: 0, failed: 0 };
  return rows.map((row) => ({ ...row, sources: { ...noSources, ...row.sources } }));
}

export async function listKeys(tx: Tx): Promise<SupportedKey[]> {
  const { rows } = await sql<SupportedKey>`
    select k.id, k.name, k.key_type, k.last_used_at, k.expires_at, k.revoked_at,
      coalesce((select s.hint from api_key_secrets s where s.key_id = k.id order by s.version desc limit 1), '') as hint
    from api_keys k order by k.revoked_at nulls first, k.id desc limit 100`.execute(tx);
  return rows;
}

export async function countUnknownRuns(tx: Tx): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (select from action_runs where state = 'unknown' limit 1000) as counted`.execute(tx);
  return rows[0]?.n ?? 0;
}

export type ErrorRow = Omit<TenantError, 'traceUrl' | 'actor' | 'at'> & {
  /** With microseconds, because the cursor needs them. */
  at: string;
  actorType: string | null;
  actorId: string | null;
};
export interface ErrorCursor {
  at: string;
  id: string;
}

/** Newest first, up to a full page of each kind. */
export async function listErrors(tx: Tx, before: ErrorCursor | undefined, limit: number): Promise<ErrorRow[]> {
  const { at, id } = before ?? { at: 'infinity', id: '~' };
  const isBefore = (
    time: string,
    name: string,
  ) => sql`(${sql.raw(time)}, ${sql.raw(name)}) < (${at}::timestamptz, ${id})
    order by ${sql.raw(time)} desc, ${sql.raw(name)} desc limit ${limit}`;
  const requestId = `'request/' || extract(epoch from hour)::bigint || '/' || operation || '/' || status || '/' || reason`;
  const ended = 'coalesce(r.finished_at, r.created_at)';
  const { rows } = await sql<ErrorRow>`
    select id, kind, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, what, status, reason, count,
      request_id, trace_id, actor_type, actor_id, subject_id, webhook_id
    from (
      (select ${sql.raw(requestId)} as id, 'request' as kind, last_at as at, operation as what, status, reason, count,
        last_request_id as request_id, last_trace_id as trace_id, last_actor_type as actor_type, last_actor_id as actor_id,
        null as subject_id, null as webhook_id
        from request_errors where ${isBefore('last_at', requestId)})
      union all
      (select 'turn/' || t.id, 'turn', t.finished_at, coalesce(t.mode, 'answer'), null, coalesce(t.reason, 'failed'), 1, null,
        split_part(t.traceparent, '-', 2), null, null, t.conversation_id, null
        from turns t where t.status = 'failed' and ${isBefore('t.finished_at', `'turn/' || t.id`)})
      union all
      (select 'delivery/' || d.id, 'delivery', d.finished_at, d.event_type, (d.log -> -1 ->> 'status')::int,
        coalesce(d.log -> -1 ->> 'error', case when d.log -> -1 ->> 'status' is null then d.status else 'unexpected_status' end), 1, null,
        (select split_part(e.traceparent, '-', 2) from events e where e.id = d.event_id), null, null, d.id, d.webhook_id
        from webhook_deliveries d where d.status = 'exhausted' and ${isBefore('d.finished_at', `'delivery/' || d.id`)})
      union all
      (select 'run/' || r.id, 'run', ${sql.raw(ended)}, coalesce((select a.name from actions a where a.id = r.action_id), 'action'), null,
        coalesce(r.reason, r.state), 1, null, split_part(r.traceparent, '-', 2), null, null, r.id, null
        from action_runs r where r.state in ('failed', 'unknown') and ${isBefore(ended, `'run/' || r.id`)})
    ) as all_kinds order by at desc, id desc limit ${limit}`.execute(tx);
  return rows;
}

/** Sources whose last sync failed. They are few, and store only when the sync started. */
export const listFailedSources = (tx: Tx) =>
  tx
    .selectFrom('knowledgeSources')
    .select(['id', 'name', 'syncId', 'error', 'createdAt'])
    .where('state', '=', 'failed')
    .orderBy('id', 'desc')
    .limit(100)
    .execute();
