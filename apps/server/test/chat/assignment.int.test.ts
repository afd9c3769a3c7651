import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { admin, aUser, eventsOf, type TestTenant } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, openApi, startWorkerInProcess, type TestBot } from './fixture.ts';
import { until, type MessageResponse, type SendResponse } from './helpers.ts';
import { settled } from '../settled.ts';

const { chatSettings, restate } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
afterAll(async () => {
  await close();
  await worker.stop();
});

const manual = { mode: 'manual', maxOpen: 5, teamId: null, escalation: null };
interface Conversation {
  id: string;
  state: string;
  assigneeId: string | null;
  teamId: string | null;
}

/** A tenant with available agents, whose conversations are assigned as given. */
async function anInbox(settings: Record<string, unknown>, agentCount = 1) {
  const tenant = await aTenant();
  const bot = await aBot(tenant);
  const agents = await Promise.all(Array.from({ length: agentCount }, () => anAgent(tenant)));
  for (const agent of agents) expect((await agent.put('/me/presence', { status: 'available' })).statusCode).toBe(200);
  const saved = await assignBy(tenant, settings);
  expect(saved.statusCode, saved.body).toBe(200);
  return { tenant, bot, agents };
}
const anAgent = ({ tenantId }: TestTenant) => aUser([{ tenantId, roles: ['agent'] }]);
const assignBy = (tenant: TestTenant, settings: Record<string, unknown>) =>
  tenant.put(`/workspaces/${tenant.workspaceId}/assignment`, { ...manual, ...settings });

async function anotherBot(tenant: TestTenant) {
  const { tenantId, workspaceId } = tenant;
  const botId = newId('bot');
  await admin.insertInto('bots').values({ tenantId, id: botId, workspaceId, name: 'Other' }).execute();
  return aBot({ ...tenant, botId });
}

/** A conversation whose visitor has asked for an agent. */
async function aWaitingChat(bot: TestBot) {
  const visitor = await aVisitor(app, bot);
  const { conversationId: id } = (await visitor.say('how much is delivery?')).json<SendResponse>();
  const ask = () => visitor.post(`/widget/conversations/${id}/handoff`, { reason: 'help' });
  return { id, visitor, ask };
}
async function waiting(bot: TestBot) {
  const chat = await aWaitingChat(bot);
  const response = await chat.ask();
  expect(response.statusCode, response.body).toBe(200);
  return chat.id;
}
const read = async (tenant: TestTenant, id: string) =>
  (await tenant.get(`/conversations/${id}`)).json<{ conversation: Conversation }>().conversation;
const typesOf = async ({ tenantId }: TestTenant) =>
  (await eventsOf(tenantId)).filter((type) => /assigned|escalated|unanswered/.test(type));
const emailsAbout = async (id: string) => {
  const { rows } = await sql<{ recipient: string; minutes: number; isEscalated: boolean }>`
    select recipient, (data ->> 'minutes')::int as minutes, (data ->> 'isEscalated')::boolean as is_escalated
    from directory.emails where kind = 'conversation-waiting' and data ->> 'conversationId' = ${id} order by 2, 1`.execute(
    admin,
  );
  return rows;
};
const timersOf = async (id: string) =>
  (await sql`select from directory.timers where kind = 'waiting' and subject_id = ${id}`.execute(admin)).rows.length;

/** Moves the time at which the visitor asked into the past, as if the minutes had gone by. */
async function passMinutes(id: string, minutes: number) {
  // The first check must be over, or it would see the earlier time as its own.
  const isChecked = async () =>
    (await sql`select from conversations where id = ${id} and waiting_checked_at is not null`.execute(admin)).rows
      .length === 1;
  await until(isChecked);
  await sql`update conversations set waiting_since = waiting_since - make_interval(mins => ${minutes}),
    waiting_checked_at = waiting_checked_at - make_interval(mins => ${minutes}),
    escalated_at = escalated_at - make_interval(mins => ${minutes}) where id = ${id}`.execute(admin);
  await sql`update directory.timers set due_at = due_at - make_interval(mins => ${minutes}), leased_until = '-infinity'
    where kind = 'waiting' and subject_id = ${id}`.execute(admin);
}

describe('round robin', () => {
  test('assigns to the agent who has gone longest without a new one; the conversation keeps waiting', async () => {
    const { tenant, bot, agents } = await anInbox({ mode: 'round_robin' }, 2);
    const assignees: (string | null)[] = [];
    for (let n = 0; n < 4; n++) {
      const { state, assigneeId } = await read(tenant, await waiting(bot));
      expect(state).toBe('waiting_human');
      assignees.push(assigneeId);
    }
    const [first, second] = assignees;
    expect(new Set([first, second])).toEqual(new Set(agents.map(({ userId }) => userId)));
    expect(assignees).toEqual([first, second, first, second]);
    expect((await typesOf(tenant)).filter((type) => type === 'conversation.assigned')).toHaveLength(4);
  });

  test('gives concurrent conversations to agents with room only, and leaves the rest waiting', async () => {
    const { tenant, bot, agents } = await anInbox({ mode: 'round_robin', maxOpen: 2 }, 2);
    // Of several bots: handoffs of one bot wait for each other anyway, at its counters.
    const bots = [bot, await anotherBot(tenant), await anotherBot(tenant), await anotherBot(tenant)];
    const chats = await Promise.all([...bots, ...bots].map(aWaitingChat));
    const responses = await Promise.all(chats.map(({ ask }) => ask()));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(chats.map(() => 200));
    const found = await Promise.all(chats.map(({ id }) => read(tenant, id)));
    const counts = agents.map(({ userId }) => found.filter(({ assigneeId }) => assigneeId === userId).length);
    expect(counts).toEqual([2, 2]);
    expect(found.filter(({ assigneeId }) => assigneeId === null)).toHaveLength(4);
    // Room again: the next one is assigned.
    const one = found.find(({ assigneeId }) => assigneeId === agents[0]?.userId)?.id ?? '';
    expect((await agents[0]?.post(`/conversations/${one}/close`))?.statusCode).toBe(200);
    expect((await read(tenant, await waiting(bot))).assigneeId).toBe(agents[0]?.userId);
  });

  test('chooses no one who is away, without a heartbeat, outside of the team, or without permission', async () => {
    const { tenant, bot, agents } = await anInbox({ mode: 'round_robin' }, 4);
    const [away, lapsed, outsider, viewer] = agents;
    const members = [away, lapsed, viewer].flatMap((agent) => (agent ? [agent.userId] : []));
    const team = await tenant.post('/teams', { name: 'Team', memberIds: members });
    const { id: teamId } = team.json<{ team: { id: string } }>().team;
    expect((await assignBy(tenant, { mode: 'round_robin', teamId })).statusCode).toBe(200);
    await away?.put('/me/presence', { status: 'away' });
    await sql`update agents set seen_at = now() - interval '6 minutes' where user_id = ${lapsed?.userId}`.execute(
      admin,
    );
    await sql`update memberships set roles = '{viewer}' where user_id = ${viewer?.userId}`.execute(admin);
    expect(await read(tenant, await waiting(bot))).toMatchObject({ assigneeId: null, teamId });
    await lapsed?.put('/me/presence', { status: 'available' });
    expect(await read(tenant, await waiting(bot))).toMatchObject({ assigneeId: lapsed?.userId, teamId });
    expect(outsider).toBeDefined();
  });
});

describe('POST /conversations/:id/assign', () => {
  test('sets agent and team without claiming it; the bot says nothing after a claim', async () => {
    const { tenant, bot, agents } = await anInbox({});
    const [agent] = agents;
    const id = await waiting(bot);
    const team = (await tenant.post('/teams', { name: 'Team' })).json<{ team: { id: string } }>().team;
    const assigned = await tenant.post(`/conversations/${id}/assign`, { assigneeId: agent?.userId, teamId: team.id });
    expect(assigned.json()).toMatchObject({
      conversation: { state: 'waiting_human', assigneeId: agent?.userId, teamId: team.id },
    });
    const inTeam = await tenant.get(`/conversations?teamId=${team.id}`);
    expect(inTeam.json()).toMatchObject({ data: [{ id }] });
    expect((await agent?.post(`/conversations/${id}/claim`, {}))?.statusCode).toBe(200);
    expect(await read(tenant, id)).toMatchObject({ state: 'human', assigneeId: agent?.userId });
    expect(await timersOf(id)).toBe(0);
  });

  test('lets a claimed conversation wait again when no one is assigned any more', async () => {
    const { tenant, bot, agents } = await anInbox({});
    const [agent] = agents;
    const id = await waiting(bot);
    await agent?.post(`/conversations/${id}/claim`, {});
    const released = await agent?.post(`/conversations/${id}/assign`, { assigneeId: null });
    expect(released?.json()).toMatchObject({ conversation: { state: 'waiting_human', assigneeId: null } });
    expect(await typesOf(tenant)).toContain('conversation.unassigned');
    expect(await timersOf(id)).toBe(1);
  });

  test('returns 404 for a stranger or a foreign team, 409 when closed, 400 without a change', async () => {
    const { tenant, bot, agents } = await anInbox({});
    const other = await aTenant();
    const foreign = (await other.post('/teams', { name: 'Team' })).json<{ team: { id: string } }>().team;
    const at = `/conversations/${await waiting(bot)}`;
    expect((await tenant.post(`${at}/assign`, { assigneeId: other.userId })).statusCode).toBe(404);
    expect((await tenant.post(`${at}/assign`, { teamId: foreign.id })).statusCode).toBe(404);
    expect((await tenant.post(`${at}/assign`, {})).statusCode).toBe(400);
    expect((await other.post(`${at}/assign`, { assigneeId: null })).statusCode).toBe(404);
    expect((await agents[0]?.post(`${at}/close`))?.statusCode).toBe(200);
    expect((await tenant.post(`${at}/assign`, { assigneeId: null })).statusCode).toBe(409);
  });
});

describe('time limits of a waiting conversation', () => {
  test('escalates once after the minutes set, and emails as each agent chose', async () => {
    const { tenant, bot, agents } = await anInbox({}, 2);
    const [lead, quiet] = agents;
    const settings = { emailAfterMinutes: 5, wantsDigest: false, playsSound: true, showsDesktop: false };
    await lead?.put('/me/notifications', settings);
    await quiet?.put('/me/notifications', { ...settings, emailAfterMinutes: null });
    await assignBy(tenant, { escalation: { afterMinutes: 10, to: { type: 'member', userId: lead?.userId } } });
    const id = await waiting(bot);
    await passMinutes(id, 6);
    await until(async () => (await typesOf(tenant)).includes('conversation.waiting_unanswered'));
    expect(await emailsAbout(id)).toEqual([{ recipient: lead?.email, minutes: 5, isEscalated: false }]);
    expect((await read(tenant, id)).assigneeId).toBeNull();
    await passMinutes(id, 5);
    await until(async () => (await typesOf(tenant)).includes('conversation.escalated'));
    expect(await read(tenant, id)).toMatchObject({ state: 'waiting_human', assigneeId: lead?.userId });
    expect((await emailsAbout(id)).filter(({ isEscalated }) => isEscalated)).toEqual([
      { recipient: lead?.email, minutes: 10, isEscalated: true },
    ]);
    // A changed time limit does not escalate it again.
    await assignBy(tenant, { escalation: { afterMinutes: 30, to: { type: 'all' } } });
    await passMinutes(id, 60);
    await until(async () => (await timersOf(id)) === 0);
    await settled(restate, tenant);
    const types = await typesOf(tenant);
    expect(types.filter((type) => type === 'conversation.escalated')).toHaveLength(1);
    expect(types.filter((type) => type === 'conversation.waiting_unanswered')).toHaveLength(3);
  });

  test('start again when a conversation is reopened that waited when it was closed', async () => {
    const { tenant, bot, agents } = await anInbox({ escalation: { afterMinutes: 5, to: { type: 'all' } } });
    const id = await waiting(bot);
    expect((await agents[0]?.post(`/conversations/${id}/close`))?.statusCode).toBe(200);
    expect(await timersOf(id)).toBe(0);
    expect((await agents[0]?.post(`/conversations/${id}/reopen`))?.statusCode).toBe(200);
    await passMinutes(id, 6);
    await until(async () => (await typesOf(tenant)).includes('conversation.escalated'));
  });

  test('does nothing once an agent has claimed it', async () => {
    const { tenant, bot, agents } = await anInbox({ escalation: { afterMinutes: 5, to: { type: 'all' } } });
    const id = await waiting(bot);
    await passMinutes(id, 4);
    expect((await agents[0]?.post(`/conversations/${id}/claim`, {}))?.statusCode).toBe(200);
    expect(await timersOf(id)).toBe(0);
    await sql`select directory.set_timer('waiting', ${id}, now() - interval '1 hour')
      from (select set_config('app.tenant_id', ${tenant.tenantId}, true)) as tenant`.execute(admin);
    await until(async () => (await timersOf(id)) === 0);
    await settled(restate, tenant);
    expect(await typesOf(tenant)).toEqual([]);
    expect(await emailsAbout(id)).toEqual([]);
  });
});

test('while the team is away, the bot adds the away message and no one is emailed', async () => {
  const { tenant, bot } = await anInbox({ escalation: { afterMinutes: 5, to: { type: 'all' } } });
  const tomorrow = new Date(Date.now() + 2 * 86_400_000).getUTCDay();
  const day = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'][tomorrow];
  const hours = { timeZone: 'UTC', holidays: [], awayMessage: 'Back in two days!', replyMinutes: 30 };
  const at = `/workspaces/${tenant.workspaceId}/business-hours`;
  const weekly = [{ day, opens: '09:00', closes: '17:00' }];
  expect((await tenant.put(at, { ...hours, weekly })).statusCode).toBe(200);
  const chat = await aWaitingChat(bot);
  await chat.ask();
  const { data } = (await chat.visitor.get(`/widget/conversations/${chat.id}/messages`)).json<{
    data: MessageResponse[];
  }>();
  expect(data[0]?.text).toContain('Back in two days!');
  const written = await (await aVisitor(app, bot)).say('I want to speak to a person');
  expect(written.json<SendResponse>().reply?.text).toContain('Back in two days!');
  await passMinutes(chat.id, 60);
  await settled(restate, tenant);
  expect((await typesOf(tenant)).filter((type) => /escalated|unanswered/.test(type))).toEqual([]);

  // In the widget, at most five minutes old.
  const setup = await app.inject({
    url: `/cdn/config/${bot.botId}?key=${bot.publicKey}`,
    headers: { origin: 'https://shop.example' },
  });
  expect(setup.json()).toMatchObject({
    availability: { isOpen: false, replyMinutes: 30, awayMessage: 'Back in two days!' },
  });
  expect(setup.headers['cache-control']).toBe('public, max-age=60, stale-while-revalidate=240');
});
