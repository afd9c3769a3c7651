import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { connect } from '../../../../apps/server/src/platform/db.ts';
import { startPostgres } from '../../../../tools/stack/index.ts';
import { accountFor, findProgram } from '../../../../tools/stack/processes.ts';
import type { Product } from '../product.ts';

/** Every such change of a table fails, as with a faulty trigger. */
export const failOn =
  (table: string, change: 'insert' | 'update') =>
  async ({ database }: Product) => {
    await sql
      .raw(`create trigger drill before ${change} on ${table} for each statement execute function fail_of_drill()`)
      .execute(database);
    return () => sql.raw(`drop trigger drill on ${table}`).execute(database);
  };

/** A transaction that someone left open, with a lock on a table. */
export const lock =
  (table: string) =>
  async ({ database }: Product) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let done: Promise<unknown> = released;
    await new Promise<void>((locked, reject) => {
      done = database
        .transaction()
        .execute(async (tx) => {
          await sql.raw(`lock table ${table} in access exclusive mode`).execute(tx);
          locked();
          await released;
        })
        .catch(reject);
    });
    return () => {
      release();
      return done;
    };
  };

/** A privilege that was revoked by mistake. */
export const revoke =
  (privilege: string) =>
  async ({ database }: Product) => {
    await sql.raw(`revoke ${privilege} from parley_app, parley_bound`).execute(database);
    return () => sql.raw(`grant ${privilege} to parley_app, parley_bound`).execute(database);
  };

/** Drops the partitions from the day after tomorrow on. The chore would create them again within a day. */
export async function dropPartitions({ database }: Product) {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from directory.partitioned_tables parent
    join pg_inherits on inhparent = parent.name::regclass join pg_class child on child.oid = inhrelid
    where to_date(substring(child.relname from '[0-9]{8}$'), 'YYYYMMDD') > current_date + 2`.execute(database);
  for (const { name } of rows) await sql.raw(`drop table ${name}`).execute(database);
  return () => sql`select directory.ensure_partitions()`.execute(database);
}

/** A streaming replica, which can stop replaying. */
export async function startReplica({
  dir,
  servers,
  database,
  onStop,
}: Pick<Product, 'dir' | 'servers' | 'database' | 'onStop'>) {
  const folder = join(dir, 'replica');
  const account = accountFor('postgres');
  mkdirSync(folder, { recursive: true });
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
  const { port } = servers.postgres;
  const { status, stderr } = spawnSync(
    findProgram(['pg_basebackup'], 'It is part of PostgreSQL.'),
    [
      '-D',
      join(folder, 'pgdata'),
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '-d',
      `host=127.0.0.1 port=${port} user=postgres application_name=replica-1`,
    ],
    { ...account, cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`pg_basebackup failed: ${stderr}`);
  const server = await startPostgres(folder, { durable: true, more: ['wal_receiver_status_interval=1s'] });
  onStop(server.stop);
  const replica = connect(server.adminUrl, { max: 1 });
  onStop(() => replica.destroy());
  // PostgreSQL estimates how far a replica is behind once it has replayed something.
  for (let hasReplayed = false; !hasReplayed; await sleep(200)) {
    const { rows } = await sql<{ hasReplayed: boolean }>`
      select exists (select from pg_stat_replication where replay_lag is not null) as has_replayed`.execute(database);
    hasReplayed = rows[0]?.hasReplayed === true;
  }
  return {
    pause: () => sql`select pg_wal_replay_pause()`.execute(replica),
    resume: () => sql`select pg_wal_replay_resume()`.execute(replica),
  };
}
