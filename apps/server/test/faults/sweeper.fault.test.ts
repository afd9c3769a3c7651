import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { implement } from '@restatedev/restate-sdk';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startRestate } from '../../../../tools/stack/index.ts';
import { countOf, isFull } from '../../../../tools/testing/size.ts';
import { overdueTurns } from '../../src/features/conversations/conversations.reactions.ts';
import { conversationObject } from '../../src/features/conversations/turn/conversation.interface.ts';
import { newId } from '../../src/platform/ids.ts';
import { openDeployments } from '../../src/platform/deployments.ts';
import { keepRegistered } from '../../src/platform/registration.ts';
import { connectRestate, sendOptions } from '../../src/platform/restate-client.ts';
import { durableDefaults, serveDurable } from '../../src/platform/restate.ts';
import { startSweeper } from '../../src/platform/sweeper.ts';
import { createLog } from '../../src/platform/telemetry.ts';
import { admin, ownDir, services } from '../harness.ts';
import { waitUntilRegistered } from '../chat/fixture.ts';

/** More than a sweeper leases in one poll, which is 500. */
const timers = countOf('TIMERS', { sample: 600, full: 200_000 });
const log = createLog('test', 'silent');
const dir = ownDir('sweeper-restate');
const restate = await startRestate(dir, { partitions: 4 });
const client = connectRestate(restate.ingressUrl);
const tenantId = newId('tenant');

/** How often each turn was run, instead of answering it. The timers stay set, so that only leases keep sweepers from them. */
const runs = new Map<string, number>();
const durable = [
  implement(conversationObject, {
    options: durableDefaults,
    handlers: {
      run: async (_ctx, { turnId }) => {
        runs.set(turnId, (runs.get(turnId) ?? 0) + 1);
      },
    },
  }),
];
const identityKeys = [restate.identityKey];
const worker = await serveDurable({ services: durable, log, host: '127.0.0.1', port: 0, identityKeys });
const registered = keepRegistered({
  deployments: openDeployments(restate.adminUrl),
  workerUrl: `http://127.0.0.1:${worker.port}`,
  services: durable,
  force: true,
  log,
  everyMs: 200,
});
afterAll(async () => {
  await registered.stop();
  await restate.kill();
  await worker.stop(1);
  rmSync(dir, { recursive: true, force: true });
});

/** Two sweepers until each timer has been run `times`, and one sweep more. Returns the number of calls. */
async function sweepUntilRun(times: number): Promise<number> {
  let calls = 0;
  const [graceSeconds, onRecovered] = [3_600, () => calls++];
  const handlers = overdueTurns(client);
  const sweepers = [1, 2].map(() => startSweeper({ services, handlers, log, graceSeconds, onRecovered }));
  const isRun = () => runs.size === timers && [...runs.values()].every((count) => count >= times);
  await expect.poll(isRun, { timeout: isFull ? 3_600_000 : 60_000, interval: 200 }).toBe(true);
  for (const { wake } of sweepers) wake();
  await Promise.all(sweepers.map(({ stop }) => stop()));
  return calls;
}

test(
  `calls each of ${timers} timers once per lease, with two sweepers, after Restate is wiped`,
  { timeout: isFull ? 2 * 3_600_000 : 120_000 },
  async () => {
    await waitUntilRegistered(restate.adminUrl);
    await sql`insert into directory.timers (kind, tenant_id, subject_id, due_at)
      select 'turn', ${tenantId}, 'conv_' || n || '/turn_' || n, now() + interval '1 hour' from generate_series(1, ${timers}::int) as n`.execute(
      admin,
    );
    const later = sendOptions<never>({ delayMs: 3_600_000 });
    for (const n of [1, 2, 3])
      await client
        .sendClient(conversationObject, `${tenantId}/conv_${n}`)
        .run({ tenantId, conversationId: newId('conversation'), turnId: `turn_${n}` }, later);

    await restate.kill();
    rmSync(join(dir, 'restate-data'), { recursive: true });
    await restate.start();
    await waitUntilRegistered(restate.adminUrl);
    await sql`update directory.timers set due_at = now() - interval '2 hours'`.execute(admin);
    const startedAt = Date.now();
    expect(await sweepUntilRun(1), 'calls').toBe(timers);
    console.log(`sweeper: TIMERS=${timers}, called within ${Math.round((Date.now() - startedAt) / 1_000)} s`);
    expect(new Set(runs.values())).toEqual(new Set([1]));

    // They are still overdue when the leases have expired.
    await sql`update directory.timers set leased_until = now(), due_at = due_at - interval '3 hours'`.execute(admin);
    expect(await sweepUntilRun(2), 'calls').toBe(timers);
    expect(new Set(runs.values())).toEqual(new Set([2]));
  },
);
