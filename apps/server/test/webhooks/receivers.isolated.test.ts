import { createServer as createHttps } from 'node:https';
import type { ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { anAuthority } from '../../../../tools/receiver/certificates.ts';
import { freePort } from '../../../../tools/stack/index.ts';
import { admin, as, aTenant } from '../harness.ts';
import { aWebhookStack, emitTestEvent, type CreatedWebhook, rereadAll } from './fixture.ts';
import { isFull } from '../../../../tools/testing/size.ts';

// Receivers that fail in various ways: each attempt is logged with the right error, and everything is delivered once the
// receiver is fixed.

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

const servers: Server[] = [];
const sockets = new Set<Socket>();
async function listen(server: Server, port: number) {
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  servers.push(server);
}
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

const ports = {
  refusing: await freePort(), // no server
  silent: await freePort(),
  cutting: await freePort(),
  expired: await freePort(),
  misnamed: await freePort(),
  stranger: await freePort(),
  plain: await freePort(),
};
const { receiver, api } = await aWebhookStack({ ports: Object.values(ports) });
const redirectHits: string[] = [];
const acceptAll = (_: unknown, response: ServerResponse) => void response.end('ok');
const yesterday = new Date(Date.now() - 86_400_000);
await listen(
  createServer(() => {}),
  ports.silent,
);
await listen(
  createServer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
  ports.cutting,
);
await listen(
  createServer((socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n'))),
  ports.plain,
);
await listen(createHttps(await receiver.certify('localhost', { notAfterDate: yesterday }), acceptAll), ports.expired);
await listen(createHttps(await receiver.certify('elsewhere.example'), acceptAll), ports.misnamed);
await listen(createHttps(await (await anAuthority('stranger')).certify('localhost'), acceptAll), ports.stranger);
const inside = createServer((socket) => void redirectHits.push(String(socket.remotePort)));
const insidePort = await freePort();
await listen(inside, insidePort);

const drip = (response: ServerResponse) => {
  const timer = setInterval(() => response.write('.'), 1_000);
  response.on('close', () => clearInterval(timer));
};
/** Behaviour of the receiver by path. */
const behaviours: Record<string, (response: ServerResponse) => unknown> = {
  hangs: () => {},
  drips: (response) => drip(response.writeHead(200)),
  resets: (response) => response.socket?.destroy(),
  'resets in the response': (response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half');
    setTimeout(() => response.socket?.destroy(), 50);
  },
  'returns 10 MB': (response) => response.writeHead(200).end(Buffer.alloc(10_000_000, 'x')),
  'fails with 10 MB': (response) => response.writeHead(500).end(Buffer.alloc(10_000_000, 'x')),
  'sends 100 kB of headers': (response) =>
    response.writeHead(200, { 'x-long': 'x'.repeat(15_000), 'x-more': 'y'.repeat(15_000) }).end(),
  'redirects to loopback': (response) => response.writeHead(302, { location: `http://127.0.0.1:${insidePort}/` }).end(),
  'redirects with 307': (response) => response.writeHead(307, { location: `https://localhost:${insidePort}/` }).end(),
  'returns 304': (response) => response.writeHead(304).end(),
  'returns 204': (response) => response.writeHead(204).end(),
  'returns 401': (response) => response.writeHead(401).end(),
};
type Expected = [outcome: 'failed' | 'succeeded', status: number | null, error: string | null];
const expected: Record<string, Expected> = {
  hangs: ['failed', null, 'timeout'],
  drips: ['failed', null, 'timeout'],
  resets: ['failed', null, 'reset'],
  'resets in the response': ['failed', null, 'reset'],
  'returns 10 MB': ['succeeded', 200, null],
  'fails with 10 MB': ['failed', 500, null],
  'sends 100 kB of headers': ['failed', null, 'headers_too_large'],
  'redirects to loopback': ['failed', 302, null],
  'redirects with 307': ['failed', 307, null],
  'returns 304': ['failed', 304, null],
  'returns 204': ['succeeded', 204, null],
  'returns 401': ['failed', 401, null],
  refusing: ['failed', null, 'connect_failed'],
  silent: ['failed', null, 'timeout'],
  cutting: ['failed', null, 'tls_failed'],
  expired: ['failed', null, 'tls_failed'],
  misnamed: ['failed', null, 'tls_failed'],
  stranger: ['failed', null, 'tls_failed'],
  plain: ['failed', null, 'tls_failed'],
};
/** The sample has another one that fails in the same way. */
const onlyInFull = [
  'hangs',
  'resets in the response',
  'fails with 10 MB',
  'redirects with 307',
  'returns 401',
  'cutting',
  'expired',
];
const selected = Object.keys(expected).filter((name) => isFull || !onlyInFull.includes(name));

interface Attempts {
  log: { outcome: string; status: number | null; error: string | null; hint: string; response: string | null }[];
}

/** Attempts of the first delivery of an endpoint, pending or finished. */
const logOf = async (webhookId: string) => {
  const { rows } = await sql<Attempts>`
    select log from webhook_queue where webhook_id = ${webhookId} union all select log from webhook_deliveries where webhook_id = ${webhookId}`.execute(
    admin,
  );
  return rows[0]?.log ?? [];
};
const nameOf = (path: string) => decodeURIComponent(path.slice(1)).replace(/ \(.*/, '');

async function anEndpoint(name: string, url: string) {
  const tenant = await aTenant();
  const client = as(tenant.headers, api.app);
  const created = await client.post('/webhooks', { url, eventTypes: ['test.*'] });
  expect(created.statusCode, created.body).toBe(201);
  const { webhook, secret } = created.json<CreatedWebhook>();
  receiver.secrets.push(secret);
  return { name, tenant, client, webhookId: webhook.id };
}
const urlOf = (name: string) =>
  name in ports
    ? `https://localhost:${ports[name as keyof typeof ports]}/`
    : `${receiver.url}/${encodeURIComponent(name)}`;

test('logs the right error for receivers that refuse, hang, reset, redirect or have bad certificates, and delivers everything once they are fixed', async () => {
  receiver.respond = ({ path }, response) => (behaviours[nameOf(path)] ?? ((r) => r.writeHead(200).end()))(response);
  const endpoints = await Promise.all(selected.map((name) => anEndpoint(name, urlOf(name))));
  await Promise.all(endpoints.map(({ tenant }, n) => emitTestEvent(tenant, n)));
  await expect
    .poll(
      async () =>
        (await Promise.all(endpoints.map(({ webhookId }) => logOf(webhookId)))).every((log) => log.length > 0),
      { timeout: 40_000, interval: 250 },
    )
    .toBe(true);
  const actual: Record<string, Expected> = {};
  for (const { name, webhookId } of endpoints) {
    const [first] = await logOf(webhookId);
    actual[name] = [first?.outcome as 'failed', first?.status ?? null, first?.error ?? null];
    expect(first?.hint.length, name).toBeGreaterThan(8);
    expect(first?.response?.length ?? 0, name).toBeLessThanOrEqual(1_024);
  }
  expect(actual).toEqual(Object.fromEntries(selected.map((name) => [name, expected[name]])));
  expect(redirectHits, 'no redirect was followed').toEqual([]);

  const failed = endpoints.filter(({ name }) => expected[name]?.[0] === 'failed');
  for (const { client, webhookId, name } of failed) {
    const url = `${receiver.url}/${encodeURIComponent(`${name} (fixed)`)}`;
    expect((await client.patch(`/webhooks/${webhookId}`, { url })).statusCode).toBe(200);
  }
  receiver.respond = ({ problem }, response) => response.writeHead(problem ? 401 : 200).end();
  await expect
    .poll(
      async () => {
        // Don't wait for the retries, some of which are minutes away.
        await sql`update webhook_queue set next_attempt_at = now() where leased_until is null`.execute(admin);
        await rereadAll();
        return (await admin.selectFrom('webhookQueue').select('id').execute()).length;
      },
      { timeout: 40_000, interval: 1_000 },
    )
    .toBe(0);
  const events = await admin.selectFrom('events').select(['id', 'body']).where('type', '=', 'test.happened').execute();
  const arrived = Map.groupBy(receiver.calls, ({ headers }) => String(headers['idempotency-key']));
  const lost = events.filter(({ id }) => !arrived.has(id));
  const changed = events.filter(({ id, body }) => arrived.get(id)?.some((call) => call.body !== body));
  const late = receiver.calls.filter(({ headers, at }) => at / 1_000 - Number(headers['x-service-timestamp']) > 5);
  const attempts = (await sql<{ n: number }>`select sum(attempts)::int as n from webhook_deliveries`.execute(admin))
    .rows[0]?.n;
  console.log(
    `webhooks: ${endpoints.length} kinds of receiver, ${events.length} events, ${events.length} deliveries, ${attempts} attempts, ${receiver.calls.length - arrived.size} repeats, ${lost.length} lost`,
  );
  expect({ lost, changed, late }).toEqual({ lost: [], changed: [], late: [] });
  expect(receiver.calls.filter(({ problem }) => problem !== null)).toEqual([]);
});

test('waits as long as `Retry-After` says, up to a day, and ignores invalid values', async () => {
  const now = Date.now();
  const inAnHour = new Date(now + 3_600_000);
  const [day, date, month, year, time] = inAnHour.toUTCString().replace(',', '').split(' ') as [
    string,
    string,
    string,
    string,
    string,
  ];
  const long = inAnHour.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  const allForms: [string, number | null][] = [
    ['120', 120],
    ['  90 ', 90],
    [inAnHour.toUTCString(), 3_600],
    [`${long}, ${date}-${month}-${year.slice(2)} ${time} GMT`, 3_600],
    [`${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`, 3_600],
    ['99999999999', 86_400],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
    ['0', null],
    ['-5', null],
    ['1.5', null],
    [new Date(now - 3_600_000).toUTCString(), null],
    ['soon', null],
    ['', null],
    ['1e9', null],
    [inAnHour.toISOString(), null],
  ];
  const forms = allForms.filter((_, n) => isFull || n % 2 === 0);
  receiver.respond = ({ path }, response) =>
    response.writeHead(429, { 'retry-after': forms[Number(path.slice(1))]?.[0] ?? '' }).end();
  const endpoints = await Promise.all(forms.map((_, n) => anEndpoint(String(n), `${receiver.url}/${n}`)));
  await Promise.all(endpoints.map(({ tenant }, n) => emitTestEvent(tenant, n)));
  const holdSeconds = async (webhookId: string) => {
    const row = await admin
      .selectFrom('webhookHealth')
      .select('health')
      .where('webhookId', '=', webhookId)
      .executeTakeFirst();
    const { failures, holdUntil } = (row?.health ?? { failures: 0 }) as { failures: number; holdUntil: string | null };
    return failures > 0 && (holdUntil === null ? null : Math.round((Date.parse(holdUntil) - now) / 1_000));
  };
  await expect
    .poll(async () => (await Promise.all(endpoints.map(({ webhookId }) => holdSeconds(webhookId)))).includes(false), {
      timeout: 20_000,
    })
    .toBe(false);
  for (const [n, { webhookId }] of endpoints.entries()) {
    const [form, seconds] = forms[n] ?? ['', null];
    const actual = await holdSeconds(webhookId);
    if (seconds === null) expect(actual, form).toBeNull();
    else expect(Math.abs(Number(actual) - seconds), form).toBeLessThanOrEqual(10);
  }
});
