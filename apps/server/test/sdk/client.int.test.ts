import { createParley, each, ParleyError } from '@parley/sdk';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { aKey, aTenant, listen } from '../harness.ts';
import {
  startFaultyProxy,
  dropResponse,
  respondWith,
  respondAfterForwarding,
  dropRequest,
  neverRespond,
  type Fault,
} from './faulty-proxy.ts';

vi.setConfig({ testTimeout: 30_000 });
const proxy = await startFaultyProxy(await listen());
afterAll(() => proxy.stop());
beforeEach(() => proxy.inject());

const permissions = [
  'tenant.view',
  'bot.view',
  'bot.manage',
  'webhook.view',
  'webhook.manage',
  'knowledge.manage',
  'session.create',
];

async function aDeveloper() {
  const tenant = await aTenant({ plan: 'enterprise' });
  const key = await aKey(tenant, { permissions });
  const parley = createParley({ apiUrl: proxy.url, keyId: key.id, key: key.secret });
  const userClient = createParley({ apiUrl: `${proxy.url}/`, accessToken: () => tenant.token });
  const bots = async () => (await parley.listBots()).data.map(({ name }) => name);
  proxy.inject();
  return { tenant, key, parley, userClient, bots };
}
const thrownBy = async (work: Promise<unknown>): Promise<ParleyError> => {
  const error: unknown = await work.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ParleyError)) throw error;
  return error;
};

describe('retries', () => {
  it.each<[string, Fault[]]>([
    ['the request is lost', [dropRequest]],
    ['the response is lost', [dropResponse]],
    ['the response is lost twice', [dropResponse, dropResponse]],
    ['a proxy returns 502 after it was done', [respondAfterForwarding(502)]],
    ['a proxy returns 504 after it was done', [respondAfterForwarding(504)]],
    ['a 503 is followed by a lost request', [respondWith(503), dropRequest]],
    ['the response is 429 with Retry-After', [respondWith(429, { 'retry-after': '0' })]],
    ['the response is 500', [respondWith(500)]],
  ])('creates one resource when %s', async (_case, faults) => {
    const { parley, bots } = await aDeveloper();
    proxy.inject(...faults);
    const { bot } = await parley.createBot({ body: { name: 'Once' } });
    expect(bot.name).toBe('Once');
    expect(proxy.requests).toHaveLength(faults.length + 1);
    const keys = proxy.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
    expect((await bots()).filter((name) => name === 'Once')).toHaveLength(1);
  });

  it('generates a key for each create call; calls with the same custom key create one resource', async () => {
    const { parley, bots } = await aDeveloper();
    const create = (idempotencyKey?: string) =>
      parley.createBot({ body: { name: 'Again' }, ...(idempotencyKey && { idempotencyKey }) });
    await Promise.all([create(), create()]);
    const [first, second] = [await create('mine'), await create('mine')];
    expect(first.bot.id).toBe(second.bot.id);
    expect((await bots()).filter((name) => name === 'Again')).toHaveLength(3);
  });

  it('throws secret_already_shown when the response with a secret was lost', async () => {
    const { userClient } = await aDeveloper();
    proxy.inject(dropResponse);
    const error = await thrownBy(userClient.createApiKey({ body: { name: 'Lost', keyType: 'secret_server' } }));
    expect(error).toMatchObject({ code: 'CONFLICT', reason: 'secret_already_shown', status: 409 });
  });

  it('does not retry a POST without an idempotency key', async () => {
    const { parley, tenant } = await aDeveloper();
    for (const fault of [dropRequest, respondWith(503), respondWith(429, { 'retry-after': '0' })]) {
      proxy.inject(fault);
      await thrownBy(parley.askBot({ path: { id: tenant.botId }, body: { question: 'When?' } }));
      expect(proxy.requests).toHaveLength(1);
      expect(proxy.requests[0]?.headers).not.toHaveProperty('idempotency-key');
    }
  });

  it('retries a PATCH only after 429', async () => {
    const { parley, tenant } = await aDeveloper();
    const rename = () => parley.updateBot({ path: { id: tenant.botId }, body: { name: 'Renamed' } });
    proxy.inject(dropResponse);
    expect(await thrownBy(rename())).toMatchObject({ code: 'NETWORK' });
    expect(proxy.requests).toHaveLength(1);
    proxy.inject(respondWith(429, { 'retry-after': '0' }));
    expect((await rename()).bot.name).toBe('Renamed');
  });

  it('does not retry 404', async () => {
    const { parley } = await aDeveloper();
    await thrownBy(parley.getBot({ path: { id: 'bot_01jz0000000000000000000000' } }));
    expect(proxy.requests).toHaveLength(1);
  });
});

describe('limits', () => {
  it('retries twice by default', async () => {
    const { parley } = await aDeveloper();
    proxy.inject(respondWith(503), respondWith(503), respondWith(503), respondWith(503));
    expect(await thrownBy(parley.getMe())).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      reason: 'http_503',
      status: 503,
    });
    expect(proxy.requests).toHaveLength(3);
    proxy.inject(respondWith(503), respondWith(503));
    await thrownBy(parley.getMe({ maxRetries: 0 }));
    expect(proxy.requests).toHaveLength(1);
  });

  it('waits for Retry-After, up to a minute', async () => {
    const { parley } = await aDeveloper();
    proxy.inject(respondWith(429, { 'retry-after': '1' }));
    const startedAt = performance.now();
    await parley.getMe();
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    proxy.inject(respondWith(429, { 'retry-after': '3600' }));
    expect(await thrownBy(parley.getMe())).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
    expect(proxy.requests).toHaveLength(1);
  });

  it('times out each attempt, and the error has the request id that was sent', async () => {
    const { parley } = await aDeveloper();
    proxy.inject(neverRespond, neverRespond);
    const error = await thrownBy(parley.getMe({ timeoutMs: 100, maxRetries: 1 }));
    expect(error).toMatchObject({ code: 'NETWORK', reason: 'timeout', status: null });
    expect(proxy.requests.map(({ headers }) => headers['x-request-id'])).toEqual([error.requestId, error.requestId]);
  });

  it('can be aborted during a request and while waiting for a retry', async () => {
    const { parley } = await aDeveloper();
    const cases: [Fault, number][] = [
      [neverRespond, 0],
      [respondWith(503, { 'retry-after': '20' }), 2],
    ];
    for (const [fault, maxRetries] of cases) {
      proxy.inject(fault);
      const abort = new AbortController();
      const call = parley.getMe({ signal: abort.signal, maxRetries });
      await expect.poll(() => proxy.requests.length).toBe(1);
      const reason = new Error('aborted');
      setTimeout(() => abort.abort(reason), 50);
      await expect(call).rejects.toBe(reason);
      expect(proxy.requests).toHaveLength(1);
    }
  });
});

describe('errors', () => {
  it('have code, reason, status and request id for 400, 401, 403 and 404, and details for 400', async () => {
    const { parley, key } = await aDeveloper();
    const invalid = await thrownBy(parley.createBot({ body: { name: '' } }));
    expect(invalid).toMatchObject({ code: 'VALIDATION_ERROR', reason: 'invalid_fields', status: 400 });
    expect(invalid.details).toMatchObject([{ path: '/name' }]);
    expect(invalid.message).toContain('\n  /name: ');
    expect(invalid.requestId).toMatch(/^req_/);
    const stranger = createParley({ apiUrl: proxy.url, keyId: key.id, key: `${key.secret.slice(0, -4)}0000` });
    expect(await thrownBy(stranger.getMe())).toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
    expect(await thrownBy(parley.listMembers())).toMatchObject({ reason: 'permission_missing', status: 403 });
    expect(await thrownBy(parley.getBot({ path: { id: 'bot_01jz0000000000000000000000' } }))).toMatchObject({
      reason: 'bot_not_found',
      status: 404,
    });
  });

  it('have the code NETWORK when the server is unreachable', async () => {
    const unreachable = createParley({ apiUrl: 'http://127.0.0.1:9', keyId: 'key_1', key: 'sc_live_1', maxRetries: 0 });
    const error = await thrownBy(unreachable.getMe());
    expect(error).toMatchObject({ code: 'NETWORK', reason: 'no_response', status: null });
    expect(error.requestId).toMatch(/^[\da-f-]{36}$/);
    expect(error.message).toContain('127.0.0.1:9');
  });

  it('are thrown for redirects, which are not followed, to protect the key', async () => {
    const { parley } = await aDeveloper();
    proxy.inject(respondWith(302, { location: '/elsewhere' }));
    expect(await thrownBy(parley.getMe())).toMatchObject({ code: 'UNEXPECTED_RESPONSE', status: 302 });
    expect(proxy.requests).toHaveLength(1);
  });

  it('are thrown for a 200 that is not JSON', async () => {
    const { parley } = await aDeveloper();
    proxy.inject(respondWith(200));
    expect(await thrownBy(parley.getMe())).toMatchObject({ code: 'UNEXPECTED_RESPONSE', reason: 'http_200' });
  });

  it('name a missing option before anything is sent', () => {
    const from = (env: Record<string, string>) =>
      createParley({ apiUrl: env['API'] ?? '', keyId: env['ID'] ?? '', key: env['KEY'] ?? '' });
    expect(() => from({})).toThrow('apiUrl is missing');
    expect(() => from({ API: 'https://x.example', ID: 'key_1' })).toThrow('key is missing');
  });

  it.each(['', '.', '..'])('are thrown for the id ‘%s’, which would change the path', async (id) => {
    const { parley } = await aDeveloper();
    await expect(parley.getBot({ path: { id } })).rejects.toThrow(TypeError);
    await parley.getBot({ path: { id: 'a/../../b?c' } }).catch(() => {});
    expect(proxy.requests.map(({ url }) => url)).toEqual(['/bots/a%2F..%2F..%2Fb%3Fc']);
  });
});

describe('client', () => {
  it('each: iterates over all pages, fetching them when needed', async () => {
    const { parley } = await aDeveloper();
    for (const n of [1, 2, 3, 4]) await parley.createBot({ body: { name: `Bot ${n}` } });
    proxy.inject();
    const names: string[] = [];
    for await (const bot of each(parley.listBots, { query: { limit: 2 } })) names.push(bot.name);
    expect(names.toSorted()).toEqual(['Bot', 'Bot 1', 'Bot 2', 'Bot 3', 'Bot 4']);
    expect(proxy.requests).toHaveLength(3);
    proxy.inject();
    for await (const _first of each(parley.listBots, { query: { limit: 2 } })) break;
    expect(proxy.requests).toHaveLength(1);
    const { nextCursor } = await parley.listBots({ query: { limit: 2 } });
    const rest: string[] = [];
    for await (const bot of each(parley.listBots, { query: { limit: 2, cursor: nextCursor ?? '' } }))
      rest.push(bot.name);
    expect(rest).toEqual(names.slice(2));
  });

  it('uploads a file unchanged', async () => {
    const { parley, tenant } = await aDeveloper();
    const { source } = await parley.createKnowledgeSource({
      path: { botId: tenant.botId },
      body: { kind: 'file', name: 'Terms', fileName: 'terms.txt' },
    });
    const file = new Blob(['You have 30 days to send it back.']);
    const uploaded = await parley.uploadKnowledgeFile({ path: { id: source.id }, body: file });
    expect(uploaded.source.id).toBe(source.id);
  });

  it('sends the API version of its types', async () => {
    const { parley } = await aDeveloper();
    await parley.getMe();
    expect(proxy.requests[0]?.headers['x-service-version']).toBe('2026-11-14');
    expect(proxy.requests[0]?.headers['user-agent']).toMatch(/^parley-sdk\/\d/);
  });

  it('createWidgetSession: resolves workspace and environment once', async () => {
    const { parley, tenant } = await aDeveloper();
    const { environments } = await deployed(parley, tenant.botId);
    proxy.inject();
    const user = { botId: tenant.botId, externalUserId: 'user-7', email: 'kim@shop.example' };
    const session = await parley.createWidgetSession(user);
    expect(session).toMatchObject({ sessionToken: expect.any(String), contactId: expect.stringMatching(/^con_/) });
    await Promise.all([parley.createWidgetSession(user), parley.createWidgetSession(user)]);
    const paths = proxy.requests.map(({ url }) => url.split('?')[0]);
    expect(paths.filter((url) => url === '/widget/sessions/authenticated')).toHaveLength(3);
    expect(paths).toHaveLength(6);
    const test = await parley.createWidgetSession({ ...user, environmentId: environments['test'] ?? '' });
    expect(test.contactId).not.toBe(session.contactId);
  });

  it('createWidgetSession: resolves them again after a failure', async () => {
    const { parley, tenant } = await aDeveloper();
    const user = { botId: tenant.botId, externalUserId: 'user-7', email: 'kim@shop.example' };
    proxy.inject(...Array.from({ length: 6 }, () => respondWith(503)));
    expect(await thrownBy(parley.createWidgetSession(user))).toMatchObject({ status: 503 });
    await deployed(parley, tenant.botId);
    expect(await parley.createWidgetSession(user)).toHaveProperty('sessionToken');
  });
});

async function deployed(parley: ReturnType<typeof createParley>, botId: string) {
  const { version } = await parley.publishBot({ path: { id: botId }, body: {} });
  const { data } = await parley.listEnvironments();
  for (const { id } of data)
    await parley.deployBot({ path: { id: botId }, body: { environmentId: id, versionId: version.id } });
  return { environments: Object.fromEntries(data.map(({ name, id }) => [name, id])) };
}
