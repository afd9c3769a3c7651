import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import * as actions from '../../src/features/actions/actions.store.ts';
import { runStep, type RunDeps } from '../../src/features/actions/run/step.ts';
import { openAssertions } from '../../src/features/actions/index.ts';
import { propose } from '../../src/features/actions/run/runs.ts';
import { runChats } from '../../src/features/conversations/index.ts';
import { idOf } from '../../src/platform/ids.contract.ts';
import type { SafeFetch } from '../../src/platform/safe-fetch.ts';
import { admin, services, inside } from '../harness.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';
import { answerBy, aShop, cancel, reply, type Handler, type Shop } from './fixture.ts';

const stack = await aWebhookStack();
const handlers = new Map<string, Handler>();
answerBy(stack.receiver, handlers);

/** In the ledger, and woken by nobody but the test. */
async function aRun({ tenant, ids }: Shop) {
  const run = await inside(tenant.tenantId, async (ctx) => {
    const action = await actions.find(ctx.tx, ids.get('cancel_order') ?? '');
    if (!action) throw new Error('the shop has no such action');
    const { botId, ...spec } = action;
    const environmentId = idOf('environment').parse(tenant.environmentId);
    const place = { conversationId: null, turnId: null, versionId: null, botId, environmentId };
    const how = { ordinal: 0, endUser: null, language: 'en', isAwaited: false, isTest: true };
    return propose(ctx, runChats, { ...place, ...how, spec, args: { orderId: 'A-100' } });
  });
  return { tenantId: tenant.tenantId, runId: run.id };
}

test('a worker that stood still, and is heard only when another has sent the call again, does not decide how that one ends', async () => {
  const [isDone, mayAnswer, mayWakeUp] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const shop = await aShop(
    stack,
    handlers,
    async (call, response) => {
      if (call.type === 'action.status') return reply(response, 200, { status: 'not_found' });
      // The one that was stood still with: it comes after its deadline.
      if (call.attempt === 1)
        return reply(response, 409, { error: { code: 'too_late', message: 'After the deadline.', retryable: false } });
      isDone.resolve();
      await mayAnswer.promise;
      return reply(response, 200, { output: {}, display: 'Cancelled.' });
    },
    [{ ...cancel, effect: 'reconcile', timeoutMs: 25_000 }],
  );
  const place = await aRun(shop);
  const fetch = stack.worker.platform.tenantFetch;
  const parts: RunDeps = {
    services,
    fetch,
    chats: runChats,
    assertions: openAssertions(services, 'https://parley.test'),
  };
  const standsStill: SafeFetch = async (request) => {
    await mayWakeUp.promise;
    return fetch(request);
  };

  const first = runStep({ ...parts, fetch: standsStill }, place);
  await expect.poll(async () => (await shop.run(place.runId)).attempts.length).toBe(1);
  // Its time is over: from now on its end may be asked for.
  await sql`update action_runs set deadline = now() - interval '1 minute' where id = ${place.runId}`.execute(admin);
  const second = (async () => {
    for (let next = await runStep(parts, place); next.kind === 'retry'; next = await runStep(parts, place))
      await sleep(next.afterMs);
  })();
  await isDone.promise; // asked after the deadline, not found, sent again, and done
  mayWakeUp.resolve();
  await first;
  expect(await shop.run(place.runId)).toMatchObject({ state: 'dispatched', attempts: [{ end: 'refused' }, {}, {}] });
  mayAnswer.resolve();
  await second;
  expect(await shop.run(place.runId)).toMatchObject({ state: 'succeeded', outcome: 'succeeded' });
});
