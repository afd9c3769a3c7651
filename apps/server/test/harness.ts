import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, inject } from 'vitest';
import { openFeatures } from '../src/features/index.ts';
import { loadConfig } from '../src/platform/config.ts';
import { asSystem, inTenant, type Context } from '../src/platform/context.ts';
import { connect } from '../src/platform/db.ts';
import { buildHttp } from '../src/platform/http/server.ts';
import type { Id } from '../src/platform/ids.contract.ts';
import { newId } from '../src/platform/ids.ts';
import { openPlatform } from '../src/platform/platform.ts';
import { createTenant } from '../src/features/tenants/tenants.service.ts';
import { startIssuer } from './issuer.ts';
import { makeWidgetDir } from './widget-files.ts';

// All test files of a vitest worker share one API and one database, a copy of the template; tests are isolated by tenant.
// Files that change settings, kill processes or read across tenants have their own: `*.isolated.test.ts` and
// `*.fault.test.ts` (vitest.config.ts).
const cluster = new URL(inject('postgresUrl'));
const database = `test_${randomUUID().replaceAll('-', '')}`;
export const urlAs = (username: string) => Object.assign(new URL(cluster), { pathname: database, username }).href;
const root = connect(cluster.href, { max: 1, connectMs: 60_000, queryMs: 120_000 });
await sql`create database ${sql.id(database)} template ${sql.id(inject('template'))} owner parley_owner strategy file_copy`.execute(
  root,
);

/** A superuser connection, which bypasses row-level security, for assertions and setup without a route. */
export const admin = connect(urlAs('postgres'), { max: 3, connectMs: 60_000 });

export const customers = await startIssuer('customer');
export const operators = await startIssuer('admin');

const widgetDir = makeWidgetDir();

/** Settings of an API process of this test file. */
export const settings = (overrides: Record<string, string> = {}): Record<string, string> => ({
  PARLEY_ENV: 'test',
  DATABASE_URL: urlAs('parley_app'),
  DATABASE_POOL_SIZE: '4',
  DATABASE_WAIT_SECONDS: '60', // a busy machine must not cause 503
  VALKEY_URL: inject('valkeyUrl'),
  VALKEY_PREFIX: `${database}:`,
  RESTATE_INGRESS_URL: 'http://127.0.0.1:9', // nothing listens here: tests that need Restate start their own
  MASTER_KEYS: `test:${masterKey}`,
  METRICS_PORT: '0',
  PORT: '0',
  LOG_LEVEL: 'silent',
  WIDGET_DIR: widgetDir,
  SIGN_UP_CHECK: 'none', // tests of this check enable it
  FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000', // all tests share an IP address
  OIDC_ISSUERS: JSON.stringify([customers.config, operators.config]),
  EGRESS_OPEN_HOSTS: [customers.host, operators.host].join(','),
  ...overrides,
});
const masterKey = randomBytes(32).toString('base64');

export async function openApi(overrides: Record<string, string> = {}) {
  const config = loadConfig(settings(overrides));
  const platform = await openPlatform('api', config);
  const features = openFeatures(platform, () => false);
  const { PUBLIC_URL: publicUrl, TRUSTED_PROXIES: trustedProxies } = config;
  const app = await buildHttp({ ...platform, ...features, publicUrl, trustedProxies });
  await app.ready();
  return {
    app,
    platform,
    /** Stops background work, such as reading the signing keys every few seconds. */
    stopBackgroundWork: features.stop,
    close: async () => {
      await app.close();
      await features.stop();
      await platform.close();
    },
  };
}
export const api = await openApi();
export const { services } = api.platform;

/** Data folder for a server that a test starts. */
export const ownDir = (name: string) => join(inject('runDir'), `${name}-${process.pid}`);

/** Cleans up after an isolated file. Shared resources end with the run (global-setup.ts). */
export function afterOwnFile(end: () => Promise<void>) {
  if (!inject('isShared')) afterAll(end);
}

afterOwnFile(async () => {
  await api.close();
  customers.close();
  operators.close();
  rmSync(widgetDir, { recursive: true, force: true });
  await admin.destroy();
  await sql`drop database ${sql.id(database)} with (force)`.execute(root);
  await root.destroy();
});

/** Starts listening on first use, and returns the URL. */
export async function listen(app = api.app): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

export type Headers = Record<string, string>;
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
export const send = (method: Method, url: string, headers: Headers = {}, body?: unknown, app = api.app) =>
  app.inject({ method, url, headers, ...(body !== undefined && { payload: body as object }) });
export type Response = Awaited<ReturnType<typeof send>>;

export const as = (headers: Headers, app = api.app) => ({
  headers,
  get: (url: string) => send('GET', url, headers, undefined, app),
  post: (url: string, body?: unknown, more: Headers = {}) => send('POST', url, { ...headers, ...more }, body, app),
  patch: (url: string, body?: unknown) => send('PATCH', url, headers, body, app),
  put: (url: string, body?: unknown) => send('PUT', url, headers, body, app),
});

/** A recent sign-in, which satisfies step-up. */
const justSignedIn = () => ({ auth_time: Math.floor(Date.now() / 1_000) });

/** A signed-in user of the customer pool with these memberships. */
export async function aUser(
  memberships: { tenantId: string; roles: string[] }[],
  claims: Record<string, unknown> = {},
) {
  const userId = newId('user');
  const [subject, email] = [randomUUID(), `${userId}@example.com`];
  await sql`insert into directory.users (user_id, pool, email, name) values (${userId}, 'customer', ${email}, 'Test Person')`.execute(
    admin,
  );
  await sql`insert into directory.identities values (${customers.issuer}, ${subject}, ${userId})`.execute(admin);
  for (const { tenantId, roles } of memberships) {
    await sql`insert into directory.user_tenants values (${userId}, ${tenantId})`.execute(admin);
    await admin.insertInto('memberships').values({ tenantId, userId, roles }).execute();
  }
  const token = await customers.sign({ sub: subject, ...justSignedIn(), ...claims });
  return { userId, subject, email, token, ...as({ authorization: `Bearer ${token}` }) };
}

/** The same user after a new sign-in, for routes that require one within five minutes. */
export const signedInAgain = async <User extends { subject: string }>(user: User): Promise<User> => ({
  ...user,
  ...as({ authorization: `Bearer ${await customers.sign({ sub: user.subject, ...justSignedIn() })}` }),
});

export async function anOperator(role = 'platform_admin', claims: Record<string, unknown> = {}) {
  const [userId, subject] = [newId('user'), randomUUID()];
  await sql`insert into directory.users (user_id, pool, email, name, platform_roles)
    values (${userId}, 'admin', ${`${userId}@parley.example`}, 'Operator', ${[role]})`.execute(admin);
  await sql`insert into directory.identities values (${operators.issuer}, ${subject}, ${userId})`.execute(admin);
  return {
    userId,
    ...as({ authorization: `Bearer ${await operators.sign({ sub: subject, ...justSignedIn(), ...claims })}` }),
  };
}

export const inside = <T>(tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<T>) =>
  inTenant(services, asSystem(tenantId, 'test'), work);

/** A tenant with its first workspace and environments, one bot, and a signed-in owner. */
export async function aTenant({
  plan = 'team',
  roles = ['owner'],
}: { plan?: 'free' | 'team' | 'enterprise'; roles?: string[] } = {}) {
  const tenantId = newId('tenant');
  const created = await inside(tenantId, (ctx) => createTenant(ctx, { name: 'Test', plan }));
  const botId = newId('bot');
  await admin
    .insertInto('bots')
    .values({ tenantId, id: botId, workspaceId: created.workspace.id, name: 'Bot' })
    .execute();
  const owner = await aUser([{ tenantId, roles }]);
  return {
    tenantId,
    botId,
    workspaceId: created.workspace.id,
    environmentId: created.environments[0]?.id ?? '',
    ...owner,
  };
}
export type TestTenant = Awaited<ReturnType<typeof aTenant>>;

/** A server key of the tenant, and a client that uses it. */
export async function aKey(tenant: TestTenant, more: Record<string, unknown> = {}) {
  const response = await tenant.post('/api-keys', { name: 'Key', keyType: 'secret_server', ...more });
  expect(response.statusCode, response.body).toBe(201);
  const { apiKey, secret } = response.json<{ apiKey: { id: string }; secret: string }>();
  return { id: apiKey.id, secret, ...as({ authorization: `Bearer ${secret}`, 'x-service-api-key-id': apiKey.id }) };
}

/** A server key that can open widget sessions. */
export const aSessionKey = (tenant: TestTenant, more: Record<string, unknown> = {}) =>
  aKey(tenant, { permissions: ['session.create'], ...more });

export const eventsOf = async (tenantId: string) =>
  (await admin.selectFrom('events').select('type').where('tenantId', '=', tenantId).orderBy('position').execute()).map(
    (event) => event.type,
  );

/** Adds an allowance for a busy machine to a time limit: 100 times the duration of a trivial request, about 1 ms if idle. */
export async function withLoadAllowance(ms: number): Promise<number> {
  const startedAt = performance.now();
  await api.app.inject({ method: 'GET', url: '/health/live' });
  await sql`select 1`.execute(services.db);
  return ms + 100 * (performance.now() - startedAt);
}

/** The number of queries that wait for a lock. */
export async function countLockWaits() {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(admin)).rows.length;
}

/** Lets operators impersonate members without the approval of an owner. */
export const allowSupport = ({ tenantId }: Pick<TestTenant, 'tenantId'>) =>
  admin.updateTable('tenants').set({ supportAccess: 'allowed' }).where('tenantId', '=', tenantId).execute();
