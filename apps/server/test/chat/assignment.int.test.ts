import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { assignConversation } from '../../src/features/conversations/assignment/assign.ts';
import { checkWaiting } from '../../src/features/conversations/assignment/waiting.ts';
import { waitingEmails } from '../../src/features/conversations/assignment/waiting.emails.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { admin, aUser, countLockWaits, eventsOf, inside, send, services, type TestTenant } from '../harness.ts';
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
  waitingSince: string | null;
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
    // Room again: the visitor who has waited longest gets it, not the next one who asks.
    const one = found.find(({ assigneeId }) => assigneeId === agents[0]?.userId)?.id ?? '';
    const unassigned = found.filter(({ assigneeId }) => assigneeId === null);
    const [oldest] = unassigned.toSorted((a, b) => Date.parse(a.waitingSince ?? '') - Date.parse(b.waitingSince ?? ''));
    expect((await agents[0]?.post(`/conversations/${one}/close`))?.statusCode).toBe(200);
    await until(async () => (await read(tenant, oldest?.id ?? '')).assigneeId === agents[0]?.userId);
    expect((await read(tenant, await waiting(bot))).assigneeId).toBeNull();
  });

  test('assigns those who wait when an agent becomes available, gives one back, or has more room, and to another agent', async () => {
    const { tenant, bot, agents } = await anInbox({ mode: 'round_robin', maxOpen: 1 }, 2);
    const [first, second] = agents;
    for (const agent of agents) await agent.put('/me/presence', { status: 'away' });
    const ids = [await waiting(bot), await waiting(bot), await waiting(bot)];
    const assignees = async () => (await Promise.all(ids.map((id) => read(tenant, id)))).map((one) => one.assigneeId);
    expect(await assignees()).toEqual([null, null, null]);
    await first?.put('/me/presence', { status: 'available' });
    await until(async () => (await assignees())[0] === first?.userId);
    await second?.put('/me/presence', { status: 'available' });
    await until(async () => (await assignees())[1] === second?.userId);
    expect((await assignees())[2]).toBeNull();
    await assignBy(tenant, { mode: 'round_robin', maxOpen: 2 });
    await until(async () => (await assignees())[2] !== null);
    const last = (await assignees())[2];
    const other = agents.find(({ userId }) => userId !== last);
    await tenant.post(`/conversations/${ids[2]}/assign`, { assigneeId: null });
    await until(async () => (await assignees())[2] === other?.userId);
  });

  test('leaves those that were escalated to everyone to everyone', async () => {
    const escalation = { afterMinutes: 5, to: { type: 'all' } };
    const { tenant, bot, agents } = await anInbox({ mode: 'round_robin', escalation });
    const id = await waiting(bot);
    expect((await read(tenant, id)).assigneeId).toBe(agents[0]?.userId);
    await passMinutes(id, 6);
    await until(async () => (await typesOf(tenant)).includes('conversation.escalated'));
    await agents[0]?.put('/me/presence', { status: 'away' });
    await agents[0]?.put('/me/presence', { status: 'available' });
    await settled(restate, tenant);
    expect((await read(tenant, id)).assigneeId).toBeNull();
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
    const unassigned = await waiting(bot);
    expect(await read(tenant, unassigned)).toMatchObject({ assigneeId: null, teamId });
    await lapsed?.put('/me/presence', { status: 'available' });
    expect(await read(tenant, await waiting(bot))).toMatchObject({ assigneeId: lapsed?.userId, teamId });
    await until(async () => (await read(tenant, unassigned)).assigneeId === lapsed?.userId);
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

  test('lets the visitor of a claimed conversation wait for the colleague who gets it', async () => {
    const { tenant, bot, agents } = await anInbox({}, 2);
    const [agent, colleague] = agents;
    await colleague?.put('/me/presence', { status: 'away' });
    const id = await waiting(bot);
    await agent?.post(`/conversations/${id}/claim`, {});
    expect(await read(tenant, id)).toMatchObject({ waitingSince: null });
    await agent?.post(`/conversations/${id}/assign`, { assigneeId: colleague?.userId, note: 'Can you help?' });
    const assigned = await read(tenant, id);
    expect(assigned).toMatchObject({ state: 'human', assigneeId: colleague?.userId });
    expect(assigned.waitingSince).not.toBeNull();
    expect(await timersOf(id)).toBe(1);
    await passMinutes(id, 16);
    await until(async () => (await emailsAbout(id)).length > 0);
    expect(await emailsAbout(id)).toEqual([{ recipient: colleague?.email, minutes: 15, isEscalated: false }]);
    expect((await colleague?.post(`/conversations/${id}/replies`, { text: 'Yes.' }))?.statusCode).toBe(201);
    expect(await timersOf(id)).toBe(0);

    // The same for one that is claimed for them, which waited already.
    const other = await waiting(bot);
    const { waitingSince } = await read(tenant, other);
    await agent?.post(`/conversations/${other}/claim`, { assigneeId: colleague?.userId });
    expect(await read(tenant, other)).toMatchObject({ state: 'human', waitingSince });
    expect(await timersOf(other)).toBe(1);
  });

  test('releases the conversations of a member who was removed, and round robin assigns them', async () => {
    const { tenant, bot, agents } = await anInbox({ mode: 'round_robin' }, 2);
    const [agent, colleague] = agents;
    await colleague?.put('/me/presence', { status: 'away' });
    const [claimed, waits] = [await waiting(bot), await waiting(bot)];
    expect((await agent?.post(`/conversations/${claimed}/claim`, {}))?.statusCode).toBe(200);
    await colleague?.put('/me/presence', { status: 'available' });
    expect((await send('DELETE', `/members/${agent?.userId}`, tenant.headers)).statusCode).toBe(200);
    for (const id of [claimed, waits]) {
      await until(async () => (await read(tenant, id)).assigneeId === colleague?.userId);
      expect(await read(tenant, id)).toMatchObject({ state: 'waiting_human' });
    }
    expect(await timersOf(claimed)).toBe(1);
  });

  test('a team that is deleted meanwhile stays on no open conversation', async () => {
    const { tenant, bot, agents } = await anInbox({});
    const [waits, closed] = [await waiting(bot), await waiting(bot)];
    const { id: teamId } = (await tenant.post('/teams', { name: 'Team' })).json<{ team: { id: string } }>().team;
    await tenant.post(`/conversations/${closed}/assign`, { teamId });
    expect((await agents[0]?.post(`/conversations/${closed}/close`))?.statusCode).toBe(200);
    let deleting: Promise<{ statusCode: number }> | undefined;
    await inside(tenant.tenantId, async (ctx) => {
      await assignConversation(ctx, waits, { teamId: teamId as Id<'team'> });
      deleting = send('DELETE', `/teams/${teamId}`, tenant.headers);
      await expect.poll(countLockWaits).toBeGreaterThan(0);
    });
    expect((await deleting)?.statusCode).toBe(200);
    await until(async () => (await read(tenant, waits)).teamId === null);
    expect((await agents[0]?.post(`/conversations/${closed}/reopen`))?.statusCode).toBe(200);
    expect(await read(tenant, closed)).toMatchObject({ state: 'waiting_human', teamId: null });
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

  test('apply to a claimed conversation whose visitor writes; an agent who is there keeps it', async () => {
    const { tenant, bot, agents } = await anInbox({ escalation: { afterMinutes: 6, to: { type: 'all' } } });
    const [agent] = agents;
    const chat = await aWaitingChat(bot);
    await chat.ask();
    await agent?.post(`/conversations/${chat.id}/claim`, {});
    expect(await timersOf(chat.id)).toBe(0);
    await chat.visitor.say('are you there?');
    expect(await timersOf(chat.id)).toBe(1);
    await agent?.post(`/conversations/${chat.id}/replies`, { text: 'Yes.' });
    expect(await timersOf(chat.id)).toBe(0);

    await chat.visitor.say('and now?');
    await passMinutes(chat.id, 8);
    await until(async () => (await typesOf(tenant)).includes('conversation.waiting_unanswered'));
    await settled(restate, tenant);
    expect(await read(tenant, chat.id)).toMatchObject({ state: 'human', assigneeId: agent?.userId });
    await agent?.put('/me/presence', { status: 'away' });
    await passMinutes(chat.id, 8);
    await until(async () => (await typesOf(tenant)).includes('conversation.escalated'));
    expect(await read(tenant, chat.id)).toMatchObject({ state: 'waiting_human', assigneeId: null });
    const claimedBy = { recipient: agent?.email, minutes: 15, isEscalated: false };
    expect(await emailsAbout(chat.id)).toContainEqual(claimedBy);
  });

  test('are due earlier for conversations that wait already when the settings say so', async () => {
    const { tenant, bot } = await anInbox({ escalation: { afterMinutes: 60, to: { type: 'all' } } });
    const id = await waiting(bot);
    await passMinutes(id, 8);
    await until(async () => (await typesOf(tenant)).includes('conversation.waiting_unanswered'));
    await settled(restate, tenant);
    await assignBy(tenant, { escalation: { afterMinutes: 7, to: { type: 'all' } } });
    await until(async () => (await typesOf(tenant)).includes('conversation.escalated'));
  });

  test('that are due within a second are due, so that a clock that is ahead delays none', async () => {
    const { tenant, bot } = await anInbox({});
    const id = (await waiting(bot)) as Id<'conversation'>;
    await settled(restate, tenant);
    await sql`update conversations set waiting_since = now() - interval '4 minutes 59.2 seconds',
      waiting_checked_at = now() - interval '4 minutes 59 seconds' where id = ${id}`.execute(admin);
    const check = () => checkWaiting(services, { tenantId: tenant.tenantId, conversationId: id });
    await check();
    await check();
    expect(await typesOf(tenant)).toEqual(['conversation.waiting_unanswered']);
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

describe('emails about a waiting visitor', () => {
  const settings = { wantsDigest: false, playsSound: true, showsDesktop: false };

  test('go to the team, or to everyone, if the assignee turned them off', async () => {
    const { tenant, bot, agents } = await anInbox({}, 2);
    const [assignee, colleague] = agents;
    await assignee?.put('/me/notifications', { ...settings, emailAfterMinutes: null });
    await colleague?.put('/me/notifications', { ...settings, emailAfterMinutes: 5 });
    const id = await waiting(bot);
    await tenant.post(`/conversations/${id}/assign`, { assigneeId: assignee?.userId });
    await passMinutes(id, 6);
    await until(async () => (await typesOf(tenant)).includes('conversation.waiting_unanswered'));
    expect(await emailsAbout(id)).toEqual([{ recipient: colleague?.email, minutes: 5, isEscalated: false }]);
  });

  test('go to agents who are away, if those who are available want them at another time', async () => {
    const { tenant, bot, agents } = await anInbox({}, 2);
    const [available, away] = agents;
    await available?.put('/me/notifications', { ...settings, emailAfterMinutes: 60 });
    await away?.put('/me/notifications', { ...settings, emailAfterMinutes: 5 });
    await away?.put('/me/presence', { status: 'away' });
    const id = await waiting(bot);
    await passMinutes(id, 6);
    await until(async () => (await typesOf(tenant)).includes('conversation.waiting_unanswered'));
    expect(await emailsAbout(id)).toEqual([{ recipient: away?.email, minutes: 5, isEscalated: false }]);
  });

  test('say how long the visitor has waited, also outside of business hours, and are not sent once they are answered', async () => {
    const { tenant, bot, agents } = await anInbox({});
    const chat = await aWaitingChat(bot);
    await chat.ask();
    const render = async () => {
      const data = { tenantId: tenant.tenantId, conversationId: chat.id, minutes: 15, isEscalated: false };
      const email = { id: 'x', kind: 'conversation-waiting', recipient: 'ada@example.com', data, attempts: 1 };
      return waitingEmails(services, {})['conversation-waiting']?.(email);
    };
    expect(await render()).toBeNull();
    await sql`update conversations set waiting_since = now() - interval '14 hours' where id = ${chat.id}`.execute(
      admin,
    );
    const waits = await render();
    expect(waits?.subject).toBe('A visitor has been waiting for 14 hours');
    expect(waits?.text).toContain('waiting for an agent for 14 hours, and no one has claimed');
    await agents[0]?.post(`/conversations/${chat.id}/claim`, {});
    expect(await render()).toBeNull();
    await chat.visitor.say('hello?');
    await sql`update conversations set waiting_since = now() - interval '3 days' where id = ${chat.id}`.execute(admin);
    expect((await render())?.text).toContain('waiting for a reply for 3 days.');
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
