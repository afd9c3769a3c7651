import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { PlanName } from '../../entitlements/entitlements.contract.ts';
import type { TenantHit } from './tenants.operator.contract.ts';
import { TenantStatus } from '../tenants.contract.ts';
import type { Wanted } from './tenant-queries.ts';

/** Of those who look for something, more than anybody reads through; of what they look through, what takes milliseconds. */
export const maxFound = 25;
const maxCandidates = 500;

// Plans are made once and used for every value, so nothing below needs to know one to find its index: beginnings are
// ranges, limits are written out.

interface State {
  status?: TenantStatus | undefined;
  plan?: string | undefined;
}
type Row = Omit<TenantHit, 'foundBy'>;

/** Each pair of status and plan that is asked for: the index has them in order, so none is walked past. */
const pairs = ({ status, plan }: State) =>
  sql`unnest(${status ? [status] : TenantStatus.options}::text[]) as wanted_status,
    unnest(${plan ? [plan] : PlanName.options}::text[]) as wanted_plan`;

/** No id comes after it: their first character is at most 7. */
const afterAll = 'ten_z';
const lastCharacter = '\u{10FFFF}';

/** Newest first: a tenant's id begins with its time. */
export const newestTenants = (db: Db, state: State, before: string | undefined, limit: number): Promise<Row[]> =>
  acrossTenants(db, async (tx) => {
    const { rows } = await sql<Row>`
      select tenant.* from ${pairs(state)}, lateral (
        select tenant_id as id, name, plan, status, created_at from tenants
        where status = wanted_status and plan = wanted_plan and tenant_id collate "C" < ${before ?? afterAll}
        order by tenant_id collate "C" desc limit ${sql.lit(limit)}) as tenant
      order by id collate "C" desc limit ${sql.lit(limit)}`.execute(tx);
    return rows;
  });

interface Found {
  id: string;
  text: string;
  isExact: boolean;
}
export type Look = { kind: TenantHit['foundBy'][number]['kind'] } & Found;

/** Everything that the tokens can be, looked for one after the other in one snapshot. */
export const findTenants = (db: Db, wanted: Wanted, state: State): Promise<{ looks: Look[]; rows: Row[] }> =>
  acrossTenants(db, async (tx) => {
    const looks: Look[] = [];
    const add = (kind: Look['kind'], found: Found[]) => looks.push(...found.map((one) => ({ kind, ...one })));
    if (wanted.id !== undefined) add('id', await byId(tx, wanted.id));
    if (wanted.key) add('key', await byKey(tx, wanted.key));
    if (wanted.host !== undefined) add('domain', await byHost(tx, wanted.host));
    if (wanted.address !== undefined) add('member', await byAddress(tx, wanted.address));
    if (wanted.name !== undefined) add('name', await byName(tx, wanted.name, state));
    return { looks, rows: await readTenants(tx, looks, state) };
  });

/** Padded with the first and the last character that an id can have, so that any order of letters serves. */
const byId = (tx: Tx, start: string) =>
  run(
    tx,
    sql`select tenant_id as id, tenant_id as text, tenant_id = ${start} as is_exact from tenants
    where tenant_id between rpad(${start}, 30, '0') and rpad(${start}, 30, 'z') order by tenant_id desc limit ${sql.lit(maxCandidates)}`,
  );

const byKey = (tx: Tx, { ending, prefix }: NonNullable<Wanted['key']>) =>
  run(
    tx,
    sql`select tenant_id as id, hint as text, true as is_exact from api_key_secrets
    where right(hint, 4) = ${ending} and (${prefix ?? null}::text is null or starts_with(hint, ${prefix ?? ''}))
    limit ${sql.lit(maxCandidates)}`,
  );

/** Planned as if all were read, and stopped at the limit: planned for the limit, it would walk through every bot. */
async function byHost(tx: Tx, host: string): Promise<Found[]> {
  const { rows } = await sql<{ id: string; origins: string[] }>`
    with found as materialized (
      select tenant_id as id, allowed_origins as origins from bots where domains_of(allowed_origins) @> array[${host}])
    select * from found limit ${sql.lit(maxCandidates)}`.execute(tx);
  const isThere = (origin: string) => `.${hostOf(origin)}`.endsWith(`.${host}`);
  return rows.map(({ id, origins }) => ({ id, text: origins.find(isThere) ?? host, isExact: true }));
}
const hostOf = (origin: string) => /^[a-z]+:\/\/(?:\*\.)?([^/:]+)/i.exec(origin)?.[1]?.toLowerCase() ?? '';

/** In the order of the index, in which a whole address comes before longer ones. */
const byAddress = (tx: Tx, start: string) =>
  run(
    tx,
    sql`with people as materialized (
      select user_id, email from directory.users
      where lower(email) ~>=~ ${start} and lower(email) ~<~ ${start + lastCharacter}
      order by lower(email) using ~<~ limit ${sql.lit(maxCandidates)})
    select tenant_id as id, email as text, lower(email) = ${start} as is_exact
    from people, lateral (
      select tenant_id from directory.user_tenants as theirs where theirs.user_id = people.user_id limit ${sql.lit(maxFound)}) as place
    limit ${sql.lit(maxCandidates)}`,
  );

/** What is typed as it stands in a name; and if that is not enough, its tokens wherever they stand. */
async function byName(tx: Tx, typed: string, state: State): Promise<Found[]> {
  const { rows } = await sql<{ tokens: string }>`select left(name_tokens(${typed}), 60) as tokens`.execute(tx);
  const tokens = rows[0]?.tokens ?? '';
  if (tokens === '') return [];
  const max = maxFound * 2; // a name may have the same token twice
  const inOrder = await run(
    tx,
    sql`select id, name as text, found.tokens = ${tokens} as is_exact from (
      select * from ${beginning(tokens, state, max)} order by tokens, id desc limit ${sql.lit(max)}) as found
      join tenants on tenant_id = id
    order by found.tokens, id desc`,
  );
  if (!tokens.includes(' ') || new Set(inOrder.map(({ id }) => id)).size >= maxFound) return inOrder;
  return [...inOrder, ...(await apart(tx, tokens.split(' '), state))];
}

/** Names with a token that begins so: of each status and plan so many, in the order of the tokens. */
const beginning = (tokens: string, state: State, max: number) => sql`(
  select wanted_status, wanted_plan, found_token.* from ${pairs(state)}, lateral (
    select tenant_id as id, tokens from directory.tenant_name_tokens
    where status = wanted_status and plan = wanted_plan and tokens >= ${tokens} and tokens < ${tokens + lastCharacter}
    order by tokens, tenant_id desc limit ${sql.lit(max)}) as found_token) as matches`;

/** Names that are read one by one, shared among the pairs of status and plan that are asked for. */
const maxWalked = 4_500;
const shareOf = ({ status, plan }: State) =>
  maxWalked / ((status ? 1 : TenantStatus.options.length) * (plan ? 1 : PlanName.options.length));

/**
 * Words that stand anywhere in a name. First among hundreds of names of each status and plan that have the longest of
 * them, as the others are near it or it is in few; else by the index of all tokens, whose work grows with how many have them.
 */
async function apart(tx: Tx, tokens: readonly string[], state: State): Promise<Found[]> {
  const longest = tokens.toSorted((one, other) => other.length - one.length)[0] ?? '';
  const max = shareOf(state);
  const names = sql`lateral (select name from tenants where tenant_id = id limit 1) as tenant`;
  const hasAll = sql`' ' || name_tokens(name) like all (${tokens.map((token) => `% ${token}%`)})`;
  const walked = await run(
    tx,
    sql`with begun as materialized (select id from ${beginning(longest, state, max)})
    select id, name as text, false as is_exact from begun, ${names} where ${hasAll} limit ${sql.lit(maxFound)}`,
  );
  if (walked.length >= maxFound) return walked;
  const { rows } = await sql`select 1 from ${beginning(longest, state, max)}
    group by wanted_status, wanted_plan having count(*) = ${sql.lit(max)} limit 1`.execute(tx);
  if (rows.length === 0) return walked;
  const all = tokens.map((token) => `${token}:*`).join(' & ');
  return run(
    tx,
    sql`with found as materialized (
      select tenant_id as id, name as text from tenants where to_tsvector('simple', name) @@ to_tsquery('simple', ${all}))
    select id, text, false as is_exact from found limit ${sql.lit(maxCandidates)}`,
  );
}

async function run(tx: Tx, query: ReturnType<typeof sql>): Promise<Found[]> {
  return (await query.execute(tx)).rows as Found[];
}

/** One by one, by their key: joined, a thousand of them would make the database read the whole table. */
async function readTenants(tx: Tx, looks: readonly Look[], { status, plan }: State): Promise<Row[]> {
  const ids = [...new Set(looks.map(({ id }) => id))];
  const { rows } = await sql<Row>`
    select tenant.* from unnest(${ids}::text[]) as wanted, lateral (
      select tenant_id as id, name, plan, status, created_at from tenants where tenant_id = wanted limit 1) as tenant
    where status = any (${status ? [status] : TenantStatus.options}) and plan = any (${plan ? [plan] : PlanName.options})`.execute(
    tx,
  );
  return rows;
}

/** Whom ids of people mean, in either pool: for those who read who did something. */
export const addressesOf = (db: Db, userIds: readonly string[]): Promise<Map<string, string>> =>
  acrossTenants(db, async (tx) => {
    const { rows } = await sql<{ userId: string; email: string }>`
      select user_id, email from directory.users where user_id = any (${[...new Set(userIds)]})`.execute(tx);
    return new Map(rows.map(({ userId, email }) => [userId, email]));
  });
