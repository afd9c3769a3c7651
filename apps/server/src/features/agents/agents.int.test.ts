import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aKey, aTenant, aUser, as, eventsOf } from '../../../test/harness.ts';

const anAgent = (tenantId: string) => aUser([{ tenantId, roles: ['agent'] }]);
interface AgentsResponse {
  data: { userId: string; status: string; openConversations: number; teamIds: string[] }[];
}
const lapse = (userId: string) =>
  sql`update agents set seen_at = now() - interval '6 minutes' where user_id = ${userId}`.execute(admin);

test('lists members who can reply, with presence and teams', async () => {
  const tenant = await aTenant();
  const agent = await anAgent(tenant.tenantId);
  await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  const team = await tenant.post('/teams', { name: 'Billing', memberIds: [agent.userId] });
  expect((await agent.put('/me/presence', { status: 'available' })).statusCode).toBe(200);
  const { data } = (await agent.get('/agents')).json<AgentsResponse>();
  expect(new Set(data.map(({ userId }) => userId))).toEqual(new Set([tenant.userId, agent.userId]));
  expect(data.find(({ userId }) => userId === agent.userId)).toMatchObject({
    status: 'available',
    openConversations: 0,
    teamIds: [team.json<{ team: { id: string } }>().team.id],
  });
  expect(data.find(({ userId }) => userId === tenant.userId)).toMatchObject({ status: 'away', teamIds: [] });
});

test('is away after five minutes without a heartbeat, and publishes only changes', async () => {
  const tenant = await aTenant();
  const agent = await anAgent(tenant.tenantId);
  const statusNow = async () =>
    (await agent.get('/agents')).json<AgentsResponse>().data.find(({ userId }) => userId === agent.userId)?.status;
  const changes = async () =>
    (await eventsOf(tenant.tenantId)).filter((type) => type === 'agent.presence_changed').length;
  for (const status of ['available', 'available']) await agent.put('/me/presence', { status });
  expect([await statusNow(), await changes()]).toEqual(['available', 1]);
  await lapse(agent.userId);
  expect([await statusNow(), await changes()]).toEqual(['away', 1]);
  await agent.post('/me/presence/heartbeat');
  expect([await statusNow(), await changes()]).toEqual(['available', 2]);
  await agent.put('/me/presence', { status: 'away' });
  expect([await statusNow(), await changes()]).toEqual(['away', 3]);
  const still = await agent.post('/me/presence/heartbeat'); // does not make someone available who chose to be away
  expect(still.json()).toMatchObject({ presence: { status: 'away', availableUntil: null } });
  expect(await changes()).toBe(3);
});

test('stores notification settings per person, with defaults', async () => {
  const tenant = await aTenant();
  const agent = await anAgent(tenant.tenantId);
  const defaults = { emailAfterMinutes: 15, wantsDigest: false, playsSound: true, showsDesktop: false };
  expect((await agent.get('/me/notifications')).json()).toEqual({ notifications: defaults });
  const mine = { emailAfterMinutes: null, wantsDigest: true, playsSound: false, showsDesktop: true };
  expect((await agent.put('/me/notifications', mine)).json()).toEqual({ notifications: mine });
  expect((await agent.get('/me/notifications')).json()).toEqual({ notifications: mine });
  expect((await tenant.get('/me/notifications')).json()).toEqual({ notifications: defaults });
  expect((await agent.put('/me/notifications', { ...mine, emailAfterMinutes: 7 })).statusCode).toBe(400);
});

test('returns 403 user_required to a key, which is not a person', async () => {
  const tenant = await aTenant();
  const key = await aKey(tenant, { permissions: ['conversation.view', 'conversation.reply'] });
  const presence = await as(key.headers).put('/me/presence', { status: 'available' });
  expect([presence.statusCode, presence.json<{ error: { reason: string } }>().error.reason]).toEqual([
    403,
    'user_required',
  ]);
  expect((await as(key.headers).get('/me/notifications')).statusCode).toBe(403);
});
