import { rmSync } from 'node:fs';
import { implement } from '@restatedev/restate-sdk';
import { expect, test } from 'vitest';
import { startRestate } from '../../../../tools/stack/index.ts';
import { overdueTurns } from '../../src/features/conversations/conversations.reactions.ts';
import { conversationObject } from '../../src/features/conversations/turn/conversation.interface.ts';
import { newId } from '../../src/platform/ids.ts';
import { connectRestate } from '../../src/platform/restate-client.ts';
import { openDeployments } from '../../src/platform/deployments.ts';
import { keepRegistered } from '../../src/platform/registration.ts';
import { durableDefaults, serveDurable } from '../../src/platform/restate.ts';
import { callKeyOf } from '../../src/platform/sweeper.ts';
import { createLog } from '../../src/platform/telemetry.ts';
import { ownDir } from '../harness.ts';

test('the sweeper’s calls do not pile up behind one that is still waiting, and it calls again after twice the time', async () => {
  const dir = ownDir('sweeper-calls');
  const restate = await startRestate(dir, { partitions: 1 });
  const log = createLog('test', 'silent');
  let [calls, release] = [0, () => {}];
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  const stuck = implement(conversationObject, {
    options: durableDefaults,
    handlers: {
      run: async () => {
        calls++;
        await isReleased;
      },
    },
  });
  const worker = await serveDurable({
    services: [stuck],
    log,
    host: '127.0.0.1',
    port: 0,
    identityKeys: [restate.identityKey],
  });
  const workerUrl = `http://127.0.0.1:${worker.port}`;
  const registered = keepRegistered({
    deployments: openDeployments(restate.adminUrl),
    workerUrl,
    services: [stuck],
    force: true,
    log,
  });
  const dueAt = new Date();
  const timer = { kind: 'turn', tenantId: newId('tenant'), subjectId: 'conv_1/turn_1', dueAt };
  const handlers = overdueTurns(connectRestate(restate.ingressUrl));
  const wake = async (callKey?: string) => handlers['turn']?.({ ...timer, ...(callKey && { callKey }) });
  const wakeAfter = (seconds: number) => wake(callKeyOf(timer, new Date(dueAt.getTime() + seconds * 1_000)));
  const open = async () => {
    const body = JSON.stringify({ query: "select id from sys_invocation where status <> 'completed'" });
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await fetch(`${restate.adminUrl}/query`, { method: 'POST', body, headers });
    return ((await response.json()) as { rows: unknown[] }).rows.length;
  };

  const isAccepted = () =>
    wakeAfter(130).then(
      () => true,
      () => false,
    );
  await expect.poll(isAccepted, { timeout: 20_000 }).toBe(true); // once it is registered
  for (const seconds of [160, 190, 220, 250]) await wakeAfter(seconds);
  expect(await open()).toBe(1);
  await wakeAfter(280);
  expect(await open()).toBe(2);
  await wake(); // when a tenant is resumed: always a new call, because the last one may have seen it suspended
  expect(await open()).toBe(3);
  release();
  await expect.poll(() => calls, { timeout: 10_000 }).toBe(3);

  await registered.stop();
  await worker.stop(1);
  await restate.stop();
  rmSync(dir, { recursive: true, force: true });
}, 60_000);
