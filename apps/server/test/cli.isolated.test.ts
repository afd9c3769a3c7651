import { ensureSigningKeys } from '../src/features/pools/signing-keys.store.ts';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { URI, type TOTP } from 'otpauth';
import { expect, inject, test, vi } from 'vitest';
import { builtDir } from './faults/child.ts';
import { admin, aTenant, as, openApi, settings, urlAs, services } from './harness.ts';

vi.setConfig({ testTimeout: 180_000 }); // each process loads the whole server

/** Runs the CLI as a deployment does, as a separate process with its own settings. */
const shell = (args: string[], env: Record<string, string>, nodeArgs: string[] = []) =>
  promisify(execFile)(process.execPath, [...nodeArgs, join(builtDir(), 'cli.js'), ...args], {
    env: { NODE_COMPILE_CACHE: join(inject('serverDir'), 'compiled'), ...env },
  });

test('migrate: does nothing when the schema is up to date', async () => {
  const { stdout } = await shell(['migrate'], { DATABASE_URL: urlAs('parley_owner') });
  expect(stdout).toBe('Nothing to migrate: the schema is up to date.\n');
});

test('migrate: is not cancelled by the 30 s query timeout of requests while it waits for another migration', async () => {
  const fastClock = join(import.meta.dirname, 'fast-clock.ts'); // 30 s become one
  const waiting = sql`select from pg_stat_activity where datname = current_database() and usename = 'parley_owner'
    and query like '%pg_try_advisory_lock%'`;
  const done = await admin.connection().execute(async (other) => {
    await sql`select pg_advisory_lock(${sql.raw(migrationLock)})`.execute(other);
    const migrating = shell(['migrate'], { DATABASE_URL: urlAs('parley_owner') }, ['--import', fastClock]);
    migrating.catch(() => {}); // it may fail before it is awaited
    await expect.poll(async () => (await waiting.execute(admin)).rows.length, { timeout: 60_000 }).toBe(1);
    await sleep(1_500);
    await sql`select pg_advisory_unlock(${sql.raw(migrationLock)})`.execute(other);
    return migrating;
  });
  expect(done.stdout).toBe(
    'Another migration is running. Waiting for it to finish.\nNothing to migrate: the schema is up to date.\n',
  );
});
/** Advisory lock of the migrator: concurrent migrations run one after the other. */
const migrationLock = '7261553921';

test('tenant create: creates a tenant with its first workspace and environments', async () => {
  const { DATABASE_URL = '', MASTER_KEYS = '' } = settings();
  const { stdout } = await shell(['tenant', 'create', '--name', 'Acme', '--plan', 'team'], {
    DATABASE_URL,
    MASTER_KEYS,
  });
  const { tenant, environments } = JSON.parse(stdout) as { tenant: object; environments: object[] };
  expect(tenant).toMatchObject({ name: 'Acme', plan: 'team', status: 'active' });
  expect(environments).toHaveLength(2);
});

test('admin create: prints credentials that sign in with two-factor authentication, also after a rewrap', async () => {
  const { rows } = await sql`select 1 from directory.users where pool = 'admin'`.execute(admin);
  expect(rows).toEqual([]);
  const { DATABASE_URL = '', MASTER_KEYS = '' } = settings();
  const email = 'first@parley.example';
  const { stdout } = await shell(['admin', 'create', '--email', email, '--name', 'First'], {
    DATABASE_URL,
    MASTER_KEYS,
  });
  const password = /password\s+(\S+)/.exec(stdout)?.[1];
  const uri = /otpauth:\S+/.exec(stdout)?.[0] ?? '';
  expect(stdout.match(/\w{4}(-\w{4}){3}/g)).toHaveLength(10);

  // Otherwise this process's API, which has the old master key only, might create the first one in between.
  for (const pool of ['customer', 'admin'] as const) await ensureSigningKeys(services, pool, 90);
  const newKey = `newer:${randomBytes(32).toString('base64')}`;
  await shell(['secrets', 'rewrap'], { DATABASE_URL, MASTER_KEYS: `${newKey},${MASTER_KEYS}` });
  const api = await openApi({ MASTER_KEYS: newKey });
  const first = await as({}, api.app).post('/admin/auth/login', { email, password });
  const mfaToken = first.json<{ error: { details: { message: string }[] } }>().error.details[0]?.message;
  const code = (URI.parse(uri) as TOTP).generate();
  const second = await as({}, api.app).post('/admin/auth/login/mfa', { mfaToken, code });
  const { accessToken } = second.json<{ accessToken: string }>();
  const me = await as({ authorization: `Bearer ${accessToken}` }, api.app).get('/admin/me');
  expect(me.json()).toMatchObject({ email, roles: ['platform_admin'], mfaEnabled: true });

  const rotated = await shell(['keys', 'rotate', '--pool', 'admin'], { DATABASE_URL, MASTER_KEYS: newKey });
  expect(rotated.stdout).toContain('signs with admin-');
  const before = await shell(['secrets', 'rewrap'], { DATABASE_URL, MASTER_KEYS: `${MASTER_KEYS},${newKey}` });
  expect(before.stdout).toContain('signing keys and two-factor secrets');
  await api.close();
});

test('secrets rewrap: every secret can be decrypted without the old master key', async () => {
  const { DATABASE_URL = '', MASTER_KEYS: oldKey = '' } = settings();
  const newKey = `new:${randomBytes(32).toString('base64')}`;
  const tenants = [await aTenant(), await aTenant()];
  const made = await Promise.all(
    tenants.map(async (tenant) => {
      const response = await tenant.post('/api-keys', {
        name: 'Site',
        keyType: 'public_widget',
        boundBotId: tenant.botId,
      });
      return { tenant, ...response.json<{ apiKey: { id: string }; secret: string }>() };
    }),
  );
  const { stdout } = await shell(['secrets', 'rewrap'], { DATABASE_URL, MASTER_KEYS: `${newKey},${oldKey}` });
  expect(stdout).toContain('Done: re-wrapped 2 data keys across');

  const api = await openApi({ MASTER_KEYS: newKey });
  for (const { tenant, apiKey, secret } of made) {
    const shown = await as(tenant.headers, api.app).post(`/api-keys/${apiKey.id}/reveal`);
    expect(shown.json()).toEqual({ secret });
  }
  await api.close();
});

test('audit verify: prints the verified logs; exits with 1 and names the entry after a row was changed', async () => {
  const { DATABASE_URL = '', MASTER_KEYS = '' } = settings();
  const [tenant, other] = [await aTenant(), await aTenant()];
  for (let n = 0; n < 3; n++) await tenant.patch(`/workspaces/${tenant.workspaceId}`, { name: `Name ${n}` });
  const { rows } = await sql<{ id: string }>`select id from audit_entries where tenant_id = ${tenant.tenantId}
    order by sequence`.execute(admin);
  const verify = (...args: string[]) => shell(['audit', 'verify', ...args], { DATABASE_URL, MASTER_KEYS });
  const { stdout } = await verify();
  expect(stdout).toContain(`${tenant.tenantId}: ${rows.length} entries verified, no signed head yet`);
  expect(stdout).toMatch(/Verified audit logs: \d+\.\n$/);

  await sql`update audit_entries set actor_id = 'usr_other' where id = ${rows[1]?.id}`.execute(admin);
  const failed = { code: 1, stderr: expect.stringContaining(`First bad entry: ${rows[1]?.id} of ${tenant.tenantId}`) };
  await expect(verify()).rejects.toMatchObject(failed);
  await expect(verify('--tenant', tenant.tenantId)).rejects.toMatchObject(failed);
  expect((await verify('--tenant', other.tenantId)).stdout).toContain('Verified audit logs: 1.');
});

test('check: prints each finding with its fix and exits with 1, as JSON and without some of them if asked', async () => {
  const env = settings({ VALKEY_URL: 'redis://127.0.0.1:9', OIDC_ISSUERS: '[]' });
  const text = shell(['check'], env);
  await expect(text).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^error {3}valkey\.unreachable: Valkey does not respond at 127\.0\.0\.1:9 \(ECONNREFUSED\)\. Start Valkey, .*\n/m,
    ),
  });
  const { stdout } = await shell(['check', '--json', '--except', 'valkey.unreachable'], env).catch(
    (error: { stdout: string }) => error,
  );
  const { findings } = JSON.parse(stdout) as { findings: { id: string }[] };
  expect(findings.map(({ id }) => id)).toContain('restate.ingress');
  expect(findings.map(({ id }) => id)).not.toContain('valkey.unreachable');
});

test('exits with an error and a hint for an unknown command or a missing option', async () => {
  await expect(shell(['destroy'], {})).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('parley-server migrate'),
  });
  await expect(shell(['tenant', 'create'], {})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--name'),
  });
  await expect(shell(['admin', 'create', '--name', 'X'], {})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--email'),
  });
  await expect(shell(['migrate'], {})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('DATABASE_URL'),
  });
});
