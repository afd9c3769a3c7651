import { sql, type RawBuilder } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';

interface OfTenant {
  tenantId: Id<'tenant'>;
  tenantName: string | null;
}
export interface TimerRow extends OfTenant {
  kind: string;
  subjectId: string;
  dueAt: Date;
}

const read = <T>(db: Db, query: RawBuilder<T>): Promise<T[]> =>
  acrossTenants(db, async (tx) => {
    await sql`set local statement_timeout = 5000`.execute(tx);
    return (await query.execute(tx)).rows;
  });

/** The longest overdue first; the page begins after a time and a name. */
export const overdueTimers = (db: Db, graceSeconds: number, after: TimerPlace | undefined, limit: number) =>
  read<TimerRow>(
    db,
    sql`select d.kind, d.tenant_id, t.name as tenant_name, d.subject_id, d.due_at
      from (select kind, tenant_id, subject_id, due_at from directory.timers
        where due_at < now() - make_interval(secs => ${graceSeconds})
          and ${after ? sql`(due_at, kind, tenant_id, subject_id) > (${after.dueAt}::timestamptz, ${after.kind}, ${after.tenantId}, ${after.subjectId}) and due_at >= ${after.dueAt}::timestamptz` : sql`true`}
        order by due_at, kind, tenant_id, subject_id limit ${limit}) as d
      left join tenants t on t.tenant_id = d.tenant_id order by d.due_at, d.kind, d.tenant_id, d.subject_id`,
  );
export interface TimerPlace {
  dueAt: string;
  kind: string;
  tenantId: string;
  subjectId: string;
}

/** Whatever its day: the next one first. */
export const waitingErasures = (db: Db, after: string | undefined, limit: number) =>
  read<TimerRow>(
    db,
    sql`select d.kind, d.tenant_id, t.name as tenant_name, d.subject_id, d.due_at
      from (select kind, tenant_id, subject_id, due_at from directory.timers
        where kind = 'tenant-erasure' and ${after ? sql`tenant_id < ${after}` : sql`true`}
        order by tenant_id desc limit ${limit}) as d
      left join tenants t on t.tenant_id = d.tenant_id order by d.tenant_id desc`,
  );

export interface SyncRow extends OfTenant {
  id: string;
  kind: string;
  name: string;
  done: number;
  total: number;
  error: string | null;
  at: Date;
}
/** The states stand in the query as words, or the index of those that are not well could not be used. */
export const syncsIn = (db: Db, state: 'syncing' | 'failed', before: string | undefined, limit: number) =>
  read<SyncRow>(
    db,
    sql`select s.id, s.tenant_id, t.name as tenant_name, s.kind, s.name, s.done, s.total, s.error,
        coalesce(s.last_synced_at, s.created_at) as at
      from (select id, tenant_id, kind, name, done, total, error, last_synced_at, created_at from knowledge_sources
        where state = ${sql.lit(state)} and ${before ? sql`id < ${before}` : sql`true`} order by id desc limit ${limit}) as s
      left join tenants t on t.tenant_id = s.tenant_id order by s.id desc`,
  );

export interface ReplayRow extends OfTenant {
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

/** Of those that are named beside an email. */
export const namesOf = (db: Db, tenantIds: readonly string[]) =>
  read<{ tenantId: string; name: string }>(
    db,
    sql`select tenant_id, name from tenants where tenant_id = any (${[...tenantIds]}::text[])`,
  );
