import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Conversation, ListConversations } from '../conversations.contract.ts';
import { conversationColumns } from '../conversations.store.ts';
import { wantedTokens } from '../search/tokens.ts';
import { conditionsOf, countRows } from '../search/tokens.store.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** Newest message first; the cursor is a conversation, whose time is looked up. */
export async function list(tx: Tx, filter: ListConversations, after: string | undefined, max: number) {
  const found = filter.q === undefined ? [] : await finding(tx, filter.q);
  if (!found) return [];
  let query = tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .orderBy('lastMessageAt', 'desc')
    .orderBy('id', 'desc')
    .limit(max);
  for (const name of ['state', 'botId', 'environmentId', 'assigneeId', 'contactId', 'rating'] as const) {
    const wanted = filter[name];
    if (wanted !== undefined) query = query.where(name, '=', wanted);
  }
  if (filter.since !== undefined) query = query.where('lastMessageAt', '>=', new Date(filter.since));
  if (filter.until !== undefined) query = query.where('lastMessageAt', '<', new Date(filter.until));
  if (!filter.includeTests) query = query.where('isTest', '=', false);
  for (const condition of found) query = query.where(condition);
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
  return query.$narrowType<Conversation>().execute();
}

/** Up to so many conversations are looked at one by one; of more, the newest are tried until the page is full. */
const fewest = 1_000;
/** So many tokens the planner may weigh against each other. More would take it longer than the search. */
const maxWeighed = 4;

/** What a conversation must be to be found. undefined: none can be. */
async function finding(tx: Tx, q: string): Promise<RawBuilder<boolean>[] | undefined> {
  const text = q.trim();
  if (/^conv_[0-9a-z]{26}$/.test(text)) return [sql`conversations.id = ${text}`];
  const wanted = wantedTokens(text);
  if (!wanted) return undefined;
  const conditions = conditionsOf(wanted);
  const counts = await countRows(tx, conditions, fewest);
  if (counts[0]?.times === 0) return undefined;
  return counts.map(({ place, times }, rank) => {
    const rows = sql`conversation_tokens where ${conditions[place]}`;
    if (rank === 0 && times <= fewest) return sql`conversations.id = any (array(select conversation_id from ${rows}))`;
    const tried = sql`select from ${rows} and conversation_id = conversations.id`;
    return rank < maxWeighed ? sql`exists (${tried})` : sql`exists (${tried} offset 0)`;
  });
}
