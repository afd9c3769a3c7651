import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import type { DB } from '../../../platform/db-types.ts';
import type { Tx } from '../../../platform/db.ts';
import { parseQuery, tagToken } from '../../../platform/search-tokens.ts';
import { searchConditions, type TokenTable } from '../../../platform/token-search.ts';
import { State, type ListConversations } from '../conversations.contract.ts';
import { conversationColumns } from '../conversations.store.ts';
import type { StoredRow } from '../inbox/people.store.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

const rowColumns = [...conversationColumns, 'visitorPreview', 'visitorSeq', 'agentReadSeq', 'visitorReadSeq'] as const;

/** With the columns that only staff see. */
export const findRow = (tx: Tx, id: string) =>
  tx.selectFrom('conversations').select(rowColumns).where('id', '=', id).$narrowType<StoredRow>().executeTakeFirst();

const equalities = [
  'state',
  'botId',
  'environmentId',
  'assigneeId',
  'teamId',
  'contactId',
  'rating',
  'channel',
  'language',
] as const;

/** The cursor is a conversation id; its position is read from the row. */
export async function list(tx: Tx, filter: ListConversations, after: string | undefined, max: number) {
  const conditions = await conditionsOf(tx, filter);
  if (!conditions) return [];
  let query = tx.selectFrom('conversations').select(rowColumns).$narrowType<StoredRow>();
  for (const name of equalities) {
    const value = filter[name];
    if (value !== undefined) query = query.where(name, '=', value);
  }
  if (filter.since !== undefined) query = query.where('lastMessageAt', '>=', new Date(filter.since));
  if (filter.until !== undefined) query = query.where('lastMessageAt', '<', new Date(filter.until));
  if (!filter.includeTests) query = query.where('isTest', '=', false);
  for (const [name, condition] of Object.entries(flags)) {
    const isWanted = filter[name as keyof typeof flags];
    if (isWanted !== undefined) query = query.where(isWanted ? condition : sql<boolean>`not (${condition})`);
  }
  for (const condition of conditions) query = query.where(condition);
  if (filter.sort === 'waiting') return waitingFirst(tx, query, filter, after, max);
  return newestFirst(tx, query, filter, after, max);
}

/** Written out, not as parameters, so that the planner can use partial indexes. */
const flags = {
  isOpen: sql<boolean>`conversations.state in ('waiting_human', 'human')`,
  isWaiting: sql<boolean>`(conversations.waiting_since is not null and conversations.waiting_since <= now())`,
  isUnassigned: sql<boolean>`conversations.assignee_id is null`,
  isSnoozed: sql<boolean>`(conversations.snoozed_until is not null and conversations.snoozed_until > now())`,
};

type RowQuery = SelectQueryBuilder<DB, 'conversations', StoredRow>;

/** Those waiting longest first, then the others by their last message. */
async function waitingFirst(
  tx: Tx,
  query: RowQuery,
  filter: ListConversations,
  after: string | undefined,
  max: number,
): Promise<StoredRow[]> {
  const position = after === undefined ? undefined : await findWaiting(tx, after);
  const isPastWaiting = after !== undefined && position === undefined;
  let rows: StoredRow[] = [];
  if (!isPastWaiting) {
    const waiting = query.where(flags.isWaiting).orderBy('waitingSince').orderBy('id').limit(max);
    rows = await (
      position === undefined
        ? waiting
        : waiting.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('waitingSince', 'id'), '>', tuple(position.waitingSince, position.id)),
          )
    ).execute();
  }
  if (rows.length === max || filter.isWaiting) return rows;
  const others = query.where(sql<boolean>`not ${flags.isWaiting}`);
  return [...rows, ...(await newestFirst(tx, others, filter, isPastWaiting ? after : undefined, max - rows.length))];
}

const findWaiting = (tx: Tx, id: string) =>
  tx
    .selectFrom('conversations')
    .select(['id', 'waitingSince'])
    .where('id', '=', id)
    .where(flags.isWaiting)
    .executeTakeFirst();

/** By the last message. */
async function newestFirst(
  tx: Tx,
  rows: RowQuery,
  filter: ListConversations,
  after: string | undefined,
  max: number,
): Promise<StoredRow[]> {
  let query = rows.orderBy('lastMessageAt', 'desc').orderBy('id', 'desc').limit(max);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('lastMessageAt', 'id'),
        '<',
        selectFrom('conversations')
          .select(['lastMessageAt', 'id'])
          .where('id', '=', after)
          .$asTuple('lastMessageAt', 'id'),
      ),
    );
  }
  const parts = partsOf(filter);
  if (!parts) return query.execute();
  const { rows: found } = await sql<StoredRow>`
    select page.* from ${parts.each} as part, lateral (${query.where(parts.condition)}) as page
    order by page.last_message_at desc, page.id desc limit ${max}`.execute(tx);
  return found;
}

/** Parts of the list that an index has in order. undefined: another filter has its own index. */
function partsOf(filter: ListConversations) {
  const { q, tag, assigneeId, teamId, rating, contactId, isSnoozed, state, isOpen, botId, environmentId } = filter;
  const ownIndex = [q, tag, assigneeId, teamId, rating, contactId, isSnoozed || undefined];
  if (ownIndex.some((value) => value !== undefined)) return undefined;
  if (botId !== undefined || environmentId !== undefined)
    return {
      each: sql`(select b.id as bot_id, e.id as environment_id from bots b, environments e
        where b.id = ${botId ?? sql`b.id`} and e.id = ${environmentId ?? sql`e.id`})`,
      condition: sql<boolean>`conversations.bot_id = part.bot_id and conversations.environment_id = part.environment_id`,
    };
  if (state !== undefined) return undefined;
  const states = isOpen ? ['waiting_human', 'human'] : State.options;
  return {
    each: sql`(select unnest(${states}::text[]) as state)`,
    condition: sql<boolean>`conversations.state = part.state`,
  };
}

const tokenTable: TokenTable = {
  table: 'conversation_tokens',
  token: 'token',
  subjectId: 'conversation_id',
  outerId: 'conversations.id',
};

/** Conditions for a search query. undefined: nothing can match. */
async function conditionsOf(
  tx: Tx,
  { q, tag }: Pick<ListConversations, 'q' | 'tag'>,
): Promise<RawBuilder<boolean>[] | undefined> {
  const text = q?.trim();
  if (text !== undefined && /^conv_[0-9a-z]{26}$/.test(text)) return [sql`conversations.id = ${text}`];
  const query = text === undefined ? undefined : parseQuery(text);
  if (text !== undefined && !query) return undefined;
  const tokens = [...(query?.tokens ?? []), ...(tag === undefined ? [] : [tagToken(tag)])];
  if (!query && tokens.length === 0) return [];
  return searchConditions(tx, tokenTable, { tokens, prefix: query?.prefix });
}
