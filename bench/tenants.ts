import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';
import { connect } from '../apps/server/src/platform/db.ts';
import { startIssuer } from '../apps/server/test/issuer.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { prepare } from '../tools/demo/settings.ts';
import { result, type Result } from './figures/result.ts';
import { median, percentile } from './figures/stats.ts';
import { adminUrl, buildServer, built, withStack } from './servers.ts';

const many = Number(process.env['BENCH_TENANTS'] ?? 1_000_000);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 200);
const goalMs = 200;

/** The operators' search among a million tenants, with every kind of query, over HTTP. */
export async function tenants(): Promise<Result[]> {
  buildServer();
  return withStack(async (stack, onEnd) => {
    const issuer = await startIssuer('admin');
    onEnd(() => issuer.close());
    const settings: Record<string, string> = {
      ...(await prepare(stack)),
      OIDC_ISSUERS: JSON.stringify([issuer.config]),
      EGRESS_OPEN_HOSTS: issuer.host,
      LOG_LEVEL: 'error',
    };
    const url = adminUrl(stack);
    const startedAt = Date.now();
    await fill(url);
    console.log(`${many.toLocaleString('en')} tenants written in ${Math.round((Date.now() - startedAt) / 1_000)} s`);
    const token = await issuer.sign({ sub: await anOperator(url, issuer.issuer) });

    const apiUrl = settings['PUBLIC_URL'] ?? '';
    onEnd(runEntry(built.api, settings).stop);
    await waitFor(`${apiUrl}/health/ready`);
    await measure(apiUrl, token, 'to warm up', () => [{}, 25]);
    const figures: Result[] = [];
    for (const [kind, searchCase] of Object.entries(searchCases))
      figures.push(await measure(apiUrl, token, kind, searchCase));
    return figures;
  });
}

/** The ids of the nth tenant, as `fill` writes them. */
const hex = (n: number) => n.toString(16).padStart(10, '0');
const some = () => 1 + Math.floor(Math.random() * many);

/** A query, and the minimum number of results. */
type SearchCase = () => [query: Record<string, string>, atLeast: number];
const searchCases: Record<string, SearchCase> = {
  'newest first': () => [{}, 25],
  'a page far down': () => [{ cursor: cursorTo(some()) }, 1],
  'suspended, 1 in 1,000': () => [{ status: 'suspended' }, 1],
  'deleted, none': () => [{ status: 'deleted' }, 0],
  'enterprise, 1 in 100': () => [{ plan: 'enterprise' }, 25],
  'suspended and enterprise, 1 in 100,000': () => [{ status: 'suspended', plan: 'enterprise' }, 1],
  'an id': () => [{ query: `ten_01j${hex(some())}` }, 1],
  'the beginning of every id': () => [{ query: 'ten_01j0' }, 25],
  'a name that one has': () => [{ query: `Unique${some()}` }, 1],
  'a word that all have': () => [{ query: 'company' }, 25],
  'one letter that all have': () => [{ query: 'c' }, 25],
  'two letters': () => [{ query: 'bl' }, 25],
  'two words as they stand': () => [{ query: 'Blue Shoes' }, 25],
  'two words apart, in many names': () => [{ query: 'company blue' }, 25],
  'two letters apart': () => [{ query: 'c b' }, 25],
  'three words apart': () => [{ query: 'company shoes blue' }, 25],
  'two common words that no name has together': () => [{ query: 'blue acme' }, 0],
  'a rare word and a common one': () => [{ query: `company unique${some()}` }, 1],
  'a common word, suspended': () => [{ query: 'company', status: 'suspended' }, 1],
  'a common word, deleted': () => [{ query: 'company', status: 'deleted' }, 0],
  'two common words apart, suspended': () => [{ query: 'company blue', status: 'suspended' }, 0],
  'no such name': () => [{ query: 'qqqqqq zzzzzz' }, 0],
  'a key as it is shown': () => [{ query: `pk_live_…${keyEnding(some())}` }, 1],
  'four characters': () => [{ query: keyEnding(some()) }, 1],
  'a domain': () => [{ query: `https://www.shop${some()}.example` }, 1],
  'a domain above a third of all': () => [{ query: 'hosted.example' }, 25],
  'a domain that nobody has': () => [{ query: 'nobody.example' }, 0],
  'an address': () => [{ query: `info.${some()}@mail.example` }, 1],
  'the beginning of every address': () => [{ query: 'info' }, 25],
  'the beginning of every address, suspended': () => [{ query: 'info.', status: 'suspended' }, 0],
  'an address that nobody has': () => [{ query: 'nobody@mail.example' }, 0],
};
const cursorTo = (n: number) => Buffer.from(`ten_01j${hex(n)}${'0'.repeat(13)}`).toString('base64url');
const keyEnding = (n: number) => (n % 1_679_616).toString(36).padStart(4, '0');

async function measure(apiUrl: string, token: string, kind: string, searchCase: SearchCase): Promise<Result> {
  const times: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const [query, atLeast] = searchCase();
    const startedAt = performance.now();
    const response = await fetch(`${apiUrl}/admin/tenants?${new URLSearchParams(query).toString()}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { data } = (await response.json()) as { data?: unknown[] };
    times.push(performance.now() - startedAt);
    if (response.status !== 200 || (data?.length ?? 0) < atLeast)
      throw new Error(`${kind}: ${response.status}, ${data?.length} found for ${JSON.stringify(query)}`);
  }
  return result({
    name: `among ${many.toLocaleString('en')} tenants, ${kind}: slowest of ${rounds}`,
    value: percentile(times, 1),
    unit: 'ms',
    goal: { atMost: goalMs },
    rounds,
    note: `p50 ${median(times).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`,
  });
}

async function anOperator(url: string, issuer: string): Promise<string> {
  await using admin = connect(url, { max: 1 });
  const subject = randomUUID();
  await sql`insert into directory.users (user_id, pool, email, name, platform_roles)
    values ('usr_operator', 'admin', 'operator@parley.example', 'Operator', '{platform_admin}')`.execute(admin);
  await sql`insert into directory.identities values (${issuer}, ${subject}, 'usr_operator')`.execute(admin);
  return subject;
}

/**
 * Each with a bot on its own origin, a key and a member. Inserted in bulk, without indexes until the end: row by row it
 * would take hours.
 */
async function fill(url: string) {
  const client = new Client(url); // without the server's time limit for a query
  await client.connect();
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid = any ($1::regclass[]) and not indisunique`,
    [tables],
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  // Without triggers and foreign keys: their effects are inserted here.
  await client.query('set session_replication_role = replica');
  for (const statement of statements) await client.query(statement);
  for (const { definition } of indexes) await client.query(definition);
  for (const table of tables) await client.query(`vacuum analyze ${table}`);
  await client.end();
}

const tables = [
  'tenants',
  'directory.tenant_name_tokens',
  'bots',
  'api_key_secrets',
  'directory.users',
  'directory.user_tenants',
];

const all = `generate_series(1, ${many}) as n`;
const id = `'ten_01j' || lpad(to_hex(n), 10, '0') || substr(md5(n::text), 1, 13)`;
const base36 = `(select string_agg(substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + (n % 1679616 / (36 ^ p)::int) % 36, 1), '' order by p)
  from generate_series(0, 3) as p)`;
const statements = [
  `insert into tenants (tenant_id, name, plan, status, api_version)
    select ${id}, (array['Blue', 'Acme', 'Nord', 'Sun', 'River', 'Delta', 'Alpha', 'Green', 'Stone', 'Hill'])[1 + n % 10] || ' '
      || (array['Shoes', 'Books', 'Foods', 'Games', 'Tools', 'Bank', 'Garden', 'Travel', 'Media', 'Health', 'Sports'])[1 + n % 11]
      || ' Unique' || n || ' Company',
      case when n % 100 = 0 then 'enterprise' when n % 10 = 0 then 'team' else 'free' end,
      case when n % 1000 = 7 or n % 100000 = 100 then 'suspended' else 'active' end, '2026-11-14' from ${all}`,
  `insert into directory.tenants select tenant_id from tenants`,
  `insert into directory.tenant_name_tokens select tenant_id, place, tokens, status, plan from tenants, directory.name_tokens_of(name)`,
  `insert into bots (tenant_id, id, workspace_id, name, allowed_origins)
    select ${id}, 'bot_' || n, 'wsp_' || n, 'Bot', array['https://www.shop' || n || '.example']
      || case when n % 3 = 0 then array['https://s' || n || '.hosted.example'] else '{}' end from ${all}`,
  `insert into api_key_secrets (tenant_id, key_id, version, secret_hash, hint)
    select ${id}, 'key_' || n, 1, sha256(n::text::bytea), 'pk_live_…' || reverse(${base36}) from ${all}`,
  `insert into directory.users (user_id, pool, email, name)
    select 'usr_' || n, 'customer', 'info.' || n || '@mail.example', 'Member' from ${all}`,
  `insert into directory.user_tenants select 'usr_' || n, ${id} from ${all}`,
];
