import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { until } from '../chat/helpers.ts';
import { sweepChannel } from '../../src/platform/sweeper.ts';
import { startChild } from '../faults/child.ts';
import { admin, anOperator, as, aTenant, settings } from '../harness.ts';
import { settled } from '../settled.ts';
import { aWebhookStack, emitTestEvent, type CreatedWebhook } from '../webhooks/fixture.ts';

const { receiver, api, webhookSettings, worker, restate } = await aWebhookStack();

test(
  'sends nothing while suspended, and every event once after resuming, despite SIGKILL at both times',
  { timeout: 480_000 },
  async () => {
    await worker.stop(); // replaced by a child process that can be killed
    const port = String(await freePort());
    const start = async () => {
      const child = startChild('src/worker.ts', settings({ ...webhookSettings, WORKER_PORT: port, LOG_LEVEL: 'info' }));
      await child.ready;
      // The sweeper does nothing before that, and how long Restate takes to ask a new process depends on the machine.
      await until(() => child.lines.some((line) => line.includes('"registered with Restate"')), 120_000);
      return child;
    };
    let child = await start();
    const kill = async () => {
      child.signal('SIGKILL');
      await child.ended;
      child = await start();
    };
    const tenant = await aTenant();
    const operator = as((await anOperator()).headers, api.app);
    const changeStatus = async (what: 'suspend' | 'resume', body?: object) => {
      const response = await operator.post(`/admin/tenants/${tenant.tenantId}/${what}`, body);
      expect(response.statusCode, response.body).toBe(200);
    };
    const created = await as(tenant.headers, api.app).post('/webhooks', {
      url: `${receiver.url}/held`,
      eventTypes: ['test.*'],
    });
    receiver.secrets = [created.json<CreatedWebhook>().secret];
    await emitTestEvent(tenant, 0);
    await until(() => receiver.calls.length === 1);

    await changeStatus('suspend', { reason: 'a test' });
    for (let n = 1; n <= 10; n++) await emitTestEvent(tenant, n);
    await kill();
    for (let n = 11; n <= 20; n++) await emitTestEvent(tenant, n);
    await settled(restate, tenant, () => api.platform.signals.send(sweepChannel, ''));
    expect(receiver.calls).toHaveLength(1);

    await changeStatus('resume');
    await kill();
    const queuedCount = async () =>
      Number((await sql<{ n: string }>`select count(*) as n from webhook_queue`.execute(admin)).rows[0]?.n);
    await until(async () => (await queuedCount()) === 0, 120_000);
    const keys = receiver.calls.map(({ headers }) => String(headers['idempotency-key']));
    expect(new Set(keys).size).toBe(21);
    // Only a request that was in flight when the worker died may be sent again, with the same key.
    const log = await sql<{ log: { outcome: string }[] }>`select log from webhook_deliveries`.execute(admin);
    const unknown = log.rows.flatMap((row) => row.log).filter(({ outcome }) => outcome === 'unknown').length;
    expect(keys.length).toBeLessThanOrEqual(21 + unknown);
    child.signal('SIGKILL');
    await child.ended;
  },
);
