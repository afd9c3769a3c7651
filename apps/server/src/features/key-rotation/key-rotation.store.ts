import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { KeyRotation } from './key-rotation.contract.ts';

/** A rotation as stored. */
export interface Row {
  id: Id<'keyRotation'>;
  status: KeyRotation['status'];
  masterKeyId: string;
  reason: string;
  startedBy: string;
  startedAt: Date;
  cursor: string;
  tenantsTotal: number;
  tenantsDone: number;
  secretsTotal: number;
  secretsDone: number;
  failures: number;
  problem: string | null;
  encryptedAt: Date | null;
  finishedAt: Date | null;
}

export async function insert(tx: Tx, row: Pick<Row, 'id' | 'masterKeyId' | 'reason' | 'startedBy'>): Promise<boolean> {
  const { rows } = await sql`
    insert into deployment.key_rotations (id, status, master_key_id, reason, started_by)
    values (${row.id}, 'counting', ${row.masterKeyId}, ${row.reason}, ${row.startedBy})
    on conflict do nothing returning 1`.execute(tx);
  return rows.length > 0;
}

export async function find(db: Db | Tx, id: string): Promise<Row | undefined> {
  return (await sql<Row>`select * from deployment.key_rotations where id = ${id}`.execute(db)).rows[0];
}

export async function findRunning(db: Db | Tx): Promise<Row | undefined> {
  return (await sql<Row>`select * from deployment.key_rotations where finished_at is null`.execute(db)).rows[0];
}

/** A running rotation without progress for this long. */
export async function findStalled(db: Db, seconds: number): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select * from deployment.key_rotations
    where finished_at is null and touched_at < now() - make_interval(secs => ${seconds})`.execute(db);
  return rows[0];
}

export async function list(db: Db, before: string | undefined, limit: number): Promise<Row[]> {
  const { rows } = await sql<Row>`select * from deployment.key_rotations
    where ${before ?? null}::text is null or id < ${before ?? null} order by id desc limit ${limit}`.execute(db);
  return rows;
}

export async function cancel(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`update deployment.key_rotations
    set status = 'cancelled', cursor = '', problem = null, finished_at = now()
    where id = ${id} and finished_at is null returning 1`.execute(tx);
  return rows.length > 0;
}

interface Progress {
  tenantsTotal?: number;
  tenantsDone?: number;
  secretsTotal?: number;
  secretsDone?: number;
  failures?: number;
  cursor?: string;
}

/** Runs in the transaction of the work it counts, so that the counts are exact. Returns whether the rotation still runs. */
export async function addProgress(db: Db | Tx, id: string, progress: Progress): Promise<boolean> {
  const { rows } = await sql`
    update deployment.key_rotations set touched_at = now(), problem = null, cursor = coalesce(${progress.cursor ?? null}, cursor),
      tenants_total = tenants_total + ${progress.tenantsTotal ?? 0}, tenants_done = tenants_done + ${progress.tenantsDone ?? 0},
      secrets_total = secrets_total + ${progress.secretsTotal ?? 0}, secrets_done = secrets_done + ${progress.secretsDone ?? 0},
      failures = failures + ${progress.failures ?? 0}
    where id = ${id} and finished_at is null returning 1`.execute(db);
  return rows.length > 0;
}

/** Starts the next phase, from the first tenant. */
export const setStatus = (db: Db, id: string, status: Row['status']) =>
  sql`update deployment.key_rotations set status = ${status}, cursor = '', problem = null, touched_at = now(),
      encrypted_at = case when ${status} = 'waiting' then clock_timestamp() else encrypted_at end,
      secrets_done = case when ${status} = 'waiting' then secrets_total - failures else secrets_done end,
      finished_at = case when ${status} = 'finished' then now() end
    where id = ${id} and finished_at is null`.execute(db);

export const setProblem = (db: Db, id: string, problem: string) =>
  sql`update deployment.key_rotations set problem = ${problem}, touched_at = now()
    where id = ${id} and finished_at is null`.execute(db);

/**
 * Whether a transaction of the server that started before then is still open: it may have read a secret encrypted with an old
 * key, and still need that key.
 */
export async function hasOpenTransactionBefore(db: Db, before: Date): Promise<boolean> {
  const { rows } = await sql<{ isOpen: boolean }>`select exists (select from pg_stat_activity
    where usename = session_user and datname = current_database() and pid <> pg_backend_pid()
      and xact_start <= ${before}::timestamptz + interval '1 ms') as is_open`.execute(db);
  return rows[0]?.isOpen ?? true;
}
