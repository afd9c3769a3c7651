import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { aKey, as, aTenant, listen } from '../harness.ts';
import { aWebhookStack, type CreatedWebhook } from '../webhooks/fixture.ts';
import {
  handleCalls,
  aShop,
  awaitEntry,
  isBotMessage,
  lookUp,
  orderSchema,
  reply,
  type Handler,
  type SendResult,
} from './fixture.ts';

// Follows docs/actions.md literally: runs its code and its commands.

const guide = readFileSync(resolve(import.meta.dirname, '../../../../docs/actions.md'), 'utf8');
const blocks = [...guide.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info = '', code = '']) => ({ info, code }));
const codeOf = (info: string) => blocks.filter((block) => block.info === info).map(({ code }) => code);
const [handler = ''] = codeOf('js file=server.mjs');
const commands = codeOf('sh run');
const permissions = [...(/permissions ([\s\S]*?)\(portal/.exec(guide)?.[1] ?? '').matchAll(/`([a-z_.]+)`/g)].map(
  ([, name]) => name,
);

const port = await freePort();
const stack = await aWebhookStack({ ports: [port] });
const apiUrl = await listen(stack.api.app);
const folder = mkdtempSync(join(tmpdir(), 'parley-guide-'));
const serverPort = await freePort();

/** Acts as a tunnel: HTTPS outside, plain HTTP to the developer's machine. */
const { cert, key } = await stack.receiver.certify('localhost');
const forwarded: { token: string; body: string }[] = [];
const tunnel = createServer({ cert, key }, (incoming, outgoing) => {
  const { method, url: path, headers } = incoming;
  const token = String(headers['x-service-end-user']);
  void text(incoming.pipe(new PassThrough())).then((body) => forwarded.push({ token, body }));
  const inner = plainRequest({ host: '127.0.0.1', port: serverPort, method, path, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  inner.once('error', () => outgoing.writeHead(502).end());
  incoming.pipe(inner);
});
await new Promise<void>((done) => tunnel.listen(port, '127.0.0.1', done));

/** The guide starts the server in the background. */
function stopServer() {
  const file = join(folder, 'pid');
  if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')));
  rmSync(file, { force: true });
}
afterAll(async () => {
  stopServer();
  tunnel.closeAllConnections();
  await new Promise((done) => tunnel.close(done));
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the guide's commands one after the other in one shell. */
async function runGuide(env: Record<string, string>, more: readonly string[]) {
  stopServer(); // from an earlier attempt
  const isUp = 'echo $! > pid; until curl -s -o said http://localhost:$PORT; do sleep 0.1; done';
  const [register = '', ...rest] = commands;
  const script = ['set -euo pipefail', register.replace('node server.mjs &', 'node server.mjs >log 2>&1 &'), isUp];
  const { stdout } = await promisify(execFile)('bash', ['-c', [...script, ...rest, ...more].join('\n')], {
    cwd: folder,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, PORT: String(serverPort), ...env },
    timeout: 90_000,
  });
  return stdout;
}

declare function verify(api: string, tenantId: string): (token: string, call: object) => Promise<string>;
declare function complete(endpoint: object, data: object): Promise<Response>;

/** Imports a module of the guide, with the packages it needs. */
async function load<T>(file: string, packages: readonly string[] = []): Promise<T> {
  writeFileSync(join(folder, file), codeOf(`js file=${file}`)[0] ?? '');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of packages) {
    const link = join(folder, 'node_modules', name);
    if (!existsSync(link)) symlinkSync(resolve(import.meta.dirname, '../../../../node_modules', name), link);
  }
  return (await import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href)) as T;
}

const lines = (code: string) => code.split('\n').filter((line) => line.trim() !== '').length;

test('the guide’s handler and action definition are under 40 lines', () => {
  expect(commands).toHaveLength(5);
  const description = /<<END[^\n]*\n([\s\S]*?)\nEND/.exec(commands[1] ?? '')?.[1] ?? '';
  expect(lines(description)).toBeGreaterThan(2);
  expect(lines(handler)).toBeGreaterThan(20);
  expect(lines(handler) + lines(description)).toBeLessThan(40);
});

test('following the guide gives a bot that tells signed-in users the status of their own order', async () => {
  writeFileSync(join(folder, 'server.mjs'), handler);
  const tenant = await aTenant();
  const { app } = stack.api;
  const owner = as(tenant.headers, app);
  const { id: BOT } = (await owner.post('/bots', { name: 'Helper' })).json<{ bot: { id: string } }>().bot;
  expect(permissions.length).toBeGreaterThan(3);
  const { id: KEY_ID, secret: KEY } = await aKey(tenant, { permissions });
  const env = { API: apiUrl, KEY, KEY_ID, BOT, URL: `https://localhost:${port}/` };
  const output = await runGuide(env, ['ask $(session user-8)', 'ask $(session somebody-else)']);
  expect(output).toContain('"succeeded"');
  expect(output.trim().split('\n').slice(-3)).toEqual([
    'Your order A-1001 is on its way to you.',
    'Your order A-1002 is being packed.',
    'You have no open order.',
  ]);

  const { webhook } = JSON.parse(readFileSync(join(folder, 'endpoint.json'), 'utf8')) as CreatedWebhook;
  const tested = await owner.post(`/webhooks/${webhook.id}/test`, { mode: 'security' });
  const { checks } = tested.json<{ checks: { name: string; isPassed: boolean }[] }>();
  expect(checks.map(({ name, isPassed }) => [name, isPassed])).toEqual(
    ['good', 'repeated', 'forged', 'stale', 'mismatched'].map((name) => [name, true]),
  );

  const { verifier } = await load<{ verifier: typeof verify }>('end-user.mjs', ['jose']);
  // Redirects the public URL of the API to its local port.
  const { PUBLIC_URL } = stack.api.platform.config;
  const realFetch = globalThis.fetch;
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) => realFetch(url.replace(PUBLIC_URL, apiUrl), init));
  const verifyUser = verifier(PUBLIC_URL, tenant.tenantId);
  const [first, second] = forwarded.filter(({ body }) => body.includes('"externalUserId":"user-'));
  expect(await verifyUser(first?.token ?? '', JSON.parse(first?.body ?? '') as object)).toMatch(/^user-[78]$/);
  await expect(verifyUser(first?.token ?? '', JSON.parse(second?.body ?? '') as object)).rejects.toThrow(
    'another call',
  );
  await expect(verifier(PUBLIC_URL, 'ten_other')(first?.token ?? '', {})).rejects.toThrow('"aud"');
  vi.unstubAllGlobals();
});

test('the guide’s handler returns 401 for forged, changed or old requests, and 200 for genuine ones', async () => {
  const { secret } = JSON.parse(readFileSync(join(folder, 'endpoint.json'), 'utf8')) as { secret: string };
  const deadline = new Date(Date.now() + 60_000).toISOString();
  const actor = { type: 'contact', externalUserId: 'user-7' };
  const call = { id: 'arun_1', type: 'action.invoke', tenantId: 'ten_1', deadline, actor };
  const body = JSON.stringify(call);
  const send = async (sent: string, { signedWith = secret, secondsAgo = 0, signed = sent } = {}) => {
    const timestamp = String(Math.floor(Date.now() / 1_000) - secondsAgo);
    const signature = createHmac('sha256', signedWith).update(`${timestamp}.${signed}`).digest('hex');
    const headers = {
      'x-service-timestamp': timestamp,
      'x-service-signature': `v1=${'0'.repeat(64)},v1=${signature}`,
      'x-service-tenant-id': 'ten_1',
    };
    const response = await fetch(`http://127.0.0.1:${serverPort}`, { method: 'POST', headers, body: sent });
    return { status: response.status, text: await response.text() };
  };
  expect(await send(body)).toMatchObject({ status: 200, text: expect.stringContaining('A-1001') as string });
  expect((await send(body, { signedWith: 'whsec_guessed' })).status).toBe(401);
  expect((await send(body.replace('user-7', 'user-8'), { signed: body })).status).toBe(401);
  expect((await send(body, { secondsAgo: 301 })).status).toBe(401);
  expect((await send(body, { secondsAgo: -310 })).status).toBe(401);
  expect((await fetch(`http://127.0.0.1:${serverPort}`, { method: 'POST', body })).status).toBe(401);
  const late = JSON.stringify({ ...call, id: 'arun_2', deadline: new Date(Date.now() - 1_000).toISOString() });
  expect((await send(late)).status).toBe(409);
});

test('the guide’s code to finish later ends the run and notifies the visitor', async () => {
  const handlers = new Map<string, Handler>();
  handleCalls(stack.receiver, handlers);
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 202, {}), [lookUp]);
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('where is my order A-777')).json<SendResult>();
  const [run] = await shop.runs();
  const created = await shop.tenant.post(`/webhooks/${shop.webhookId}/inbound-secret`);
  const { secret: inboundSecret } = created.json<{ secret: string }>();
  const guideModule = await load<{ complete: typeof complete }>('complete.mjs');
  const endpoint = { api: apiUrl, tenantId: shop.tenant.tenantId, webhookId: shop.webhookId, inboundSecret };
  const end = { runId: run?.id, status: 'succeeded', output: {}, display: 'It waits at your door.' };
  const responses = [await guideModule.complete(endpoint, end), await guideModule.complete(endpoint, end)];
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  await awaitEntry(visitor, conversationId, isBotMessage(/^It waits at your door\.$/));
  expect((await guideModule.complete({ ...endpoint, inboundSecret: 'whsec_guessed' }, end)).status).toBe(401);
});

test('the guide’s workflow example is accepted', async () => {
  const stepNames = ['find_order', 'reserve_item', 'release_item', 'send_label'];
  const stepFields = { inputSchema: orderSchema, isOffered: false };
  const shop = await aShop(
    stack,
    new Map(),
    () => {},
    stepNames.map((name) => ({ ...stepFields, name, title: name, risk: name === 'find_order' ? 'read' : 'write' })),
  );
  const example = (codeOf('json example=steps')[0] ?? '').replaceAll(
    /<(\w+)>/g,
    (_, name: string) => shop.ids.get(name) ?? '',
  );
  const response = await shop.tenant.post(`/bots/${shop.tenant.botId}/actions`, JSON.parse(example) as object);
  expect(response.statusCode, response.body).toBe(201);
});
