import { beforeEach, expect, test, vi } from 'vitest';
import { aTenant, listen } from '../harness.ts';
import { aWebhookStack, emitTestEvent } from '../webhooks/fixture.ts';
import { aTerminalOf, errorOf } from './fixture.ts';

const { api, receiver } = await aWebhookStack();
const apiUrl = await listen(api.app);
beforeEach(() => {
  receiver.secrets = [];
  receiver.respond = undefined;
});

async function aSubscriber() {
  const tenant = await aTenant();
  const terminal = await aTerminalOf(tenant, apiUrl, ['webhook.view', 'webhook.manage']);
  const path = `/${tenant.tenantId}`;
  const created = await terminal.json<{ webhook: { id: string }; secret: string }>(
    'webhooks',
    'create',
    receiver.url + path,
  );
  const calls = () => receiver.calls.filter((call) => call.path === path);
  return { tenant, terminal, calls, webhookId: created.webhook.id, secret: created.secret };
}

test('trigger: sends a sample event to the only endpoint and prints the full attempt', async () => {
  const { terminal, calls, secret } = await aSubscriber();
  receiver.secrets = [secret];
  const { code, stdout } = await terminal.run('trigger', 'conversation.created');
  expect(code).toBe(0);
  expect(stdout).toMatch(/✓ attempt 1: succeeded, HTTP 200 from \S+\n {2}dns \S+ ms, connect \S+ ms, tls \S+ ms/);
  expect(calls()).toMatchObject([{ problem: null, body: expect.stringContaining('"type":"conversation.created"') }]);
});

test('trigger: exits with 1 if the endpoint fails, 5 for an unknown event, 2 for an ambiguous endpoint', async () => {
  const { terminal, webhookId } = await aSubscriber();
  receiver.respond = (_call, response) => response.writeHead(500).end('broken');
  const failed = await terminal.run('trigger', 'ping');
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/✗ attempt 1: failed, HTTP 500.*\n[^]*response: broken/);
  expect((await terminal.run('trigger', 'pong')).code).toBe(5);
  await terminal.json('webhooks', 'create', `${receiver.url}/another`);
  const ambiguous = await terminal.run('trigger', 'ping', '--json');
  expect([ambiguous.code, errorOf(ambiguous).reason]).toEqual([2, 'multiple_endpoints']);
  expect((await terminal.run('trigger', 'ping', '--webhook', webhookId)).code).toBe(1);
});

test('webhooks test --security: exits with 0 for a receiver that verifies, 1 for one that accepts everything', async () => {
  const { terminal, webhookId, secret } = await aSubscriber();
  const careless = await terminal.run('webhooks', 'test', webhookId, '--security');
  expect(careless.code).toBe(1);
  expect(careless.stdout).toContain('✗ forged: HTTP 200.');
  receiver.secrets = [secret];
  const knownKeys = new Set<string>();
  receiver.respond = ({ problem, headers }, response) => {
    const key = String(headers['idempotency-key']);
    response.writeHead(problem ? 401 : 200).end(knownKeys.has(key) ? 'again' : 'ok');
    knownKeys.add(key);
  };
  const careful = await terminal.json<{ checks: { name: string; isPassed: boolean }[] }>(
    'webhooks',
    'test',
    webhookId,
    '--security',
  );
  expect(careful.checks.filter(({ isPassed }) => !isPassed)).toEqual([]);
});

test('replay: sends one delivery or a range again, and prints the result', async () => {
  const { tenant, terminal, calls, webhookId } = await aSubscriber();
  for (let n = 0; n < 5; n++) await emitTestEvent(tenant, n);
  const log = () => terminal.json<{ data: { id: string; status: string }[] }>('webhooks', 'deliveries', webhookId);
  await vi.waitFor(
    async () => expect((await log()).data.map(({ status }) => status)).toEqual(Array(5).fill('succeeded')),
    15_000,
  );
  const { data } = await log();
  const one = await terminal.json<{ delivery: { isReplay: boolean } }>('replay', data[0]?.id ?? '');
  expect(one.delivery.isReplay).toBe(true);
  await vi.waitFor(() => expect(calls()).toHaveLength(6), 10_000);
  const every = await terminal.run('webhooks', 'deliveries', webhookId, data[0]?.id ?? '');
  expect(every.stdout).toMatch(/test\.happened: succeeded\n✓ attempt 1: succeeded, HTTP 200/);

  const range = await terminal.json('replay', '--since', '1h', '--status', 'succeeded');
  expect(range).toMatchObject({ replay: { state: 'done', queued: 6 } });
  await vi.waitFor(() => expect(calls()).toHaveLength(12), 10_000);
  expect(new Set(calls().map(({ headers }) => headers['idempotency-key'])).size).toBe(5);
}, 60_000);

test('replay: shows progress in a terminal, and only the result in a pipe', async () => {
  const { terminal } = await aSubscriber();
  const piped = await terminal.run('replay', '--since', '1h');
  expect(piped).toEqual({ code: 0, stdout: 'Queued 0 deliveries.\n', stderr: '' });
  const shown = await terminal.inTerminal(['replay', '--since', '1h']);
  expect(shown).toMatchObject({ code: 0, screen: expect.stringContaining('Deliveries queued: 0') });
});

test('events --follow --json: prints one new event per line', async () => {
  const { tenant, terminal } = await aSubscriber();
  await emitTestEvent(tenant, 1);
  const child = terminal.start(['events', '--follow', '--json', '--after', Buffer.from('p0').toString('base64url')]);
  const lines: string[] = [];
  child.stdout?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
  await vi.waitFor(() => expect(lines.join()).toContain('"n":1'), 10_000);
  await emitTestEvent(tenant, 2);
  await vi.waitFor(() => expect(lines.join()).toContain('"n":2'), 10_000);
  child.kill('SIGINT');
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ tenantId: tenant.tenantId });
});
