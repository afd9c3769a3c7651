import { sql, type RawBuilder } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';

interface TenantRow {
  tenantId: Id<'tenant'>;
  tenantName: string | null;
}
export interface TimerRow extends TenantRow {
  kind: string;
  subjectId: string;
  dueAt: Date;
}

const read = <T>(db: Db, query: RawBuilder<T>): Promise<T[]> =>
  acrossTenants(db, async (tx) => {
    await sql`set local statement_timeout = 5000`.execute(tx);
    return (await query.execute(tx)).rows;
  });

/** Longest overdue first. */
export const overdueTimers = (db: Db, graceSeconds: number, after: TimerCursor | undefined, limit: number) =>
  read<TimerRow>(
    db,
    sql`select d.kind, d.tenant_id, t.name as tenant_name, d.subject_id, d.due_at
      from (select kind, tenant_id, subject_id, due_at from directory.timers
        where due_at < now() - make_interval(secs => ${graceSeconds})
          and ${after ? sql`(due_at, kind, tenant_id, subject_id) > (${after.dueAt}::timestamptz, ${after.kind}, ${after.tenantId}, ${after.subjectId}) and due_at >= ${after.dueAt}::timestamptz` : sql`true`}
        order by due_at, kind, tenant_id, subject_id limit ${limit}) as d
      left join tenants t on t.tenant_id = d.tenant_id order by d.due_at, d.kind, d.tenant_id, d.subject_id`,
  );
export interface TimerCursor {
  dueAt: string;
  kind: string;
  tenantId: string;
  subjectId: string;
}

/** Scheduled erasures, whether due or not, newest tenant first. */
export const scheduledErasures = (db: Db, after: string | undefined, limit: number) =>
  read<TimerRow>(
    db,
    sql`select d.kind, d.tenant_id, t.name as tenant_name, d.subject_id, d.due_at
      from (select kind, tenant_id, subject_id, due_at from directory.timers
        where kind = 'tenant-erasure' and ${after ? sql`tenant_id < ${after}` : sql`true`}
        order by tenant_id desc limit ${limit}) as d
      left join tenants t on t.tenant_id = d.tenant_id order by d.tenant_id desc`,
  );

export interface SyncRow extends TenantRow {
  id: string;
  kind: string;
  name: string;
  done: number;
  total: number;
  error: string | null;
  at: Date;
}
/** The state is a literal in the query, because the planner cannot use the partial index with a parameter. */
export const syncsIn = (db: Db, state: 'syncing' | 'failed', before: string | undefined, limit: number) =>
  read<SyncRow>(
    db,
    sql`select s.id, s.tenant_id, t.name as tenant_name, s.kind, s.name, s.done, s.total, s.error,
        coalesce(s.last_synced_at, s.created_at) as at
      from (select id, tenant_id, kind, name, done, total, error, last_synced_at, created_at from knowledge_sources
        where state = ${sql.lit(state)} and ${before ? sql`id < ${before}` : sql`true`} order by id desc limit ${limit}) as s
      left join tenants t on t.tenant_id = s.tenant_id order by s.id desc`,
  );

export interface ReplayRow extends TenantRow {
  id: string;
  webhookId: string;
  queued: number;
  at: Date;
}
export const runningReplays = (db: Db, before: string | undefined, limit: number) =>
  read<ReplayRow>(
    db,
    sql`select r.id, r.tenant_id, t.name as tenant_name, r.webhook_id, r.queued, r.created_at as at
      from (select id, tenant_id, webhook_id, queued, created_at from webhook_replays
        where state = 'running' and ${before ? sql`id < ${before}` : sql`true`} order by id desc limit ${limit}) as r
      left join tenants t on t.tenant_id = r.tenant_id order by r.id desc`,
  );

export const isReplayRunning = async (db: Db, tenantId: string, id: string): Promise<boolean> =>
  (
    await read<object>(
      db,
      sql`select 1 from webhook_replays where tenant_id = ${tenantId} and id = ${id} and state = 'running'`,
    )
  ).length > 0;

export const tenantNames = (db: Db, tenantIds: readonly string[]) =>
  read<{ tenantId: string; name: string }>(
    db,
    sql`select tenant_id, name from tenants where tenant_id = any (${[...tenantIds]}::text[])`,
  );
