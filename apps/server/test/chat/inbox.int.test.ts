import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, aUser, eventsOf, listen, withLoadAllowance, type TestTenant } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, openApi, startWorkerInProcess, type TestBot } from './fixture.ts';
import { until, type SendResponse } from './helpers.ts';
import { readEvents } from './stream-reader.ts';

const { chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
const base = await listen(app);
afterAll(async () => {
  await close();
  await worker.stop();
});

interface Row {
  id: string;
  state: string;
  person: { name: string; isKnown: boolean; isVerified: boolean };
  assignee: { name: string } | null;
  visitorPreview: string;
  waitingSince: string | null;
  snoozedUntil: string | null;
  isUnread: boolean;
  tags: string[];
}
type Agent = Awaited<ReturnType<typeof aUser>>;

let tenant: TestTenant;
let bot: TestBot;
let agent: Agent;
beforeAll(async () => {
  tenant = await aTenant({ plan: 'team' });
  bot = await aBot(tenant);
  agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
});

const ok = <R extends { statusCode: number; body: string }>(response: R) => {
  expect(response.statusCode, response.body).toBeLessThan(300);
  return response;
};
const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error: { reason: string } }).error.reason;

async function aChat(text = 'how much is delivery?', at = bot) {
  const visitor = await aVisitor(app, at);
  const { conversationId } = ok(await visitor.say(text)).json<SendResponse>();
  return {
    visitor,
    conversationId,
    at: `/conversations/${conversationId}`,
    mine: `/widget/conversations/${conversationId}`,
  };
}
type TestChat = Awaited<ReturnType<typeof aChat>>;
async function aWaitingChat(text?: string, at = bot) {
  const chat = await aChat(text, at);
  ok(await chat.visitor.post(`${chat.mine}/handoff`, {}));
  return chat;
}
const listOf = async (query: Record<string, string>, who: Pick<Agent, 'get'> = agent) =>
  ok(await who.get(`/conversations?${new URLSearchParams(query).toString()}`)).json<{
    data: Row[];
    nextCursor: string | null;
  }>();
const rowOf = async ({ at }: { at: string }) => ok(await agent.get(at)).json<{ conversation: Row }>().conversation;

describe('GET /conversations', () => {
  test('shows who wrote, their last message and whether an agent has read it', async () => {
    const chat = await aWaitingChat('Is the harbour office open?');
    const row = (await listOf({ isWaiting: 'true', limit: '100' })).data.find(({ id }) => id === chat.conversationId);
    expect(row).toMatchObject({
      visitorPreview: 'Is the harbour office open?',
      isUnread: true,
      assignee: null,
      person: { name: 'label', isKnown: true, isVerified: false },
    });
    ok(await agent.post(`${chat.at}/read`, { seq: 1_000 }));
    expect(await rowOf(chat)).toMatchObject({ isUnread: false });
    ok(await chat.visitor.say('hello?'));
    expect(await rowOf(chat)).toMatchObject({ isUnread: true, visitorPreview: 'hello?' });
    ok(await agent.post(`${chat.at}/claim`, {}));
    ok(await agent.post(`${chat.at}/replies`, { text: 'Until six.' }));
    expect(await rowOf(chat)).toMatchObject({ isUnread: false, visitorPreview: 'hello?' });
  });

  test('lists those waiting longest first, then the newest, over several pages', async () => {
    const own = await aTenant({ plan: 'team' });
    const ownBot = await aBot(own);
    const quiet = [await aChat('one', ownBot), await aChat('two', ownBot)];
    const waiting = [];
    for (const text of ['three', 'four', 'five']) waiting.push(await aWaitingChat(text, ownBot));
    const expected = [...waiting, ...quiet.toReversed()].map(({ conversationId }) => conversationId);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof listOf>> = await listOf(
        { sort: 'waiting', limit: '2', ...(cursor && { cursor }) },
        own,
      );
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(expected);
    expect((await listOf({ isUnassigned: 'true', isWaiting: 'true' }, own)).data).toHaveLength(3);
    expect((await listOf({ isOpen: 'true' }, own)).data).toHaveLength(3);
    expect((await listOf({ isOpen: 'false' }, own)).data).toHaveLength(2);
  });

  test('a visitor waits again from the first message that no agent has replied to', async () => {
    const chat = await aWaitingChat();
    ok(await agent.post(`${chat.at}/claim`, {}));
    expect((await rowOf(chat)).waitingSince).toBeNull();
    ok(await chat.visitor.say('first'));
    const { waitingSince } = await rowOf(chat);
    expect(waitingSince).not.toBeNull();
    ok(await chat.visitor.say('second'));
    expect((await rowOf(chat)).waitingSince).toBe(waitingSince);
    ok(await agent.post(`${chat.at}/replies`, { text: 'Here.' }));
    expect((await rowOf(chat)).waitingSince).toBeNull();
  });

  test('uses an index for each view of 20,000 conversations', async () => {
    const many = await aTenant({ plan: 'team' });
    const manyBot = await aBot(many);
    await sql`insert into conversations (tenant_id, id, environment_id, bot_id, version_id, visitor_id, state, assignee_id,
        waiting_since, last_message_at, expires_at)
      select ${many.tenantId}, 'conv_' || lpad(n::text, 26, '0'), ${many.environmentId}, ${manyBot.botId}, ${manyBot.versionId},
        'vis_' || lpad(n::text, 26, '0'), case when n % 1000 = 0 then 'human' else 'closed' end, ${agent.userId},
        case when n % 2000 = 0 then now() - interval '1 minute' end, now() - n * interval '1 minute', now() + interval '1 day'
      from generate_series(1, 20000) as n`.execute(admin);
    await sql`analyze conversations`.execute(admin);
    for (const query of [
      { sort: 'waiting', limit: '25' },
      { sort: 'waiting', isOpen: 'true', assigneeId: agent.userId },
      { isWaiting: 'true', sort: 'waiting' },
    ]) {
      const start = performance.now();
      const { data } = await listOf(query, many);
      expect(data.length, JSON.stringify(query)).toBeGreaterThan(0);
      expect(performance.now() - start, JSON.stringify(query)).toBeLessThan(1_000);
    }
  });
});

describe('POST /conversations/{id}/reopen', () => {
  test('returns a closed conversation to the state it had, with its assignee', async () => {
    const chat = await aWaitingChat();
    ok(await agent.post(`${chat.at}/close`));
    ok(await agent.post(`${chat.at}/reopen`));
    expect(await rowOf(chat)).toMatchObject({ state: 'waiting_human' });
    ok(await agent.post(`${chat.at}/claim`, {}));
    ok(await agent.post(`${chat.at}/close`));
    ok(await agent.post(`${chat.at}/reopen`));
    expect(await rowOf(chat)).toMatchObject({ state: 'human', waitingSince: null });
    ok(await agent.post(`${chat.at}/replies`, { text: 'One more thing.' }));
  });

  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  test.each([
    [
      'one that waits for an agent',
      async ({ at }: TestChat) => ok(await tenant.post(`${at}/assign`, { assigneeId: agent.userId })),
      'waiting_human',
    ],
    [
      'an unanswered one',
      async ({ at, visitor }: TestChat) => {
        ok(await agent.post(`${at}/claim`, {}));
        ok(await visitor.say('hello?'));
      },
      'human',
    ],
    [
      'a snoozed one',
      async ({ at }: TestChat) => {
        ok(await agent.post(`${at}/claim`, {}));
        ok(await agent.post(`${at}/snooze`, { until: inMs(3_600_000) }));
      },
      'human',
    ],
  ])('undoes closing %s: same assignee, wait and snooze', async (_, prepare, state) => {
    const chat = await aWaitingChat();
    await prepare(chat);
    const { assignee, waitingSince, snoozedUntil } = await rowOf(chat);
    expect(waitingSince).not.toBeNull();
    const before = { state, assignee: { ...assignee, id: agent.userId }, waitingSince, snoozedUntil };
    ok(await agent.post(`${chat.at}/close`));
    expect(await rowOf(chat)).toMatchObject({ state: 'closed', waitingSince: null, snoozedUntil: null });
    ok(await tenant.post(`${chat.at}/reopen`));
    expect(await rowOf(chat)).toMatchObject(before);
    const { data } = ok(await tenant.get(`${chat.at}/timeline?limit=1`)).json<{ data: { data: object }[] }>();
    // Visitors see who has the conversation, not that the colleague who reopened it has joined.
    expect(data[0]?.data).toEqual({
      state,
      reopenedBy: { id: tenant.userId, name: 'Test Person' },
      ...(state === 'human' && { agent: { id: agent.userId, name: 'Test Person' } }),
    });
    if (state !== 'waiting_human') return;
    const timers = sql`select from directory.timers where kind = 'waiting' and subject_id = ${chat.conversationId}`;
    expect((await timers.execute(admin)).rows).toHaveLength(1);
  });

  test('waits again if the assignee has left the organisation', async () => {
    const former = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
    const chat = await aWaitingChat();
    ok(await former.post(`${chat.at}/claim`, {}));
    ok(await former.post(`${chat.at}/close`));
    await admin.deleteFrom('memberships').where('userId', '=', former.userId).execute();
    ok(await agent.post(`${chat.at}/reopen`));
    expect(await rowOf(chat)).toMatchObject({ state: 'waiting_human', assignee: null });
    expect((await rowOf(chat)).waitingSince).not.toBeNull();
  });

  test('returns 409 newer_conversation when the visitor has started another one', async () => {
    const chat = await aChat();
    ok(await agent.post(`${chat.at}/close`));
    const next = ok(await chat.visitor.say('how much is delivery?')).json<SendResponse>();
    expect(next.conversationId).not.toBe(chat.conversationId);
    const response = await agent.post(`${chat.at}/reopen`);
    expect(response.statusCode).toBe(409);
    expect(reasonOf(response)).toBe('newer_conversation');
  });
});

describe('POST /conversations/{id}/snooze', () => {
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

  test('takes the conversation out of the waiting list until then', async () => {
    const chat = await aWaitingChat();
    ok(await agent.post(`${chat.at}/snooze`, { until: inMs(3_600_000) }));
    const isListed = async (query: Record<string, string>) =>
      (await listOf({ ...query, limit: '100' })).data.some(({ id }) => id === chat.conversationId);
    expect(await isListed({ isWaiting: 'true' })).toBe(false);
    expect(await isListed({ isSnoozed: 'true' })).toBe(true);
    await sql`update conversations set snoozed_until = now() - interval '1 second', waiting_since = now() - interval '1 second'
      where id = ${chat.conversationId}`.execute(admin);
    expect(await isListed({ isWaiting: 'true' })).toBe(true);
    expect(await isListed({ isSnoozed: 'true' })).toBe(false);
  });

  test.each([
    ['claimed', true],
    ['unclaimed', false],
  ])('of a conversation that is %s ends when the visitor writes, also after days of silence', async (_, isClaimed) => {
    const chat = await aWaitingChat();
    if (isClaimed) ok(await agent.post(`${chat.at}/claim`, {}));
    ok(await agent.post(`${chat.at}/snooze`, { until: inMs(5 * 86_400_000) }));
    await sql`update conversations set last_message_at = now() - interval '2 days' where id = ${chat.conversationId}`.execute(
      admin,
    );
    await sql`delete from directory.timers where subject_id = ${chat.conversationId}`.execute(admin);
    const snoozes = async () =>
      (await eventsOf(tenant.tenantId)).filter((type) => type === 'conversation.snoozed').length;
    const before = await snoozes();
    const next = ok(await chat.visitor.say('still there?')).json<SendResponse>();
    expect(next.conversationId).toBe(chat.conversationId);
    const row = await rowOf(chat);
    expect(row.snoozedUntil).toBeNull();
    expect(Date.parse(row.waitingSince ?? '')).toBeLessThanOrEqual(Date.now());
    expect(await snoozes()).toBe(before + 1);
    const timers = sql`select from directory.timers where kind = 'waiting' and subject_id = ${chat.conversationId}`;
    expect((await timers.execute(admin)).rows).toHaveLength(1);
  });

  test('outlives a reply: the conversation still returns when it ends', async () => {
    const chat = await aWaitingChat();
    ok(await agent.post(`${chat.at}/claim`, {}));
    ok(await agent.post(`${chat.at}/snooze`, { until: inMs(3_600_000) }));
    ok(await agent.post(`${chat.at}/replies`, { text: 'I will ask the workshop.' }));
    const row = await rowOf(chat);
    expect(row.snoozedUntil).not.toBeNull();
    expect(row.waitingSince).toBe(row.snoozedUntil);
  });

  test('returns 400 for the past and for more than 90 days, and 409 for the bot’s conversation', async () => {
    const chat = await aWaitingChat();
    for (const until of [inMs(-1_000), inMs(91 * 86_400_000)])
      expect((await agent.post(`${chat.at}/snooze`, { until })).statusCode).toBe(400);
    const other = await aChat();
    expect((await agent.post(`${other.at}/snooze`, { until: inMs(60_000) })).statusCode).toBe(409);
  });
});

describe('tags', () => {
  test('are found by the filter, case doesn’t matter, and are listed with their number', async () => {
    const chat = await aChat();
    ok(await agent.put(`${chat.at}/tags`, { tags: ['Refund', 'refund', 'Zürich'] }));
    expect((await rowOf(chat)).tags).toEqual(['refund', 'zürich']);
    expect((await listOf({ tag: 'REFUND' })).data.map(({ id }) => id)).toEqual([chat.conversationId]);
    const { data } = ok(await agent.get('/inbox/tags')).json<{ data: { tag: string; conversations: number }[] }>();
    expect(data).toContainEqual({ tag: 'refund', conversations: 1 });
    ok(await agent.put(`${chat.at}/tags`, { tags: [] }));
    expect((await listOf({ tag: 'refund' })).data).toEqual([]);
  });

  test('publish conversation.tagged, and are erased with the conversation', async () => {
    const chat = await aChat();
    ok(await agent.put(`${chat.at}/tags`, { tags: ['private matter'] }));
    expect(await eventsOf(tenant.tenantId)).toContain('conversation.tagged');
    ok(await chat.visitor.del('/widget/me'));
    expect((await rowOf(chat)).tags).toEqual([]);
    expect((await listOf({ tag: 'private matter' })).data).toEqual([]);
  });
});

describe('GET /inbox/events and /inbox/counts', () => {
  test('reports a visitor who starts to wait, and counts them', async () => {
    const own = await aTenant({ plan: 'team' });
    const ownBot = await aBot(own);
    const chat = await aChat('how much is delivery?', ownBot);
    const stream = await readEvents(`${base}/inbox/events`, { headers: own.headers });
    await stream.waitFor(({ event }) => event === 'inbox.changed');
    const start = Date.now();
    ok(await chat.visitor.post(`${chat.mine}/handoff`, {}));
    await stream.waitFor(({ data }) => (data['conversationIds'] as string[]).includes(chat.conversationId));
    expect(Date.now() - start).toBeLessThan(await withLoadAllowance(2_000));
    expect(ok(await own.get('/inbox/counts')).json()).toMatchObject({
      waiting: 1,
      unassigned: 1,
      mine: 0,
      newest: { conversationId: chat.conversationId, text: 'how much is delivery?' },
    });
    stream.leave();
  });

  test('does not report changes of another tenant', async () => {
    const other = await aTenant({ plan: 'team' });
    const stream = await readEvents(`${base}/inbox/events`, { headers: other.headers });
    await stream.waitFor(({ event }) => event === 'inbox.changed');
    await aWaitingChat();
    expect(stream.events.flatMap(({ data }) => data['conversationIds'] as string[])).toEqual([]);
    stream.leave();
  });
});

test('typing and reading are shown to the other side', async () => {
  const chat = await aWaitingChat();
  ok(await agent.post(`${chat.at}/claim`, {}));
  const theirs = await readEvents(`${base}${chat.mine}/events?after=0`, { headers: chat.visitor.headers });
  const ours = await readEvents(`${base}${chat.at}/events?after=0`, { headers: agent.headers });
  await until(() => Promise.resolve(theirs.events.length > 0 && ours.events.length > 0));
  ok(await agent.post(`${chat.at}/typing`));
  ok(await agent.post(`${chat.at}/read`, { seq: 1_000 }));
  await theirs.waitFor(({ event, data }) => event === 'typing' && data['role'] === 'agent');
  await theirs.waitFor(({ event, data }) => event === 'read' && data['role'] === 'agent');
  ok(await chat.visitor.post(`${chat.mine}/typing`));
  ok(await chat.visitor.post(`${chat.mine}/read`, { seq: 2 }));
  await ours.waitFor(({ event, data }) => event === 'typing' && data['role'] === 'visitor');
  await ours.waitFor(({ event, data }) => event === 'read' && data['seq'] === 2);
  theirs.leave();
  ours.leave();
});

test('the timeline has ratings, feedback, handoff requests, notes and page changes; visitors don’t see the internal ones', async () => {
  const chat = await aChat();
  const say = (text: string, path: string) =>
    chat.visitor.say(text, { context: { pageUrl: `https://shop.example${path}` } });
  ok(await say('how much is delivery?', '/cart'));
  const { reply } = ok(await say('how much is delivery?', '/checkout')).json<SendResponse>();
  ok(await chat.visitor.post(`${chat.mine}/rating`, { messageId: reply?.id, isHelpful: true }));
  ok(await chat.visitor.post(`${chat.mine}/handoff`, {}));
  ok(await agent.post(`${chat.at}/claim`, {}));
  ok(await agent.post(`${chat.at}/notes`, { text: 'A regular.' }));
  ok(await agent.post(`${chat.at}/close`));
  ok(await chat.visitor.post(`${chat.mine}/rating`, { rating: 5, comment: 'Quick!' }));
  const { data } = ok(await agent.get(`${chat.at}/timeline`)).json<{ data: { type: string; data: object }[] }>();
  const types = data.map(({ type }) => type);
  for (const type of ['message.feedback', 'conversation.rated', 'note.created', 'page.visited', 'conversation.updated'])
    expect(types).toContain(type);
  expect(data.find(({ type }) => type === 'conversation.rated')?.data).toMatchObject({ rating: 5, comment: 'Quick!' });
  const seen = ok(await chat.visitor.get(`${chat.mine}/events?after=0`)).body;
  for (const secret of ['A regular.', 'page.visited', '/checkout']) expect(seen).not.toContain(secret);
});
