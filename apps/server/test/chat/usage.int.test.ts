import { randomInt } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { reserveSpend, settleSpend, type Budget } from '../../src/features/usage/index.ts';
import { asSystem, inTenant, type Context } from '../../src/platform/context.ts';
import { admin, aUser, type TestTenant } from '../harness.ts';
import { withinOneDay } from '../one-day.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { aBot, aChatStack, aTenant, aVisitor, startWorkerInProcess, openApi, type TestBot } from './fixture.ts';
import { allow, type SendResponse } from './helpers.ts';

const stack = await aChatStack();
const { model } = stack;
// Expensive, so that a dollar is soon spent: an answer of 400 tokens costs ten cents.
const [listed] = JSON.parse(stack.chatSettings['MODELS'] ?? '[]') as object[];
const chatSettings = {
  ...stack.chatSettings,
  MODELS: JSON.stringify([{ ...listed, inputPrice: 1, outputPrice: 250 }]),
};
const worker = await startWorkerInProcess(chatSettings);
const { app, platform, close } = await openApi(chatSettings);
const wide = await openApi({ ...chatSettings, DATABASE_POOL_SIZE: '20' });
afterAll(async () => {
  await Promise.all([close(), wide.close()]);
  await worker.stop();
});

await withinOneDay();
const today = new Date().toISOString().slice(0, 10);
const thresholdsOf = async (tenantId: string) => {
  const rows = await admin
    .selectFrom('events')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('position')
    .execute();
  return rows
    .filter(({ type }) => type === 'usage.threshold_reached')
    .map(
      ({ body }) =>
        (JSON.parse(body) as { data: { object: { limit: string; percent: number; used: number } } }).data.object,
    )
    .map(({ limit, percent }) => `${limit} ${percent}`);
};
const budgetOf = async (tenantId: string, name: string) => {
  const row = await admin
    .selectFrom('budgets')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst();
  return { used: Number(row?.used ?? 0), reserved: Number(row?.reserved ?? 0) };
};

test('counts accepted messages for the list of the busiest tenants, and none twice', async () => {
  const tenant = await aTenant();
  const bot = await aBot(tenant);
  await allow(tenant, { 'messages.per_month': 3 });
  const visitor = await aVisitor(app, bot);
  for (const clientMessageId of ['one', 'two', 'two', 'three', 'refused'])
    await visitor.say('hello', { clientMessageId });
  const busiest = await platform.tenantActivity.top('messages', 1, 2_000);
  expect(busiest.find(({ tenantId }) => tenantId === tenant.tenantId)?.count).toBe(3);
});

describe('monthly message limit', () => {
  const [allowed, sent] = isFull ? [30, 50] : [10, 15];
  test(`is exact with ${sent} concurrent messages (403 above), and emits events at 80 and 100 percent, once`, async () => {
    const tenant = await aTenant();
    const bot = await aBot(tenant);
    await allow(tenant, { 'messages.per_month': allowed });
    const visitors = await Promise.all(Array.from({ length: sent }, () => aVisitor(app, bot)));
    const responses = await Promise.all(
      visitors.map((visitor, n) => visitor.say('hello', { clientMessageId: `m${n}` })),
    );
    const statuses = responses.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(allowed);
    const rejections = responses
      .filter(({ statusCode }) => statusCode !== 200)
      .map((response) => response.json<{ error: object }>().error);
    expect(rejections).toHaveLength(sent - allowed);
    for (const refusal of rejections)
      expect(refusal).toMatchObject({ code: 'FEATURE_NOT_ENTITLED', reason: 'message_limit_reached' });
    expect(responses.find(({ statusCode }) => statusCode !== 200)?.statusCode).toBe(403);

    expect((await budgetOf(tenant.tenantId, 'messages')).used).toBe(allowed);
    const written = await admin
      .selectFrom('conversationEvents')
      .select('messageId')
      .where('tenantId', '=', tenant.tenantId)
      .where('type', '=', 'message.created')
      .execute();
    expect(written).toHaveLength(allowed);
    expect(await thresholdsOf(tenant.tenantId)).toEqual(['messages.per_month 80', 'messages.per_month 100']);
    const audit = await tenant.get('/audit-log?action=usage.threshold_reached');
    expect.soft(audit.statusCode, 'the audit log can be read: a visitor was the one who crossed it').toBe(200);
    // Rejected messages created neither visitor nor conversation. Repeated accepted ones return the same response.
    for (const table of ['visitors', 'conversations', 'turns'] as const) {
      const rows = await admin.selectFrom(table).select('id').where('tenantId', '=', tenant.tenantId).execute();
      expect(rows, table).toHaveLength(allowed);
    }
    const first = statuses.indexOf(200);
    const again = await visitors[first]?.say('hello', { clientMessageId: `m${first}` });
    expect(again?.json()).toEqual(responses[first]?.json());

    await allow(tenant, { 'messages.per_month': allowed + 1 });
    const last = [];
    for (const visitor of visitors.slice(0, 2)) last.push((await visitor.say('hello again')).statusCode);
    expect(new Set(last)).toEqual(new Set([200, 403]));
  });
});

describe('model budget', () => {
  const { services } = wide.platform;
  let tenant: TestTenant;
  let budget: Budget;
  const fresh = async (more: Partial<Budget> = {}) => {
    tenant = await aTenant();
    budget = { botId: tenant.botId, visitorId: 'vis_1', perBot: null, perVisitor: null, perTenant: 1, ...more };
  };
  const as = <T>(work: (ctx: Context) => Promise<T>) => inTenant(services, asSystem(tenant.tenantId, 'test'), work);
  const reserve = (id: string, amount: number, from = budget) => as((ctx) => reserveSpend(ctx, id, amount, from));
  const settle = (id: string, spent: number | null) => as((ctx) => settleSpend(ctx, id, spent, budget.perTenant));
  const spent = () => budgetOf(tenant.tenantId, 'spend');

  const reservations = isFull ? 500 : 60;
  test(`is not exceeded by ${reservations} concurrent reservations at 99 percent`, async () => {
    await fresh();
    await admin
      .insertInto('budgets')
      .values({ tenantId: tenant.tenantId, name: 'spend', period: today, used: 990_000 })
      .execute();
    const startedAt = performance.now();
    const got = await Promise.all(Array.from({ length: reservations }, (_, n) => reserve(`t${n}`, 1_000)));
    expect(got.filter(Boolean)).toHaveLength(10);
    expect(await spent()).toEqual({ used: 990_000, reserved: 10_000 });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  test(`is used up exactly by ${reservations} concurrent reservations of different sizes`, async () => {
    await fresh({ perBot: 0.5, perVisitor: 0.1 });
    let max = 0;
    const average = 2_375_000 / reservations; // together more than twice the budget
    const takers = Array.from({ length: reservations }, async (_, n) => {
      const [bot, visitor] = [`bot_${n % 3}`, `vis_${n % (isFull ? 40 : 20)}`];
      const amount = randomInt(Math.round(0.1 * average), Math.round(1.9 * average));
      const id = `t${n}`;
      if (!(await reserve(id, amount, { ...budget, botId: bot, visitorId: visitor }))) return 0;
      const { used, reserved } = await spent();
      max = Math.max(max, used + reserved);
      const cost = randomInt(0, amount + 1);
      await settle(id, cost);
      return cost;
    });
    const total = (await Promise.all(takers)).reduce((sum, cost) => sum + cost, 0);
    expect(max).toBeLessThanOrEqual(1_000_000);
    expect(await spent()).toEqual({ used: total, reserved: 0 });
    const rows = await admin.selectFrom('budgets').selectAll().where('tenantId', '=', tenant.tenantId).execute();
    for (const { name, used, reserved } of rows) {
      expect(Number(reserved), name).toBe(0);
      const allowed = name === 'spend' ? 1e6 : name.startsWith('spend:bot') ? 5e5 : 1e5;
      expect(Number(used), name).toBeLessThanOrEqual(allowed);
    }
    expect(
      await admin.selectFrom('reservations').selectAll().where('tenantId', '=', tenant.tenantId).execute(),
    ).toEqual([]);
  });

  test('gets the difference back on settlement, once', async () => {
    await fresh();
    expect(await reserve('a', 800_000)).toBe(true);
    expect(await reserve('b', 300_000)).toBe(false);
    await Promise.all([settle('a', 200_000), settle('a', 200_000), settle('a', 0)]);
    expect(await spent()).toMatchObject({ reserved: 0 });
    expect([0, 200_000]).toContain((await spent()).used);
    expect(await reserve('b', 300_000)).toBe(true);
  });

  test('counts the reservation of a crashed step as spent, and reserves again for its retry', async () => {
    await fresh();
    expect(await reserve('turn/1', 400_000)).toBe(true);
    expect(await reserve('turn/1', 400_000)).toBe(true);
    expect(await spent()).toEqual({ used: 400_000, reserved: 400_000 });
    expect(await reserve('turn/1', 400_000)).toBe(false); // exceeds the budget
    expect(await spent()).toEqual({ used: 400_000, reserved: 400_000 });
    await settle('turn/1', 100_000);
    expect(await spent()).toEqual({ used: 500_000, reserved: 0 });
    expect(await reserve('lost', 500_000)).toBe(true); // and is never settled
    expect(await reserve('more', 1)).toBe(false);
  });

  test('counts the full reservation when the cost is unknown', async () => {
    await fresh();
    await reserve('a', 300_000);
    await settle('a', null);
    expect(await spent()).toEqual({ used: 300_000, reserved: 0 });
  });

  test('has limits per bot and per visitor, and a rejection consumes none of them', async () => {
    await fresh({ perBot: 0.5, perVisitor: 0.2 });
    expect(await reserve('a', 200_000)).toBe(true);
    expect(await reserve('b', 1)).toBe(false); // the visitor's limit
    expect(await reserve('c', 200_000, { ...budget, visitorId: 'vis_2' })).toBe(true);
    expect(await reserve('d', 200_000, { ...budget, visitorId: 'vis_3' })).toBe(false); // the bot's limit
    expect(await reserve('e', 200_000, { ...budget, visitorId: 'vis_3', botId: 'bot_2' })).toBe(true);
    expect(await spent()).toEqual({ used: 0, reserved: 600_000 });
    expect(await budgetOf(tenant.tenantId, 'spend:vis_3')).toEqual({ used: 0, reserved: 200_000 });
    expect(await budgetOf(tenant.tenantId, `spend:${budget.botId}`)).toEqual({ used: 0, reserved: 400_000 });
    expect(await reserve('f', 1, { ...budget, perTenant: 0, visitorId: null })).toBe(false);
  });

  test('emits events at 80 and 100 percent, once', async () => {
    await fresh();
    for (const [n, cost] of [790_000, 5_000, 5_000, 100_000, 100_000].entries()) {
      expect(await reserve(`t${n}`, cost)).toBe(true);
      await settle(`t${n}`, cost);
    }
    expect(await thresholdsOf(tenant.tenantId)).toEqual(['model_spend.per_day 80', 'model_spend.per_day 100']);
  });
});

describe('turns', () => {
  const answer = () => ({ tokens: Array.from({ length: 380 }, () => 'word'), everyMs: 0 });
  const question = 'how much is delivery?';
  const aCostlyBot = async (limits: object = {}) => {
    const tenant = await aTenant();
    const bot = await aBot(tenant, { answers: { mode: 'model' } });
    await tenant.patch(`/bots/${bot.botId}`, { limits });
    await allow(tenant, { 'model_spend.per_day': 1 });
    return { tenant, bot };
  };
  const sendOnce = async (bot: TestBot) => {
    const response = await (await aVisitor(app, bot)).say(question);
    expect(response.statusCode, response.body).toBe(200);
    return response.json<SendResponse>();
  };

  const turns = isFull ? 40 : 14; // the budget is for about ten
  test(
    `of ${turns} concurrent turns, those within budget use the model, the rest are quoted, without overspending`,
    { timeout: 60_000 },
    async () => {
      model.script = answer;
      const { tenant, bot } = await aCostlyBot();
      const calls = model.calls.length;
      const sent = await Promise.all(Array.from({ length: turns }, () => sendOnce(bot)));
      const byModel = sent.filter(({ turn }) => turn?.mode === 'model');
      const quoted = sent.filter(({ turn }) => turn?.mode === 'fallback');
      expect(byModel.length + quoted.length).toBe(turns);
      expect(byModel.length).toBeGreaterThanOrEqual(8);
      expect(byModel.length).toBeLessThanOrEqual(10);
      for (const { turn, reply } of quoted) {
        expect(turn?.reason).toBe('budget_spent');
        expect(reply?.text).toContain('4.90');
        expect(reply?.isAnswer).toBe(true);
      }
      expect(model.calls.length - calls).toBe(byModel.length);
      const { used, reserved } = await budgetOf(tenant.tenantId, 'spend');
      expect(reserved).toBe(0);
      expect(used).toBeLessThanOrEqual(1_000_000);
      expect(used).toBeGreaterThan(byModel.length * 95_000);
      const { total, modelSpendToday, messagesThisMonth } = (await tenant.get('/usage')).json<{
        total: Record<string, number>;
        modelSpendToday: object;
        messagesThisMonth: object;
      }>();
      expect(total).toMatchObject({
        messages: turns,
        turns,
        modelTurns: byModel.length,
        tokensOut: byModel.length * 380,
      });
      expect(total['spend']).toBeCloseTo(used / 1e6, 6);
      expect(modelSpendToday).toEqual({ used: used / 1e6, reserved: 0, allowed: 1, period: today });
      expect(messagesThisMonth).toMatchObject({ used: turns, period: `${today.slice(0, 7)}-01` });
      expect(
        (await thresholdsOf(tenant.tenantId)).filter((emitted) => emitted === 'model_spend.per_day 80'),
      ).toHaveLength(1);
    },
  );

  test('respect the limits per visitor and per bot', async () => {
    model.script = answer;
    const { bot } = await aCostlyBot({ spendPerVisitorDay: 0.15, spendPerDay: 0.25 });
    const [one, two] = [await aVisitor(app, bot), await aVisitor(app, bot)];
    const modes = [];
    for (const visitor of [one, one, two, two])
      modes.push((await visitor.say(question)).json<SendResponse>().turn?.mode);
    expect(modes).toEqual(['model', 'fallback', 'model', 'fallback']); // the last one by the bot's limit
    expect((await sendOnce(bot)).turn).toMatchObject({ mode: 'fallback', reason: 'budget_spent' });
  });

  test('call no model with a budget of zero', async () => {
    const { bot } = await aCostlyBot({ spendPerDay: 0 });
    const calls = model.calls.length;
    expect((await sendOnce(bot)).turn).toMatchObject({ mode: 'fallback', reason: 'budget_spent' });
    expect(model.calls.length).toBe(calls);
  });

  test('release the reservation of a failed call that cannot have cost anything', async () => {
    const { tenant, bot } = await aCostlyBot();
    model.script = () => ({ tokens: [], everyMs: 0, failWith: 429 });
    expect((await sendOnce(bot)).turn).toMatchObject({ mode: 'fallback', reason: 'rate_limited' });
    expect(await budgetOf(tenant.tenantId, 'spend')).toEqual({ used: 0, reserved: 0 });
  });
});

describe('GET /usage', () => {
  test('returns sums per day and bot for this tenant only, and 400 for an invalid range', async () => {
    const [tenant, stranger] = [await aTenant(), await aTenant()];
    const { tenantId, botId } = tenant;
    const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const row = { messages: 2, turns: 3, modelTurns: 1, tokensIn: 100, tokensOut: 10, spendMicros: 1_500_000 };
    await admin
      .insertInto('usageDays')
      .values([
        { tenantId, botId, day: dayBefore(1), ...row },
        { tenantId, botId, day: dayBefore(2), ...row },
        { tenantId, botId: 'bot_00000000000000000000000000', day: dayBefore(1), ...row },
        { tenantId, botId, day: dayBefore(60), ...row },
        { tenantId: stranger.tenantId, botId: stranger.botId, day: dayBefore(1), ...row },
      ])
      .execute();
    const read = async (query = '') =>
      (await tenant.get(`/usage${query}`)).json<{ days: object[]; total: Record<string, number> }>();
    expect((await read()).total).toEqual({
      messages: 6,
      turns: 9,
      modelTurns: 3,
      tokensIn: 300,
      tokensOut: 30,
      spend: 4.5,
    });
    expect((await read(`?botId=${botId}`)).total).toMatchObject({ messages: 4, spend: 3 });
    expect((await read(`?from=${dayBefore(90)}`)).total).toMatchObject({ messages: 8 });
    expect((await read(`?from=${dayBefore(2)}&to=${dayBefore(2)}`)).days).toHaveLength(1);
    for (const query of [`?from=${dayBefore(1)}&to=${dayBefore(2)}`, `?from=${dayBefore(500)}`, '?from=yesterday'])
      expect((await tenant.get(`/usage${query}`)).statusCode, query).toBe(400);
    const agent = await aUser([{ tenantId, roles: ['agent'] }]);
    expect((await agent.get('/usage')).statusCode).toBe(403);
  });
});
