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
import { handleCalls, aShop, cancel, reply, type Handler, type Shop } from './fixture.ts';

const stack = await aWebhookStack();
const handlers = new Map<string, Handler>();
handleCalls(stack.receiver, handlers);

/** A stored run that only this test wakes. */
async function aRun({ tenant, ids }: Shop) {
  const run = await inside(tenant.tenantId, async (ctx) => {
    const action = await actions.find(ctx.tx, ids.get('cancel_order') ?? '');
    if (!action) throw new Error('the shop has no such action');
    const { botId, ...spec } = action;
    const environmentId = idOf('environment').parse(tenant.environmentId);
    const ref = { conversationId: null, turnId: null, versionId: null, botId, environmentId };
    const options = { ordinal: 0, endUser: null, language: 'en', isAwaited: false, isTest: true };
    return propose(ctx, runChats, { ...ref, ...options, spec, args: { orderId: 'A-100' } });
  });
  return { tenantId: tenant.tenantId, runId: run.id };
}

test('the late result of a stalled worker does not settle a run that another worker has resent', async () => {
  const [isCarriedOut, mayRespond, mayResume] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const shop = await aShop(
    stack,
    handlers,
    async (call, response) => {
      if (call.type === 'action.status') return reply(response, 200, { status: 'not_found' });
      // The stalled attempt arrives after its deadline.
      if (call.attempt === 1)
        return reply(response, 409, { error: { code: 'too_late', message: 'After the deadline.', retryable: false } });
      isCarriedOut.resolve();
      await mayRespond.promise;
      return reply(response, 200, { output: {}, display: 'Cancelled.' });
    },
    [{ ...cancel, effect: 'reconcile', timeoutMs: 15_000 }],
  );
  const ref = await aRun(shop);
  const fetch = stack.worker.platform.tenantFetch;
  const deps: RunDeps = {
    services,
    fetch,
    chats: runChats,
    assertions: openAssertions(services, 'https://parley.test'),
    log: stack.worker.platform.log,
  };
  const stalledFetch: SafeFetch = async (request) => {
    await mayResume.promise;
    return fetch(request);
  };

  const first = runStep({ ...deps, fetch: stalledFetch }, ref);
  await expect.poll(async () => (await shop.run(ref.runId)).attempts.length).toBe(1);
  // The deadline is over, so the status may be requested.
  await sql`update action_runs set deadline = now() - interval '1 minute' where id = ${ref.runId}`.execute(admin);
  const second = (async () => {
    for (let next = await runStep(deps, ref); next.kind === 'retry'; next = await runStep(deps, ref))
      await sleep(next.afterMs);
  })();
  await isCarriedOut.promise; // status requested after the deadline, not found, resent and carried out
  mayResume.resolve();
  await first;
  expect(await shop.run(ref.runId)).toMatchObject({ state: 'dispatched', attempts: [{ end: 'refused' }, {}, {}] });
  mayRespond.resolve();
  await second;
  expect(await shop.run(ref.runId)).toMatchObject({ state: 'succeeded', outcome: 'succeeded' });
});
