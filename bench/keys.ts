import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { findForUse, findTenantBySecret } from '../apps/server/src/features/api-keys/api-keys.store.ts';
import { asSystem, inTenant, type Services } from '../apps/server/src/platform/context.ts';
import { openKeyring } from '../apps/server/src/platform/crypto.ts';
import { connect, type Db } from '../apps/server/src/platform/db.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { freePort, type Stack } from '../tools/stack/index.ts';
import { compare } from './figures/comparison.ts';
import { result, type Result } from './figures/result.ts';
import { median } from './figures/stats.ts';
import { compareRoutes, loadRoute } from './load.ts';
import { raiseReadLimit } from './limits.ts';
import { buildServer, built, connectAdmin, withStack, type OnEnd } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 3);
/** V8 still compiles the route in the first hundred thousand requests. */
const warmRounds = 6;
const manyKeys = Number(process.env['BENCH_KEYS'] ?? 1_000_000);

export async function keys(): Promise<Result[]> {
  buildServer();
  return withStack(async (stack, onEnd) => {
    const settings = await prepare(stack);
    const demo = await seedDemo(settings);
    await raiseReadLimit(stack, demo.tenantId);
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    const api = runEntry(built.api, { ...settings, LOG_LEVEL: 'info' });
    onEnd(api.stop);
    await waitFor(`${apiUrl}/health/ready`);
    const { byRate, byCpu } = await keyRequests({ apiUrl, api, ...demo }, { duration: seconds, onEnd });
    return [await compare(byRate, rounds), await compare(byCpu, rounds), await lookups(stack, settings)];
  });
}

interface KeyTarget {
  apiUrl: string;
  api: { pid: number | undefined };
  serverKey: string;
  serverKeyId: string;
}

/** The full route (key, tenant, plan, rate limit, contract, log, metrics) with warm caches, compared with a bare Fastify route. */
export async function keyRequests(
  { apiUrl, api, serverKey, serverKeyId }: KeyTarget,
  { duration, onEnd, env = {} }: { duration: number; onEnd: OnEnd; env?: Record<string, string> },
) {
  const headers = { authorization: `Bearer ${serverKey}`, 'x-service-api-key-id': serverKeyId };
  const response = await (await fetch(`${apiUrl}/me`, { headers })).text();
  const port = await freePort();
  const bareUrl = `http://127.0.0.1:${port}`;
  const bare = runEntry('bench/bare.ts', { ...env, PORT: String(port), BARE_RESPONSE: response });
  onEnd(bare.stop);
  await waitFor(`${bareUrl}/me`);
  const load = (url: string, { pid }: KeyTarget['api']) =>
    loadRoute(pid, { url: `${url}/me`, headers, connections: 32, duration });
  const measures = { ours: () => load(apiUrl, api), peer: () => load(bareUrl, bare) };
  for (let n = 0; n < warmRounds; n++) for (const measure of Object.values(measures)) await measure();
  const [name, peerName] = [
    'a request with a server key (`GET /me`, warm caches)',
    'a bare Fastify route with the same response',
  ];
  return compareRoutes({ name, peerName, unit: 'requests/s' }, measures);
}

/** An uncached lookup, in a table of a thousand keys and in one of a million. */
async function lookups(stack: Stack, settings: Record<string, string>): Promise<Result> {
  const admin = connectAdmin(stack);
  const db = connect(settings['DATABASE_URL'] ?? '', { max: 1 });
  const services: Services = {
    db,
    keyring: openKeyring(`x:${randomBytes(32).toString('base64')}`),
    wakeRelay: () => {},
    notify: () => {},
  };
  await fill(admin, 1_000);
  const few = await time(services, 1_000);
  await fill(admin, manyKeys);
  const many = await time(services, manyKeys);
  const fewAgain = await time(services, 1_000); // the same keys as before, now among a million
  await Promise.all([admin.destroy(), db.destroy()]);
  return result({
    name: `looking up an uncached key among ${manyKeys.toLocaleString('en')}`,
    value: many,
    unit: 'ms',
    peer: { name: 'among 1,000', value: few },
    ratio: many / few,
    goal: { atMost: 1.2 },
    rounds: 1,
    note: `the first 1,000 among them ${fewAgain.toFixed(2)} ms`,
  });
}

const hashOf = (n: number) => sql`sha256(${String(n)}::bytea)`;

/** Keys 1..max, spread over tenants of a thousand each. */
async function fill(admin: Db, max: number) {
  const rows = sql`generate_series(1 + (select count(*) from directory.api_key_secrets where key_id like 'key_bench%'), ${max}) as n`;
  const tenant = sql`'ten_bench' || (n / 1000)`;
  await sql`insert into tenants (tenant_id, name, plan, api_version) select distinct ${tenant}, 'bench', 'team', 'x' from ${rows} on conflict do nothing`.execute(
    admin,
  );
  await sql`insert into api_keys (tenant_id, id, name, key_type, created_by) select ${tenant}, 'key_bench' || n, 'bench', 'secret_server', 'bench' from ${rows}`.execute(
    admin,
  );
  await sql`insert into api_key_secrets (tenant_id, key_id, version, secret_hash, hint) select ${tenant}, 'key_bench' || n, 1, sha256(n::text::bytea), 'x' from ${rows}`.execute(
    admin,
  );
  await sql`insert into directory.api_key_secrets select sha256(n::text::bytea), ${tenant}, 'key_bench' || n from ${rows}`.execute(
    admin,
  );
  await sql`vacuum analyze`.execute(admin);
}

/** The median lookup in milliseconds among the first `max` keys, chosen at random. */
async function time(services: Services, max: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 4_000; i++) {
    const n = 1 + Math.floor(Math.random() * max);
    const { rows } = await sql<{ hash: Buffer }>`select ${hashOf(n)} as hash`.execute(services.db);
    const hash = rows[0]?.hash ?? Buffer.alloc(32);
    const startedAt = performance.now();
    const location = await findTenantBySecret(services.db, hash);
    if (!location) throw new Error(`key ${n} was not found`);
    const found = await inTenant(
      services,
      asSystem(location.tenantId, 'bench'),
      ({ tx }) => findForUse(tx, location.keyId, hash),
      { readOnly: true },
    );
    if (!found) throw new Error(`key ${n} was not found in its tenant`);
    if (i >= 500) times.push(performance.now() - startedAt);
  }
  return median(times);
}
