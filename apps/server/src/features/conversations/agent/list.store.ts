import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { State, type Conversation, type ListConversations } from '../conversations.contract.ts';
import { conversationColumns } from '../conversations.store.ts';
import { parseQuery } from '../search/tokens.ts';
import { conditionsOf, countRows } from '../search/tokens.store.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** Newest message first. The cursor is a conversation id; its time is read from the row. */
export async function list(tx: Tx, filter: ListConversations, after: string | undefined, max: number) {
  const conditions = filter.q === undefined ? [] : await searchConditions(tx, filter.q);
  if (!conditions) return [];
  let query = tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .orderBy('lastMessageAt', 'desc')
    .orderBy('id', 'desc')
    .limit(max);
  for (const name of ['state', 'botId', 'environmentId', 'assigneeId', 'contactId', 'rating'] as const) {
    const value = filter[name];
    if (value !== undefined) query = query.where(name, '=', value);
  }
  if (filter.since !== undefined) query = query.where('lastMessageAt', '>=', new Date(filter.since));
  if (filter.until !== undefined) query = query.where('lastMessageAt', '<', new Date(filter.until));
  if (!filter.includeTests) query = query.where('isTest', '=', false);
  for (const condition of conditions) query = query.where(condition);
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
  if (!parts) return query.$narrowType<Conversation>().execute();
  const { rows } = await sql<Conversation>`
    select page.* from ${parts.each} as part, lateral (${query.where(parts.condition)}) as page
    order by page.last_message_at desc, page.id desc limit ${max}`.execute(tx);
  return rows;
}

/** Parts of the list that an index has in order. undefined: another filter has its own index. */
function partsOf({ q, assigneeId, rating, contactId, state, botId, environmentId }: ListConversations) {
  const ownIndex = [q, assigneeId, rating, contactId];
  if (ownIndex.some((value) => value !== undefined)) return undefined;
  if (botId !== undefined || environmentId !== undefined)
    return {
      each: sql`(select b.id as bot_id, e.id as environment_id from bots b, environments e
        where b.id = ${botId ?? sql`b.id`} and e.id = ${environmentId ?? sql`e.id`})`,
      condition: sql<boolean>`conversations.bot_id = part.bot_id and conversations.environment_id = part.environment_id`,
    };
  if (state !== undefined) return undefined;
  return {
    each: sql`(select unnest(${State.options}::text[]) as state)`,
    condition: sql<boolean>`conversations.state = part.state`,
  };
}

/** Up to this many matches are listed by id. With more, the newest conversations are tested until the page is full. */
const maxEnumerated = 1_000;
/** Number of tokens the planner may reorder. With more, planning would take longer than the search. */
const maxPlanned = 4;

/** Conditions for a search query. undefined: nothing can match. */
async function searchConditions(tx: Tx, q: string): Promise<RawBuilder<boolean>[] | undefined> {
  const text = q.trim();
  if (/^conv_[0-9a-z]{26}$/.test(text)) return [sql`conversations.id = ${text}`];
  const query = parseQuery(text);
  if (!query) return undefined;
  const conditions = conditionsOf(query);
  const counts = await countRows(tx, conditions, maxEnumerated);
  if (counts[0]?.total === 0) return undefined;
  return counts.map(({ ordinal, total }, rank) => {
    const rows = sql`conversation_tokens where ${conditions[ordinal]}`;
    if (rank === 0 && total <= maxEnumerated)
      return sql`conversations.id = any (array(select conversation_id from ${rows}))`;
    const match = sql`select from ${rows} and conversation_id = conversations.id`;
    return rank < maxPlanned ? sql`exists (${match})` : sql`exists (${match} offset 0)`;
  });
}
