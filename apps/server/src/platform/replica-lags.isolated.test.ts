import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startPostgres } from '../../../../tools/stack/index.ts';
import { accountFor, findProgram } from '../../../../tools/stack/processes.ts';
import { ownDir } from '../../test/harness.ts';
import { connect } from './db.ts';
import { replicaLags } from './health-metrics.ts';

const dir = ownDir('replicas');
const postgres = await startPostgres(dir, { durable: true });
const owner = connect(postgres.adminUrl, { max: 1 });
await sql`create role parley_app login noinherit`.execute(owner); // as db/roles.sql has it
const db = connect(Object.assign(new URL(postgres.adminUrl), { username: 'parley_app' }).href, { max: 1 });

// It receives what a replica receives.
const account = accountFor('postgres');
const received = join(dir, 'received');
mkdirSync(received);
if (account.uid !== undefined && account.gid !== undefined) chownSync(received, account.uid, account.gid);
const url = `host=127.0.0.1 port=${postgres.port} user=postgres application_name=replica-1`;
const receiver = spawn(
  findProgram(['pg_receivewal'], 'It is part of PostgreSQL.'),
  ['-D', received, '-d', url],
  account,
);
afterAll(async () => {
  receiver.kill();
  await Promise.all([db.destroy(), owner.destroy()]);
  await postgres.stop();
  rmSync(dir, { recursive: true });
});

test('are seen by a role that inherits nothing once it is a member of pg_monitor, and not before', async () => {
  const { rows } = await sql<{ who: string }>`select current_user::text as who`.execute(db);
  expect(rows).toEqual([{ who: 'parley_app' }]);
  const senders = sql<{ n: number }>`select count(*)::int as n from pg_stat_replication`;
  await expect.poll(async () => (await senders.execute(owner)).rows).toEqual([{ n: 1 }]);
  expect(await replicaLags(db)).toEqual({});
  await sql`grant pg_monitor to parley_app`.execute(owner);
  const lags = await replicaLags(db);
  expect(Object.keys(lags)).toEqual(['replica-1']);
  expect(lags['replica-1']).toBeLessThan(10); // seconds
  const after = await sql<{ who: string }>`select current_user::text as who`.execute(db);
  expect(after.rows, 'the next statement on the connection').toEqual([{ who: 'parley_app' }]);
});
