import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { cursorTime, type TimePosition } from '../../platform/lists.ts';
import { parseQuery, tagToken } from '../../platform/search-tokens.ts';
import { searchConditions, type TokenTable } from '../../platform/token-search.ts';
import type { Contact, ListContacts } from './contacts.contract.ts';
import { contactColumns } from './contacts.store.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

const termTable: TokenTable = {
  table: 'contact_terms',
  token: 'term',
  subjectId: 'contact_id',
  outerId: 'contacts.id',
};

type Row = Contact & { cursorTime: string };

/** Newest seen first. */
export async function list(tx: Tx, filter: ListContacts, after: TimePosition | undefined, max: number): Promise<Row[]> {
  const conditions = await conditionsOf(tx, filter);
  if (!conditions) return [];
  let query = tx
    .selectFrom('contacts')
    .select([...contactColumns, cursorTime('lastSeenAt').as('cursorTime')])
    .where(sql<boolean>`contacts.environment_id = environment.id`)
    .orderBy('lastSeenAt', 'desc')
    .orderBy('id', 'desc')
    .limit(max);
  for (const condition of conditions) query = query.where(condition);
  if (after !== undefined)
    query = query.where(sql<boolean>`(contacts.last_seen_at, contacts.id) < (${after.at}::timestamptz, ${after.id})`);
  // The index has the contacts of each environment in order.
  const environments =
    filter.environmentId === undefined
      ? sql`(select id from environments)`
      : sql`(select id from environments where id = ${filter.environmentId})`;
  const { rows } = await sql<Row>`
    select page.* from ${environments} as environment, lateral (${query}) as page
    order by page.last_seen_at desc, page.id desc limit ${max}`.execute(tx);
  return rows;
}

/** undefined: nothing can match. */
async function conditionsOf(tx: Tx, { q = '', tag }: ListContacts): Promise<RawBuilder<boolean>[] | undefined> {
  const text = q.trim();
  if (/^con_[0-9a-z]{26}$/.test(text)) return [sql`contacts.id = ${text}`];
  const query = parseQuery(text);
  if (text && !query) return undefined;
  const tokens = [...(query?.tokens ?? []), ...(tag === undefined ? [] : [tagToken(tag)])];
  if (!query && tokens.length === 0) return [];
  return searchConditions(tx, termTable, { tokens, prefix: query?.prefix });
}
