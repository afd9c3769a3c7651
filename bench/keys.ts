import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import autocannon from 'autocannon';
import { sql } from 'kysely';
import { findForUse, findTenantBySecret } from '../apps/server/src/features/api-keys/api-keys.store.ts';
import { asSystem, inTenant, type Services } from '../apps/server/src/platform/context.ts';
import { openKeyring } from '../apps/server/src/platform/crypto.ts';
import { connect, type Db } from '../apps/server/src/platform/db.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { raiseReadLimit } from './read-limit.ts';
import { freePort, startStack, type Stack } from '../tools/stack/index.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const manyKeys = Number(process.env['BENCH_KEYS'] ?? 1_000_000);

export async function keys() {
  const stack = await startStack('bench', { keep: false });
  try {
    const settings = await prepare(stack);
    await authentication(stack, settings);
    await lookups(stack, settings);
  } finally {
    await stack.stop();
    rmSync(stack.dir, { recursive: true, force: true });
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The full route (key, tenant, plan, rate limit, contract, log, metrics) with warm caches, compared with a bare Fastify route. */
async function authentication(stack: Stack, settings: Record<string, string>) {
  const demo = await seedDemo(settings);
  await raiseReadLimit(stack, demo.tenantId);
  const headers = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
  const apiUrl = settings['PUBLIC_URL'] ?? '';
  const api = runEntry('apps/server/src/api.ts', { ...settings, LOG_LEVEL: 'info' });
  await waitFor(`${apiUrl}/health/ready`);
  const response = await (await fetch(`${apiUrl}/me`, { headers })).text();

  const port = await freePort();
  const bareUrl = `http://127.0.0.1:${port}`;
  const bare = runEntry('bench/bare.ts', { PORT: String(port), BARE_RESPONSE: response });
  await waitFor(`${bareUrl}/me`);

  const load = async (url: string) => {
    const result = await autocannon({ url: `${url}/me`, headers, connections: 32, duration: seconds });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
    return result.requests.average;
  };
  for (const url of [bareUrl, apiUrl]) await load(url); // warm
  const [bareRates, ourRates]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    bareRates.push(await load(bareUrl));
    ourRates.push(await load(apiUrl));
  }
  await Promise.all([api.stop(), bare.stop()]);
  const ratio = median(ourRates.map((rate, round) => rate / (bareRates[round] ?? 1)));
  console.log(
    `key authentication: ${Math.round(median(ourRates))} requests/s, bare Fastify ${Math.round(median(bareRates))}/s, ratio ${ratio.toFixed(2)} (goal 0.70 or more)`,
  );
}

/** An uncached lookup, in a table of a thousand keys and in one of a million. */
async function lookups(stack: Stack, settings: Record<string, string>) {
  const admin = connect(Object.assign(new URL(stack.postgres.adminUrl), { pathname: 'parley' }).href, { max: 1 });
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
  console.log(
    `key look-up without cache: ${few.toFixed(3)} ms with 1,000 keys, ${many.toFixed(3)} ms with ${manyKeys.toLocaleString('en')}, ratio ${(many / few).toFixed(2)} (goal 1.20 or less); the first 1,000 among them ${fewAgain.toFixed(3)} ms`,
  );
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
