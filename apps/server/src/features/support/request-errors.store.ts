import { sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import type { FailedRequest } from '../../platform/http/observe.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export interface ErrorCount extends Omit<FailedRequest, 'tenantId'> {
  hour: Date;
  at: Date;
  count: number;
}

/** Rows per tenant. At the limit, existing rows are still counted, but new ones are not added. */
export const maxErrors = 1_000;

/** Writes nothing for a tenant that was erased in the meantime. */
export async function saveErrors({ tx, tenantId }: Pick<Context, 'tx' | 'tenantId'>, errors: readonly ErrorCount[]) {
  // Serializes processes: otherwise they could deadlock on the same rows, or exceed the limit together.
  await sql`select pg_advisory_xact_lock(hashtext(${`request_errors ${tenantId}`}))`.execute(tx);
  const rows = JSON.stringify(
    errors.map(({ actor, at, hour, reason, operation, ...row }) => ({
      ...row,
      reason: reason.slice(0, 100),
      operation: operation.slice(0, 100),
      hour,
      last_at: at,
      request_id: row.requestId,
      trace_id: row.traceId,
      actor_type: actor.type,
      actor_id: actor.id,
    })),
  );
  const newRows = sql`jsonb_to_recordset(${rows}::jsonb) as n (hour timestamptz, operation text, status smallint, reason text,
    count int, last_at timestamptz, request_id text, trace_id text, actor_type text, actor_id text)`;
  const same = sql`e.hour = n.hour and e.operation = n.operation and e.status = n.status and e.reason = n.reason`;
  await sql`
    update request_errors e set count = e.count + n.count, last_at = n.last_at, last_request_id = n.request_id,
      last_trace_id = n.trace_id, last_actor_type = n.actor_type, last_actor_id = n.actor_id
    from ${newRows} where ${same}`.execute(tx);
  await sql`
    insert into request_errors (hour, operation, status, reason, count, last_at, last_request_id, last_trace_id, last_actor_type, last_actor_id)
    select n.hour, n.operation, n.status, n.reason, n.count, n.last_at, n.request_id, n.trace_id, n.actor_type, n.actor_id
    from ${newRows} where exists (select from tenants) and not exists (select from request_errors e where ${same})
    order by n.last_at limit greatest(0, ${maxErrors} - (select count(*) from request_errors))`.execute(tx);
}

const isOld = sql`hour < now() - interval '7 days'`;
export const oldErrors = sql`select tenant_id from request_errors where ${isOld} order by hour`;
export const purgeErrors = (tx: Tx) => sql`delete from request_errors where ${isOld}`.execute(tx);
