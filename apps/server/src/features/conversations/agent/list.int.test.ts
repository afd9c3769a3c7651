import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, services } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import { State, type ListConversations } from '../conversations.contract.ts';
import { list } from './list.store.ts';

// Lists are merged from parts that an index has in order: states, or pairs of a bot and an environment.

const { tenantId } = await aTenant();
const workspaceId = newId('workspace');
await admin.insertInto('workspaces').values({ tenantId, id: workspaceId, name: 'Lists' }).execute();
const bots = [newId('bot'), newId('bot')];
const environments = [newId('environment'), newId('environment'), newId('environment')];
const versionId = newId('botVersion');
for (const id of bots) await admin.insertInto('bots').values({ tenantId, id, workspaceId, name: 'Lists' }).execute();
for (const id of environments)
  await admin.insertInto('environments').values({ tenantId, id, workspaceId, name: id }).execute();
await sql`insert into bot_versions (tenant_id, id, bot_id, number, content_hash, content, created_by)
  values (${tenantId}, ${versionId}, ${bots[0]}, 1, '', '{}', 'test')`.execute(admin);
/** In every state, bot and environment, and not in the order of their ids. */
const rows = Array.from({ length: 60 }, (_, n) => ({
  tenantId,
  id: newId('conversation'),
  state: State.options[n % 4] ?? 'bot',
  botId: bots[n % 2] ?? '',
  environmentId: environments[n % 3] ?? '',
  versionId,
  rating: n % 10 === 0 ? 5 : null,
  lastMessageAt: new Date(Date.now() - ((n * 37) % 60) * 60_000),
  expiresAt: new Date(Date.now() + 86_400_000),
}));
await admin.insertInto('conversations').values(rows).execute();

const page = (filter: Partial<ListConversations>, after: string | undefined, max: number) =>
  services.db.transaction().execute(async (tx) => {
    await sql`select set_config('app.tenant_id', ${tenantId}, true)`.execute(tx);
    return list(tx, filter as ListConversations, after, max);
  });

test.each<Partial<ListConversations>>([
  {},
  { state: 'waiting_human' },
  { botId: bots[0] },
  { environmentId: environments[2] },
  { botId: bots[1], environmentId: environments[0] },
  { botId: bots[1], state: 'human' },
  { rating: 5 },
])('pages through every conversation once, newest message first: %j', async (filter) => {
  const matching = rows.filter((row) =>
    Object.entries(filter).every(([name, value]) => row[name as 'state'] === value),
  );
  const expected = matching.toSorted((a, b) => b.lastMessageAt.getTime() - a.lastMessageAt.getTime());
  const seen: string[] = [];
  for (;;) {
    const next = await page(filter, seen.at(-1), 7);
    seen.push(...next.map(({ id }) => id));
    if (next.length < 7) break;
  }
  expect(seen).toEqual(expected.map(({ id }) => id));
});
