import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startModelServer } from '../../../../../tools/model/index.ts';
import { aBot } from '../../../test/chat/fixture.ts';
import { allow, textOf } from '../../../test/chat/helpers.ts';
import { admin, aKey, api, as, aTenant, aUser, openApi, settings, type TestTenant } from '../../../test/harness.ts';
import { withinOneDay } from '../../../test/one-day.ts';
import { plantModel } from '../../../test/rules/chats.ts';
import type { AskedModel } from './answers.contract.ts';

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

const quoting = model.script;
beforeEach(() => {
  model.script = quoting;
  model.calls = [];
});

const question = 'How long does delivery take?';
const ask = ({ headers }: Pick<TestTenant, 'headers'>, botId: string, body: object = { question }, { app } = own) =>
  as(headers, app).post(`/bots/${botId}/ask-model`, body);
const asked = async (tenant: TestTenant, body: object = { question }, on = own) => {
  const response = await ask(tenant, tenant.botId, body, on);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<AskedModel>();
};
const aTenantWithKnowledge = async (draft: object = {}, plan: 'team' | 'enterprise' = 'team') => {
  const tenant = await aTenant({ plan });
  await aBot(tenant, { ...draft });
  return tenant;
};
const spentBy = async ({ tenantId }: TestTenant) => {
  const budget = await admin
    .selectFrom('budgets')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('name', '=', 'spend')
    .executeTakeFirst();
  return { used: Number(budget?.used ?? 0), reserved: Number(budget?.reserved ?? 0) };
};

describe('POST /bots/:id/ask-model', () => {
  test('returns the model’s answer with its citations, charges it, and stores nothing else', async () => {
    const tenant = await aTenantWithKnowledge({ instructions: 'Speak like a captain.' });
    const { answer, reason, message, spend } = await asked(tenant);
    expect(answer?.text).toMatch(/^Here is what I found: Delivery takes two to four working days.* \[1\]$/);
    expect(answer?.citations).toEqual([
      { n: 1, title: 'Help', heading: 'Delivery', url: null, documentId: expect.stringMatching(/^kdoc_/) },
    ]);
    expect([reason, message]).toEqual([null, null]);
    const [system, user] = model.calls[0]?.body.messages ?? [];
    expect(textOf(system)).toContain('Speak like a captain.');
    expect(textOf(user)).toBe(question);

    expect(spend).toBeGreaterThan(0);
    expect(await spentBy(tenant)).toEqual({ used: Math.round((spend ?? 0) * 1e6), reserved: 0 });
    for (const table of ['conversations', 'turns', 'reservations', 'usageDays'] as const)
      expect(await admin.selectFrom(table).selectAll().where('tenantId', '=', tenant.tenantId).execute()).toEqual([]);
  });

  test('reserves the budget during the call, without an open transaction', async () => {
    const tenant = await aTenantWithKnowledge();
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    model.script = (request, n) => ({ ...quoting(request, n), everyMs: 0, hold: { at: 0, until } });
    const asking = asked(tenant);
    await expect.poll(() => model.calls.length).toBe(1);
    expect((await spentBy(tenant)).reserved).toBeGreaterThan(0);
    expect((await as(tenant.headers, own.app).get(`/bots/${tenant.botId}`)).statusCode).toBe(200);
    release();
    expect((await asking).answer).not.toBeNull();
  });

  test('says that the model found no answer, and what that cost', async () => {
    const tenant = await aTenantWithKnowledge();
    model.script = () => ({ tokens: ['NO_ANSWER'], everyMs: 0 });
    expect(await asked(tenant)).toEqual({
      answer: null,
      reason: 'no_answer',
      message: expect.stringContaining('add content'),
      spend: expect.any(Number),
    });
  });

  test('replies to small talk without a model', async () => {
    const tenant = await aTenantWithKnowledge({ replies: { thanks: 'Any time!' } });
    expect((await asked(tenant, { question: 'thanks!' })).answer).toEqual({ text: 'Any time!', citations: [] });
    expect(model.calls).toEqual([]);
  });

  test('says that no model is set up', async () => {
    const tenant = await aTenantWithKnowledge();
    expect(await asked(tenant, { question }, api)).toEqual({
      answer: null,
      reason: 'model_missing',
      message: expect.stringContaining('No AI model is set up. Ask'),
      spend: null,
    });
  });

  test('uses the requested models in order, own ones only if the plan includes them, and returns 404 for another tenant’s', async () => {
    const tenant = await aTenantWithKnowledge();
    const modelId = await plantModel(tenant.tenantId);
    const theirs = await plantModel((await aTenant()).tenantId);
    expect((await ask(tenant, tenant.botId, { question, models: ['default', theirs] })).statusCode).toBe(404);
    expect(model.calls).toEqual([]);
    expect((await asked(tenant, { question, models: [modelId] })).reason).toBe('model_missing');
    expect((await asked(tenant, { question, models: [modelId, 'default'] })).answer?.citations).toHaveLength(1);
  });

  test.each(['tenant', 'bot'])('does not call the model if the budget of the %s is spent', async (budget) => {
    const tenant = await aTenantWithKnowledge();
    if (budget === 'tenant') await allow(tenant, { 'model_spend.per_day': 0 });
    else await tenant.patch(`/bots/${tenant.botId}`, { limits: { spendPerDay: 0 } });
    expect(await asked(tenant)).toEqual({
      answer: null,
      reason: 'budget_spent',
      message: expect.stringContaining('Raise the daily AI budget'),
      spend: null,
    });
    expect(model.calls).toEqual([]);
    expect(await spentBy(tenant)).toEqual({ used: 0, reserved: 0 });
  });

  test.each([
    [{ failWith: 503 }, 'unavailable', 'not available', 'nothing'],
    [{ failWith: 504 }, 'timeout', 'too long', 'nothing'],
    [{ failWith: 429 }, 'rate_limited', 'Wait a minute', 'nothing'],
    [{ failWith: 401 }, 'refused', 'API key', 'nothing'],
    [{ tokens: [] }, 'invalid_response', 'choose another model', 'the reserved amount'],
    [{ resetAfter: 0 }, 'unavailable', 'ask again', 'the reserved amount'],
  ])('%j: says that the model failed (%s: … %s …) and charges %s', async (reply, reason, text, charged) => {
    const tenant = await aTenantWithKnowledge();
    model.script = () => ({ tokens: ['One'], everyMs: 0, ...reply });
    const result = await asked(tenant);
    expect(result).toEqual({ answer: null, reason, message: expect.stringContaining(text), spend: null });
    expect(model.calls).toHaveLength(1);
    const { used, reserved } = await spentBy(tenant);
    expect([used > 0, reserved]).toEqual([charged !== 'nothing', 0]);
  });

  test('returns 404 for another tenant and for a key of another bot, 403 for a viewer, 400 for a bad body, and calls no model', async () => {
    const [tenant, theirs] = [await aTenantWithKnowledge(), await aTenant()];
    const viewer = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
    const created = await tenant.post('/bots', { name: 'Other' });
    const { bot } = created.json<{ bot: { id: string } }>();
    const bound = await aKey(tenant, { permissions: ['bot.manage'], boundBotId: bot.id });
    expect((await ask(theirs, tenant.botId)).statusCode).toBe(404);
    expect((await ask(viewer, tenant.botId)).statusCode).toBe(403);
    expect((await ask(bound, tenant.botId)).statusCode).toBe(404);
    for (const body of [{ question: ' ' }, { question, models: [] }, { question, mode: 'model' }])
      expect((await ask(tenant, tenant.botId, body)).statusCode).toBe(400);
    expect(model.calls).toEqual([]);
  });

  test('works with a key bound to the bot', async () => {
    const tenant = await aTenantWithKnowledge();
    const bound = await aKey(tenant, { permissions: ['bot.manage'], boundBotId: tenant.botId });
    expect((await ask(bound, tenant.botId)).json<AskedModel>().answer?.citations).toHaveLength(1);
  });

  test('returns 429 after ten questions in a minute', async () => {
    const tenant = await aTenantWithKnowledge();
    model.script = () => ({ tokens: ['One'], everyMs: 0 });
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push((await ask(tenant, tenant.botId)).statusCode);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    expect(model.calls).toHaveLength(10);
  });
});

describe('GET /bots/:id/models', () => {
  const list = async ({ headers }: TestTenant, botId: string, { app } = own) =>
    as(headers, app).get(`/bots/${botId}/models`);

  test('lists the default model where there is one, and own models if the plan includes them', async () => {
    const [team, enterprise] = [await aTenant(), await aTenant({ plan: 'enterprise' })];
    await plantModel(team.tenantId);
    const modelId = await plantModel(enterprise.tenantId);
    const defaultModel = { id: 'default', name: 'Default model' };
    expect((await list(team, team.botId)).json()).toEqual({ data: [defaultModel] });
    expect((await list(team, team.botId, api)).json()).toEqual({ data: [] });
    const ownModel = { id: modelId, name: modelId };
    expect((await list(enterprise, enterprise.botId)).json()).toEqual({ data: [defaultModel, ownModel] });
  });

  test("returns 404 for another tenant's bot", async () => {
    const [tenant, theirs] = [await aTenant(), await aTenant()];
    expect((await list(theirs, tenant.botId)).statusCode).toBe(404);
  });
});
