import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { createRoles, migrate } from '../apps/server/src/migrate.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { stackDir, startPostgres } from '../tools/stack/index.ts';

export interface Database {
  /** A superuser's connection without a time limit, to fill tables. */
  admin: Client;
  /** As the server connects: under row-level security. */
  appUrl: string;
  adminUrl: string;
  ownerUrl: string;
}

/** Runs `work` on its own migrated database, for benchmarks that need no other server. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>, { durable = false } = {}): Promise<T> {
  const dir = stackDir(`bench-database-${process.pid}`);
  const postgres = await startPostgres(join(dir, 'postgres'), { durable });
  const urlAs = (username: string) => Object.assign(new URL(postgres.adminUrl), { pathname: 'parley', username }).href;
  try {
    const root = connect(postgres.adminUrl, { max: 1 });
    await createRoles(root);
    await sql`create database parley owner parley_owner`.execute(root);
    await root.destroy();
    const owner = connect(urlAs('parley_owner'), { max: 2 });
    await migrate(owner);
    await owner.destroy();
    const admin = new Client(urlAs('postgres'));
    admin.on('error', () => {}); // the server stops first if `work` fails
    await admin.connect();
    const value = await work({
      admin,
      adminUrl: urlAs('postgres'),
      appUrl: urlAs('parley_app'),
      ownerUrl: urlAs('parley_owner'),
    });
    await admin.end();
    return value;
  } finally {
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** CPU time that PostgreSQL's process for this connection used: unlike elapsed time, the same on a busy machine. */
export async function backendCpuMs(client: Client, work: () => Promise<unknown>): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const used = () => Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  const before = used();
  await work();
  return used() - before;
}
