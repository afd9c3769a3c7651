import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { waitUntilRegistered } from '../chat/fixture.ts';
import { startChild, type Child } from '../faults/child.ts';
import { randomFrom, rounds, seed } from '../faults/random.ts';
import { admin, as, aTenant, settings } from '../harness.ts';
import { aWebhookStack, emitTestEvent, patchHealth, rereadAll, type CreatedWebhook } from './fixture.ts';
import { compareLedgers, waitForEmptyQueue } from './ledger.ts';

// Compares committed events with received requests while a worker is killed at random points: before a request, during one,
// or before its result is stored.

const { receiver, api, webhookSettings, worker, restate, dir } = await aWebhookStack();
const kills = Math.max(2, Math.ceil(rounds / 5));
/** The maximum pause between two events of a tenant. */
const pauseMs = rounds >= 100 ? 30 : 120;

test(
  'loses nothing when the data of Restate is deleted while deliveries are pending',
  { timeout: 90_000 },
  async () => {
    const tenant = await aTenant();
    const created = await as(tenant.headers, api.app).post('/webhooks', {
      url: `${receiver.url}/wiped`,
      eventTypes: ['test.*'],
    });
    receiver.secrets = [created.json<CreatedWebhook>().secret];
    let isDown = true;
    receiver.respond = (_call, response) => response.writeHead(isDown ? 500 : 200).end();
    for (let n = 0; n < 20; n++) await emitTestEvent(tenant, n);
    await expect.poll(() => receiver.calls.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(10);
    await restate.kill();
    rmSync(join(dir, 'restate-data'), { recursive: true });
    isDown = false;
    await restate.start();
    await waitUntilRegistered(restate.adminUrl);
    await patchHealth(sql`true`, sql`jsonb_build_object('probeAt', now())`); // otherwise half a minute away
    await rereadAll();
    await waitForEmptyQueue(admin, 60_000);
    const keys = new Set(receiver.calls.map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).toBe(20);
    receiver.respond = undefined;
  },
);

test(
  `loses nothing when a worker is killed ${kills} times, and repeats have the same key and bytes`,
  { timeout: 120_000 + kills * 8_000 },
  async () => {
    await worker.stop(); // replaced by a process that can be killed
    console.log(`webhooks: FAULT_SEED=${seed} kills=${kills}`);
    const rng = randomFrom(seed);
    const random = () => rng.between(0, 1_000) / 1_000;
    const port = String(await freePort());
    const start = () =>
      startChild('src/worker.ts', settings({ ...webhookSettings, WORKER_PORT: port, LOG_LEVEL: 'info' }));
    let child: Child = start();
    await child.ready;
    const tenants = await Promise.all([aTenant(), aTenant(), aTenant()]);
    const secrets: string[] = [];
    for (const tenant of tenants) {
      const url = `${receiver.url}/${tenant.tenantId}`;
      const created = await as(tenant.headers, api.app).post('/webhooks', {
        url,
        eventTypes: ['test.*'],
        rateLimit: 1_000,
      });
      secrets.push(created.json<CreatedWebhook>().secret);
    }
    receiver.secrets.push(...secrets);
    receiver.respond = (call, response) =>
      void setTimeout(() => response.writeHead(call.problem ? 401 : 200).end(), random() * 30);
    let committed = 0;
    let isOver = false;
    const writing = Promise.all(
      tenants.map(async (tenant) => {
        while (!isOver) {
          await emitTestEvent(tenant, committed++);
          await sleep(random() * pauseMs);
        }
      }),
    );
    for (let n = 0; n < kills; n++) {
      await sleep(200 + random() * 1_500);
      child.signal('SIGKILL');
      await child.ended;
      child = start();
      await child.ready;
    }
    isOver = true;
    await writing;
    await waitForEmptyQueue(admin, 110_000);
    const { events } = await compareLedgers(admin, receiver, `${kills} kills`);
    expect(events).toBeGreaterThanOrEqual(committed);
    child.signal('SIGKILL');
  },
);
