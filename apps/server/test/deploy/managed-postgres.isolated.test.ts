import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { repository } from '../../../../tools/demo/processes.ts';
import { startPostgres } from '../../../../tools/stack/index.ts';
import { findProgram } from '../../../../tools/stack/processes.ts';
import { migrate } from '../../src/migrate.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { connect } from '../../src/platform/db.ts';
import { openPlatform } from '../../src/platform/platform.ts';

// A cluster in which the administrator is no superuser, as at Amazon RDS and Google Cloud SQL.

const dir = join(inject('runDir'), `managed-${process.pid}`);
const postgres = await startPostgres(dir, { durable: false });
afterAll(async () => {
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
});

const urlAs = (role: string, database = 'parley') => `postgres://${role}@127.0.0.1:${postgres.port}/${database}`;

/** Runs the documented command. Without a terminal, psql reads the passwords from its input. */
async function runSample(role: string, passwords: readonly string[]) {
  const psql = findProgram(['psql'], 'Install the client of PostgreSQL.');
  const file = join(repository, 'deploy/samples/postgres/managed.sql');
  const roles = `roles=${join(repository, 'apps/server/db/roles.sql')}`;
  const child = spawn(psql, ['--no-psqlrc', urlAs(role, 'postgres'), '-v', roles, '-f', file], { detached: true });
  child.stdin.end(passwords.flatMap((password) => [`${password}\n`, `${password}\n`]).join(''));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output: (await output).join('') };
}

test('managed.sql needs no superuser, and the server accepts the database that it makes', async () => {
  const root = connect(postgres.adminUrl, { max: 1 });
  await sql`create role managed_admin login nosuperuser createrole createdb`.execute(root);
  const { status, output } = await runSample('managed_admin', ['owner password', 'app password']);
  expect(status, output).toBe(0);

  const roles = sql<{ rolname: string; isHashed: boolean }>`
    select rolname, rolpassword like 'SCRAM-SHA-256$%' as "isHashed" from pg_authid
    where rolname in ('parley_owner', 'parley_app') and not rolsuper and not rolbypassrls order by rolname`;
  expect((await roles.execute(root)).rows).toEqual([
    { rolname: 'parley_app', isHashed: true },
    { rolname: 'parley_owner', isHashed: true },
  ]);
  const membership = sql<{
    isMember: boolean;
  }>`select pg_has_role('managed_admin', 'parley_owner', 'usage') as "isMember"`;
  expect((await membership.execute(root)).rows).toEqual([{ isMember: false }]);
  await root.destroy();

  const owner = connect(urlAs('parley_owner'), { max: 2 });
  expect((await migrate(owner)).length).toBeGreaterThan(0);
  await owner.destroy();

  // In production, it refuses a role that owns tables or bypasses row-level security.
  const platform = await openPlatform(
    'api',
    loadConfig({
      DATABASE_URL: urlAs('parley_app'),
      VALKEY_URL: inject('valkeyUrl'),
      RESTATE_INGRESS_URL: 'http://127.0.0.1:9',
      RESTATE_IDENTITY_KEYS: 'publickeyv1_none',
      MASTER_KEYS: `k1:${Buffer.from(Array.from({ length: 32 }, (_, n) => n)).toString('base64')}`,
      PUBLIC_URL: 'https://api.example.com',
      METRICS_PORT: '0',
      LOG_LEVEL: 'silent',
    }),
  );
  await platform.health.database();
  await platform.close();
});
