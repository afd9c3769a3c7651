import { beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { aBot, type TestBot } from '../../../../test/chat/fixture.ts';
import { allow } from '../../../../test/chat/helpers.ts';
import { aKey, as, aTenant, aUser, type TestTenant } from '../../../../test/harness.ts';
import { aTalkingVisitor, talk } from '../../../../test/rules/chats.ts';
import type { Bulk, BulkResult } from './inbox.contract.ts';

interface Row {
  state: string;
  assigneeId: string | null;
  waitingSince: string | null;
  tags: string[];
}
type Agent = Awaited<ReturnType<typeof aUser>>;

let tenant: TestTenant;
let bot: TestBot;
let agent: Agent;
beforeAll(async () => {
  tenant = await aTenant();
  bot = await aBot(tenant);
  agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
});

const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error?: { reason: string } }).error?.reason;

async function aChat(at = bot) {
  const { conversationId: id, session, headers } = await aTalkingVisitor(at, 'how much is delivery?');
  return { id: id, session, headers };
}
async function aWaitingChat(at = bot) {
  const chat = await aChat(at);
  const asked = await as(chat.headers).post(`/widget/conversations/${chat.id}/handoff`, {});
  expect(asked.statusCode, asked.body).toBe(200);
  return chat;
}
const send = (change: Bulk, who: Pick<Agent, 'post'> = agent) => who.post('/conversations/bulk', change);
async function change(input: Bulk) {
  const response = await send(input);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<z.infer<typeof BulkResult>>();
}
const rowOf = async (id: string, who: Pick<Agent, 'get'> = agent) =>
  (await who.get(`/conversations/${id}`)).json<{ conversation: Row }>().conversation;

test('closes what can be closed, and lists the rest with the reason', async () => {
  const [first, second] = [await aWaitingChat(), await aWaitingChat()];
  const ids = [first.id, second.id];
  expect(await change({ action: 'close', ids })).toEqual({ changed: ids, unchanged: [] });
  for (const id of ids) expect((await rowOf(id)).state).toBe('closed');
  await talk(second.session, 'again');
  expect(await change({ action: 'reopen', ids })).toEqual({
    changed: [first.id],
    unchanged: [{ id: second.id, reason: 'newer_conversation' }],
  });
  expect((await rowOf(first.id)).state).toBe('waiting_human');
});

test('adds and removes tags, and lists a conversation that would have too many', async () => {
  const [full, other] = [await aChat(), await aChat()];
  const ids = [full.id, other.id];
  await agent.put(`/conversations/${full.id}/tags`, { tags: Array.from({ length: 20 }, (_, n) => `tag ${n}`) });
  expect(await change({ action: 'tag', ids, tags: ['late'] })).toEqual({
    changed: [other.id],
    unchanged: [{ id: full.id, reason: 'too_many_tags' }],
  });
  await change({ action: 'untag', ids, tags: ['tag 0', 'LATE'] });
  expect((await rowOf(full.id)).tags).toHaveLength(19);
  expect((await rowOf(other.id)).tags).toEqual([]);
});

test('assigns without claiming: the visitor still waits, and no one has joined', async () => {
  const { id } = await aWaitingChat();
  const { waitingSince } = await rowOf(id);
  await change({ action: 'assign', ids: [id], assigneeId: agent.userId });
  expect(waitingSince).not.toBeNull();
  expect(await rowOf(id)).toMatchObject({ state: 'waiting_human', assigneeId: agent.userId, waitingSince });
});

test('requires for an assignment what POST /conversations/{id}/assign requires', async () => {
  const own = await aTenant();
  const { id } = await aWaitingChat(await aBot(own));
  const colleague = await aUser([{ tenantId: own.tenantId, roles: ['agent'] }]);
  const key = await aKey(own, { permissions: ['conversation.view', 'conversation.reply'] });
  const assign = (who: Pick<Agent, 'post'>, { userId }: Pick<Agent, 'userId'>) =>
    send({ action: 'assign', ids: [id], assigneeId: userId }, who);
  expect(reasonOf(await assign(as(key.headers), colleague))).toBe('permission_missing');
  expect(reasonOf(await assign(own, agent))).toBe('member_not_found');
  await allow(own, { human_handoff: 0 });
  const refused = await assign(own, colleague);
  expect([refused.statusCode, reasonOf(refused)]).toEqual([403, 'entitlement_missing']);
  expect((await rowOf(id, own)).assigneeId).toBeNull();
});

test('returns 404 and changes nothing when one belongs to another tenant', async () => {
  const theirs = await aChat(await aBot(await aTenant()));
  const ours = await aWaitingChat();
  expect((await send({ action: 'close', ids: [ours.id, theirs.id] })).statusCode).toBe(404);
  expect((await rowOf(ours.id)).state).toBe('waiting_human');
});
