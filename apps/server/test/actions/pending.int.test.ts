import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { wakeRun } from '../../src/features/actions/run/action-run.interface.ts';
import { idOf } from '../../src/platform/ids.contract.ts';
import { admin } from '../harness.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';
import {
  aShop,
  awaitEntry,
  cancel,
  confirm,
  handleCalls,
  isCard,
  reply,
  type Handler,
  type SendResult,
} from './fixture.ts';

const stack = await aWebhookStack();
const { restate, worker } = stack;
const handlers = new Map<string, Handler>();
handleCalls(stack.receiver, handlers);

/** The status of each invocation of this run that has not ended. Not the call at the deadline of the confirmation, which has no key. */
async function invocationsOf(runId: string): Promise<string[]> {
  const response = await fetch(`${restate.adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      query: `select status from sys_invocation where target_service_name = 'ActionRun' and status <> 'completed'
        and (status <> 'scheduled' or idempotency_key is not null)
        and target_service_key like '%/${runId}'`,
    }),
  });
  return ((await response.json()) as { rows: { status: string }[] }).rows.map(({ status }) => status);
}

const movePoll = (runId: string, ms: number) =>
  sql`update action_runs set attempts = jsonb_set(attempts, '{-1,at}', to_jsonb(${new Date(Date.now() + ms).toISOString()}::text))
    where id = ${runId}`.execute(admin);

test('between two polls of a pending action there is one delayed call and no running invocation, however often it is woken', async () => {
  let isDone = false;
  const shop = await aShop(
    stack,
    handlers,
    (call, response) => {
      if (call.type !== 'action.status') return reply(response, 500, {});
      return reply(
        response,
        200,
        isDone ? { status: 'succeeded', output: {}, display: 'Done.' } : { status: 'pending' },
      );
    },
    [{ ...cancel, effect: 'reconcile', timeoutMs: 1_000 }],
  );
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('cancel my order A-100')).json<SendResult>();
  const card = await awaitEntry(visitor, conversationId, isCard);
  await confirm(visitor, conversationId, card);
  const runId = idOf('actionRun').parse(card.data['runId']);
  await expect.poll(async () => (await shop.run(runId)).attempts.at(-1)?.end).toBe('pending');
  await expect.poll(() => invocationsOf(runId)).toEqual(['scheduled']);

  // As if the last poll were a minute later, so that the next one is due in more than a minute.
  await movePoll(runId, 60_000);
  const ref = { tenantId: shop.tenant.tenantId, runId };
  for (let n = 0; n < 5; n++) await wakeRun(worker.platform.restate, ref);
  await expect.poll(() => invocationsOf(runId)).toEqual(['scheduled', 'scheduled']); // the first one, and one for all five
  expect((await shop.run(runId)).attempts).toHaveLength(2);

  isDone = true;
  await movePoll(runId, -60_000);
  await wakeRun(worker.platform.restate, ref);
  await expect.poll(async () => (await shop.run(runId)).state).toBe('succeeded');
});
