import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { PlanName } from '../../entitlements/entitlements.contract.ts';
import type { TenantHit } from './tenants.operator.contract.ts';
import { TenantStatus } from '../tenants.contract.ts';
import type { SearchTerms } from './tenant-queries.ts';

/** The maximum number of results, and of rows that are considered for them, which keeps a search at milliseconds. */
export const maxFound = 25;
const maxCandidates = 500;

// PostgreSQL may use a generic plan, so no query depends on parameter values to use its index: prefixes are ranges, and
// limits are literals.

interface TenantFilter {
  status?: TenantStatus | undefined;
  plan?: string | undefined;
}
type Row = Omit<TenantHit, 'foundBy'>;

/** Every requested pair of status and plan. The index starts with both, so each pair is one range scan. */
const pairs = ({ status, plan }: TenantFilter) =>
  sql`unnest(${status ? [status] : TenantStatus.options}::text[]) as status_option,
    unnest(${plan ? [plan] : PlanName.options}::text[]) as plan_option`;

/** Sorts after every id, because the first character of an id is at most 7. */
const afterLastId = 'ten_z';
const lastCharacter = '\u{10FFFF}';

/** Newest first: a tenant's id starts with its creation time. */
export const newestTenants = (
  db: Db,
  filter: TenantFilter,
  before: string | undefined,
  limit: number,
): Promise<Row[]> =>
  acrossTenants(db, async (tx) => {
    const { rows } = await sql<Row>`
      select tenant.* from ${pairs(filter)}, lateral (
        select tenant_id as id, name, plan, status, created_at from tenants
        where status = status_option and plan = plan_option and tenant_id collate "POSIX" < ${before ?? afterLastId}
        order by tenant_id collate "POSIX" desc limit ${sql.lit(limit)}) as tenant
      order by id desc limit ${sql.lit(limit)}`.execute(tx);
    return rows;
  });

interface Candidate {
  id: string;
  text: string;
  isExact: boolean;
}
export type Match = { kind: TenantHit['foundBy'][number]['kind'] } & Candidate;

/** Searches all terms one after the other, in one snapshot. */
export const findTenants = (
  db: Db,
  terms: SearchTerms,
  filter: TenantFilter,
): Promise<{ matches: Match[]; rows: Row[] }> =>
  acrossTenants(db, async (tx) => {
    const matches: Match[] = [];
    const add = (kind: Match['kind'], candidates: Candidate[]) =>
      matches.push(...candidates.map((one) => ({ kind, ...one })));
    if (terms.id !== undefined) add('id', await byId(tx, terms.id));
    if (terms.key) add('key', await byKey(tx, terms.key));
    if (terms.host !== undefined) add('domain', await byHost(tx, terms.host));
    if (terms.email !== undefined) add('member', await byEmail(tx, terms.email));
    if (terms.name !== undefined) add('name', await byName(tx, terms.name, filter));
    return { matches, rows: await readTenants(tx, matches, filter) };
  });

/** Padded with the lowest and highest character of an id, so that it works with any collation. */
const byId = (tx: Tx, start: string) =>
  run(
    tx,
    sql`select tenant_id as id, tenant_id as text, tenant_id = ${start} as is_exact from tenants
    where tenant_id between rpad(${start}, 30, '0') and rpad(${start}, 30, 'z') order by tenant_id desc limit ${sql.lit(maxCandidates)}`,
  );

const byKey = (tx: Tx, { ending, prefix }: NonNullable<SearchTerms['key']>) =>
  run(
    tx,
    sql`select tenant_id as id, hint as text, true as is_exact from api_key_secrets
    where right(hint, 4) = ${ending} and (${prefix ?? null}::text is null or starts_with(hint, ${prefix ?? ''}))
    limit ${sql.lit(maxCandidates)}`,
  );

/** The limit is outside the materialized CTE: with a limit inside, the planner would scan all bots. */
async function byHost(tx: Tx, host: string): Promise<Candidate[]> {
  const { rows } = await sql<{ id: string; origins: string[] }>`
    with found as materialized (
      select tenant_id as id, allowed_origins as origins from bots where domains_of(allowed_origins) @> array[${host}])
    select * from found limit ${sql.lit(maxCandidates)}`.execute(tx);
  const matchesHost = (origin: string) => `.${hostOf(origin)}`.endsWith(`.${host}`);
  return rows.map(({ id, origins }) => ({ id, text: origins.find(matchesHost) ?? host, isExact: true }));
}
const hostOf = (origin: string) => /^[a-z]+:\/\/(?:\*\.)?([^/:]+)/i.exec(origin)?.[1]?.toLowerCase() ?? '';

/** In index order, where an exact email address comes before longer ones. */
const byEmail = (tx: Tx, start: string) =>
  run(
    tx,
    sql`with people as materialized (
      select user_id, email from directory.users
      where lower(email) ~>=~ ${start} and lower(email) ~<~ ${start + lastCharacter}
      order by lower(email) using ~<~ limit ${sql.lit(maxCandidates)})
    select tenant_id as id, email as text, lower(email) = ${start} as is_exact
    from people, lateral (
      select tenant_id from directory.user_tenants as ut where ut.user_id = people.user_id limit ${sql.lit(maxFound)}) as membership
    limit ${sql.lit(maxCandidates)}`,
  );

/** Names that contain the query's tokens in order. If those are too few, also names with its tokens in any position. */
async function byName(tx: Tx, name: string, filter: TenantFilter): Promise<Candidate[]> {
  const { rows } = await sql<{ tokens: string }>`select left(name_tokens(${name}), 60) as tokens`.execute(tx);
  const tokens = rows[0]?.tokens ?? '';
  if (tokens === '') return [];
  const max = maxFound * 2; // a name may have the same token twice
  const inOrder = await run(
    tx,
    sql`select id, name as text, found.tokens = ${tokens} as is_exact from (
      select * from ${tokensWithPrefix(tokens, filter, max)} order by tokens, id desc limit ${sql.lit(max)}) as found
      join tenants on tenant_id = id
    order by found.tokens, id desc`,
  );
  if (!tokens.includes(' ') || new Set(inOrder.map(({ id }) => id)).size >= maxFound) return inOrder;
  return [...inOrder, ...(await byTokensAnywhere(tx, tokens.split(' '), filter))];
}

/** Names with this token prefix, limited per status and plan, in token order. */
const tokensWithPrefix = (tokens: string, filter: TenantFilter, max: number) => sql`(
  select status_option, plan_option, found_token.* from ${pairs(filter)}, lateral (
    select tenant_id as id, tokens from directory.tenant_name_tokens
    where status = status_option and plan = plan_option and tokens >= ${tokens} and tokens < ${tokens + lastCharacter}
    order by tokens, tenant_id desc limit ${sql.lit(max)}) as found_token) as matches`;

/** How many names are scanned, divided by the requested pairs of status and plan. */
const maxScanned = 4_500;
const shareOf = ({ status, plan }: TenantFilter) =>
  maxScanned / ((status ? 1 : TenantStatus.options.length) * (plan ? 1 : PlanName.options.length));

/**
 * Tokens at any position of a name. First scans up to some hundred names per status and plan that have the longest token.
 * If that is not enough, uses the full-text index, whose cost grows with the number of names that have the tokens.
 */
async function byTokensAnywhere(tx: Tx, tokens: readonly string[], filter: TenantFilter): Promise<Candidate[]> {
  const longest = tokens.toSorted((one, other) => other.length - one.length)[0] ?? '';
  const max = shareOf(filter);
  const names = sql`lateral (select name from tenants where tenant_id = id limit 1) as tenant`;
  const hasAll = sql`' ' || name_tokens(name) like all (${tokens.map((token) => `% ${token}%`)})`;
  const scanned = await run(
    tx,
    sql`with prefixed as materialized (select id from ${tokensWithPrefix(longest, filter, max)})
    select id, name as text, false as is_exact from prefixed, ${names} where ${hasAll} limit ${sql.lit(maxFound)}`,
  );
  if (scanned.length >= maxFound) return scanned;
  const { rows } = await sql`select 1 from ${tokensWithPrefix(longest, filter, max)}
    group by status_option, plan_option having count(*) = ${sql.lit(max)} limit 1`.execute(tx);
  if (rows.length === 0) return scanned;
  const all = tokens.map((token) => `${token}:*`).join(' & ');
  return run(
    tx,
    sql`with found as materialized (
      select tenant_id as id, name as text from tenants where to_tsvector('simple', name) @@ to_tsquery('simple', ${all}))
    select id, text, false as is_exact from found limit ${sql.lit(maxCandidates)}`,
  );
}

async function run(tx: Tx, query: ReturnType<typeof sql>): Promise<Candidate[]> {
  return (await query.execute(tx)).rows as Candidate[];
}

/** By primary key in a lateral join: a plain join of a thousand ids would make PostgreSQL scan the whole table. */
async function readTenants(tx: Tx, matches: readonly Match[], { status, plan }: TenantFilter): Promise<Row[]> {
  const ids = [...new Set(matches.map(({ id }) => id))];
  const { rows } = await sql<Row>`
    select tenant.* from unnest(${ids}::text[]) as match_id, lateral (
      select tenant_id as id, name, plan, status, created_at from tenants where tenant_id = match_id limit 1) as tenant
    where status = any (${status ? [status] : TenantStatus.options}) and plan = any (${plan ? [plan] : PlanName.options})`.execute(
    tx,
  );
  return rows;
}

/** Email addresses of users in either pool, by id. */
export const emailsOf = (db: Db, userIds: readonly string[]): Promise<Map<string, string>> =>
  acrossTenants(db, async (tx) => {
    const { rows } = await sql<{ userId: string; email: string }>`
      select user_id, email from directory.users where user_id = any (${[...new Set(userIds)]})`.execute(tx);
    return new Map(rows.map(({ userId, email }) => [userId, email]));
  });
