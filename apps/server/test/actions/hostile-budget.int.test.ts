import { expect, test } from 'vitest';
import { allow } from '../chat/helpers.ts';
import { admin } from '../harness.ts';
import { withinOneDay } from '../one-day.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';
import { handleCalls, aShop, lookUp, reply, type Handler, type SendResult } from './fixture.ts';

// A model that exceeds its token limit in tool call arguments, and reports no usage.

const stack = await aWebhookStack();
const handlers = new Map<string, Handler>();
handleCalls(stack.receiver, handlers);

test.each([
  ['200,000 characters in one call', 1, 200_000],
  ['20,000 characters in each of twenty calls', 20, 20_000],
  ['repeatedly, slightly above the limit', 1, 4_000],
])('tool call arguments do not exceed the daily budget: %s', async (_title, calls, characters) => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 200, { output: {} }), [lookUp], {
    answers: { mode: 'model' },
  });
  await allow(shop.tenant, { 'model_spend.per_day': 1 });
  const { tenantId } = shop.tenant;
  await withinOneDay();
  const period = new Date().toISOString().slice(0, 10);
  await admin.insertInto('budgets').values({ tenantId, name: 'spend', period, used: 990_000 }).execute();
  const toolCalls = Array.from({ length: calls }, () => ({
    name: 'order_status',
    input: { orderId: 'x'.repeat(characters) },
  }));
  stack.model.script = () => ({ tokens: [], everyMs: 0, toolCalls });
  const visitor = await shop.visitor();
  let reason: string | null | undefined;
  for (let turn = 0; turn < 8; turn++) {
    reason = (await visitor.say('Where is it?')).json<SendResult>().turn?.reason;
    const row = await admin
      .selectFrom('budgets')
      .select(['used', 'reserved'])
      .where('tenantId', '=', tenantId)
      .where('name', '=', 'spend')
      .executeTakeFirstOrThrow();
    expect(Number(row.used) + Number(row.reserved)).toBeLessThanOrEqual(1_000_000);
    expect(Number(row.used), 'something was counted').toBeGreaterThan(990_000);
  }
  expect(reason).toBe('budget_spent');
});
