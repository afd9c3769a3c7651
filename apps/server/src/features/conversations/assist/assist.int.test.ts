import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startModelServer } from '../../../../../../tools/model/index.ts';
import { aBot } from '../../../../test/chat/fixture.ts';
import { allow, textOf } from '../../../../test/chat/helpers.ts';
import {
  admin,
  api,
  as,
  aTenant,
  aUser,
  inside,
  openApi,
  settings,
  type Headers,
  type TestTenant,
} from '../../../../test/harness.ts';
import { withinOneDay } from '../../../../test/one-day.ts';
import { aTalkingVisitor } from '../../../../test/rules/chats.ts';
import { newId } from '../../../platform/ids.ts';
import { append } from '../log/log.store.ts';
import type { AssistResult } from './assist.contract.ts';

const model = await startModelServer();
const own = await openApi({
  MODELS: JSON.stringify([
    {
      name: 'default',
      provider: 'openai-compatible',
      baseUrl: model.url,
      model: 'test',
      inputPrice: 1,
      outputPrice: 2,
    },
  ]),
  EGRESS_OPEN_HOSTS: `${settings()['EGRESS_OPEN_HOSTS']},${model.host}`,
  DATABASE_POOL_SIZE: '1', // a transaction that stays open during a call would block every other request
});
afterAll(async () => {
  await own.close();
  await model.close();
});
await withinOneDay();

const tokens = ['It', 'takes', 'two', 'days.'];
beforeEach(() => {
  model.script = () => ({ tokens, everyMs: 0 });
  model.calls = [];
});

const kinds = ['draft', 'summary'] as const;
type Kind = (typeof kinds)[number];

async function aConversation() {
  const tenant = await aTenant({ plan: 'team' });
  const { conversationId } = await aTalkingVisitor(await aBot(tenant), 'How long does delivery take?');
  const spent = await spentBy(tenant);
  return { tenant, conversationId, spent };
}
type TestConversation = Awaited<ReturnType<typeof aConversation>>;

const post = (headers: Headers, { conversationId }: TestConversation, kind: Kind, { app } = own) =>
  as(headers, app).post(`/conversations/${conversationId}/${kind}`);
async function ask(conversation: TestConversation, kind: Kind, on = own) {
  const response = await post(conversation.tenant.headers, conversation, kind, on);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<AssistResult>();
}
async function spentBy({ tenantId }: Pick<TestTenant, 'tenantId'>) {
  const budget = await admin
    .selectFrom('budgets')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('name', '=', 'spend')
    .executeTakeFirst();
  return { used: Number(budget?.used ?? 0), reserved: Number(budget?.reserved ?? 0) };
}
const write = (
  { tenant, conversationId }: TestConversation,
  role: 'visitor' | 'agent',
  text: string,
  isInternal = false,
) =>
  inside(tenant.tenantId, (ctx) => {
    const entry = { type: 'message.created', messageId: newId('message'), payload: { role, text }, isInternal };
    return append(ctx, conversationId, [entry]);
  });
const promptOf = (n = 0) => (model.calls[n]?.body.messages ?? []).map(textOf);

describe.each(kinds)('POST /conversations/:id/%s', (kind) => {
  test('returns the text of a model, charges it, and sends nothing', async () => {
    const conversation = await aConversation();
    const { tenant, conversationId, spent } = conversation;
    await write(conversation, 'agent', 'Promised a refund.', true);
    const before = (await tenant.get(`/conversations/${conversationId}/timeline`)).json<object>();
    const { text, reason, message, spend } = await ask(conversation, kind);
    expect([text, reason, message]).toEqual([tokens.join(' '), null, null]);
    expect(spend).toBeGreaterThan(0);
    expect(await spentBy(tenant)).toEqual({ ...spent, used: spent.used + Math.round((spend ?? 0) * 1e6) });
    expect((await tenant.get(`/conversations/${conversationId}/timeline`)).json()).toEqual(before);

    const [system, transcript] = promptOf();
    expect(transcript).toBe('Visitor: How long does delivery take?\nBot: How long does delivery take?');
    if (kind === 'draft') expect(system).toContain('Delivery takes two to four working days');
  });

  test('reserves the budget during the call, without an open transaction', async () => {
    const conversation = await aConversation();
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    model.script = () => ({ tokens, everyMs: 0, hold: { at: 0, until } });
    const asking = ask(conversation, kind);
    await expect.poll(() => model.calls.length).toBe(1);
    expect((await spentBy(conversation.tenant)).reserved).toBeGreaterThan(conversation.spent.reserved);
    expect((await as(conversation.tenant.headers, own.app).get('/me')).statusCode).toBe(200);
    release();
    expect((await asking).text).not.toBeNull();
    expect((await spentBy(conversation.tenant)).reserved).toBe(conversation.spent.reserved);
  });

  test('gives the model the latest messages of a long conversation', async () => {
    const conversation = await aConversation();
    for (let n = 0; n < 8; n++) await write(conversation, 'visitor', `message ${n} ${'x'.repeat(3_900)}`);
    await ask(conversation, kind);
    const [, transcript = ''] = promptOf();
    expect(transcript.length).toBeLessThan(12_100);
    expect(transcript.match(/message \d/g)).toEqual(['message 5', 'message 6', 'message 7']);
  });

  test('says that no model is set up, and that the budget is spent', async () => {
    const conversation = await aConversation();
    const none = { text: null, spend: null };
    const missing = { ...none, reason: 'model_missing', message: expect.stringContaining('No AI model is set up') };
    expect(await ask(conversation, kind, api)).toEqual(missing);
    await allow(conversation.tenant, { 'model_spend.per_day': 0 });
    const spent = { ...none, reason: 'budget_spent', message: expect.stringContaining('AI budget') };
    expect(await ask(conversation, kind)).toEqual(spent);
    expect(model.calls).toEqual([]);
    expect(await spentBy(conversation.tenant)).toEqual(conversation.spent);
  });

  test('returns 403 to members who can’t reply, and 404 to another tenant', async () => {
    const conversation = await aConversation();
    const viewer = await aUser([{ tenantId: conversation.tenant.tenantId, roles: ['viewer'] }]);
    expect((await post(viewer.headers, conversation, kind)).statusCode).toBe(403);
    const stranger = await aTenant({ plan: 'team' });
    expect((await post(stranger.headers, conversation, kind)).statusCode).toBe(404);
    expect(model.calls).toEqual([]);
  });
});
