import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from '@parley/sdk/webhooks';
import { afterAll, expect, test } from 'vitest';
import { aTenant, type TestTenant, listen } from '../harness.ts';
import { emitTestEvent, type CreatedWebhook } from '../webhooks/fixture.ts';
import { aTerminalOf, errorOf, outcomeOf } from './fixture.ts';

const apiUrl = await listen();
const mayListen = ['tenant.view', 'webhook.view', 'webhook.manage'];

/** The developer's own server: records requests, and returns 500 to marked ones. */
async function aLocalServer() {
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      bodies.push(body.toString());
      headers.push(request.headers);
      response.writeHead(body.includes('"n":500') ? 500 : 200).end('seen');
    });
  }).listen(0);
  afterAll(() => void server.close());
  return { bodies, headers, forwardTo: `localhost:${(server.address() as AddressInfo).port}/parley` };
}

async function environmentsOf(tenant: TestTenant) {
  const { data } = (await tenant.get('/environments')).json<{ data: { id: string; name: string }[] }>();
  return Object.fromEntries(data.map(({ id, name }) => [name, id])) as { live: string; test: string };
}

test('forwards events of the test environment in order and signed, and shows failures and test events', async () => {
  const tenant = await aTenant({ plan: 'team' });
  const environments = await environmentsOf(tenant);
  const terminal = await aTerminalOf(tenant, apiUrl, mayListen);
  const local = await aLocalServer();
  const to = ['listen', '--forward-to', local.forwardTo];
  const { secret, webhookId } = await terminal.json<{ secret: string; webhookId: string }>(...to, '--print-secret');
  await emitTestEvent(tenant, 1, { environmentId: environments.live });
  for (const n of [2, 500, 4]) await emitTestEvent(tenant, n, { environmentId: environments.test });

  const listening = terminal.start([...to, '--json']);
  await expect.poll(() => local.bodies.length, { timeout: 15_000 }).toBe(3);
  const events = await Promise.all(
    local.bodies.map((body, n) =>
      verifyWebhook({ body, headers: local.headers[n] as Record<string, string>, secrets: secret }),
    ),
  );
  expect(events.map((event) => (event as unknown as { data: { object: { n: number } } }).data.object.n)).toEqual([
    2, 500, 4,
  ]);

  const triggered = await terminal.json<{ attempt: { status: number; response: string } }>(
    'trigger',
    'ping',
    '--webhook',
    webhookId,
  );
  expect(triggered.attempt).toMatchObject({ status: 200, response: 'seen' });
  const ended = outcomeOf(listening);
  listening.kill('SIGINT');
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; status: number });
  expect(lines.map(({ status }) => status)).toEqual([200, 500, 200, 200]);
  expect((await terminal.json<{ secret: string }>(...to, '--print-secret')).secret, 'the same from day to day').toBe(
    secret,
  );
});

test('exits with 5 for an endpoint of another environment, without pausing it', async () => {
  const tenant = await aTenant({ plan: 'team' });
  const terminal = await aTerminalOf(tenant, apiUrl, mayListen);
  const created = (
    await tenant.post('/webhooks', { url: 'https://example.com/', eventTypes: ['*'] })
  ).json<CreatedWebhook>();
  const refused = await terminal.run(
    'listen',
    '--forward-to',
    'localhost:1',
    '--webhook',
    created.webhook.id,
    '--json',
  );
  expect(refused.code).toBe(5);
  expect(errorOf(refused).reason).toBe('environment_mismatch');
  expect((await tenant.get(`/webhooks/${created.webhook.id}`)).json<CreatedWebhook>().webhook.status).toBe('active');
});

test('resumes an endpoint that was in use when it is interrupted', async () => {
  const tenant = await aTenant({ plan: 'team' });
  const { test: environmentId } = await environmentsOf(tenant);
  const terminal = await aTerminalOf(tenant, apiUrl, mayListen);
  const local = await aLocalServer();
  const body = { url: 'https://example.com/', eventTypes: ['*'], environmentId };
  const { webhook } = (await tenant.post('/webhooks', body)).json<CreatedWebhook>();
  const status = async () => (await tenant.get(`/webhooks/${webhook.id}`)).json<CreatedWebhook>().webhook;
  const listening = terminal.start(['listen', '--forward-to', local.forwardTo, '--webhook', webhook.id]);
  await expect.poll(status, { timeout: 15_000 }).toMatchObject({ status: 'paused', isListenedTo: true });
  const ended = outcomeOf(listening);
  listening.kill('SIGINT');
  expect((await ended).code).toBe(130);
  expect(await status()).toMatchObject({ status: 'active' });
});
