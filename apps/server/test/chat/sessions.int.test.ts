import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { admin, aKey, aSessionKey, anOperator, eventsOf, settings, type TestTenant } from '../harness.ts';
import {
  aBot,
  aChatStack,
  aTenant,
  aVisitor,
  startWorkerInProcess,
  openApi,
  page,
  type SessionResponse,
  type TestBot,
} from './fixture.ts';
import { allow, allTables, anIp, noValkey, open, publish, refresh, until, type SendResponse } from './helpers.ts';

const { chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
const deaf = await openApi({ ...chatSettings, ...(await noValkey()) });
/** A process that is connected to Valkey but receives no signals. */
const apart = await openApi({ ...chatSettings, VALKEY_PREFIX: `${settings()['VALKEY_PREFIX']}apart:` });
let stopped: Promise<void> | undefined;
/** After this, none of them writes any more: buffers are flushed and pending work is done. */
const stopAll = () =>
  (stopped ??= (async () => {
    await Promise.all([close(), deaf.close(), apart.close()]);
    await worker.stop();
  })());
afterAll(stopAll);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

let tenant: TestTenant;
let bot: TestBot;
beforeAll(async () => {
  tenant = await aTenant();
  bot = await aBot(tenant);
});

const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error: { reason: string } }).error.reason;
const expectRejected = (response: { statusCode: number; body: string }, status: number, reason: string) => {
  expect([response.statusCode, reasonOf(response)], response.body).toEqual([status, reason]);
};

describe('POST /widget/sessions/anonymous', () => {
  test('returns 200 for a widget key, its bot and an allowed origin', async () => {
    const response = await open(app, bot);
    expect(response.statusCode, response.body).toBe(200);
    const { expiresAt, config, conversation } = response.json<
      SessionResponse & { expiresAt: string; config: object }
    >();
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(29 * 60_000);
    expect(config).toMatchObject({ botId: bot.botId, versionId: bot.versionId });
    expect(conversation).toBeNull();
  });

  test('returns 401 when the key is bound to another bot, of this tenant or another', async () => {
    const another = (await tenant.post('/bots', { name: 'Another' })).json<{ bot: { id: string } }>().bot.id;
    expectRejected(await open(app, { ...bot, botId: another }), 401, 'bot_mismatch');
    const stranger = await aTenant();
    expectRejected(await open(app, { ...bot, botId: stranger.botId }), 401, 'bot_mismatch');
  });

  test('returns 401 for a missing, wrong or truncated key', async () => {
    for (const publicKey of ['x', 'pk_live_x', `${bot.publicKey}x`, bot.publicKey.slice(0, -1)])
      expectRejected(await open(app, { ...bot, publicKey }), 401, 'invalid_api_key');
  });

  test('returns 403 for an origin that the bot does not allow', async () => {
    for (const origin of ['https://evil.example', 'http://shop.example', 'https://shop.example:8443', 'null'])
      expectRejected(await open(app, bot, { origin }), 403, 'origin_not_allowed');
  });

  test('returns 403 without an Origin header', async () => {
    expectRejected(await open(app, bot, { origin: null }), 403, 'origin_missing');
  });

  test('returns 401 for a server key, and notifies its owner once, not per page view', async () => {
    const owner = await aTenant();
    const { secret } = await aKey(owner);
    const views = await Promise.all(Array.from({ length: 25 }, () => open(app, { ...bot, publicKey: secret })));
    for (const view of views) expectRejected(view, 401, 'invalid_api_key');
    expectRejected(await open(app, { botId: owner.botId, publicKey: secret }), 401, 'invalid_api_key');
    expect((await eventsOf(owner.tenantId)).filter((type) => type === 'api_key.exposed')).toHaveLength(1);
    const log = await owner.get('/audit-log?limit=100');
    expect(log.body.match(/"api_key\.exposed"/g), log.body).toHaveLength(1);
  });

  test('returns 401 for an expired, rotated or revoked key', async () => {
    const make = async (more: object = {}) =>
      (await tenant.post('/api-keys', { name: 'K', keyType: 'public_widget', boundBotId: bot.botId, ...more })).json<{
        secret: string;
        apiKey: { id: string };
      }>();
    const ending = await make({ expiresAt: new Date(Date.now() + 600_000).toISOString() });
    const rotated = await make();
    const revoked = await make();
    const opensWith = async ({ secret }: { secret: string }) =>
      (await open(app, { ...bot, publicKey: secret })).statusCode === 200;
    for (const key of [ending, rotated, revoked]) expect(await opensWith(key)).toBe(true);
    const renewed = await tenant.post(`/api-keys/${rotated.apiKey.id}/rotate`, { overlapSeconds: 0 });
    await tenant.post(`/api-keys/${revoked.apiKey.id}/revoke`);
    for (const key of [rotated, revoked]) await until(async () => !(await opensWith(key)));
    expectRejected(await open(app, { ...bot, publicKey: rotated.secret }), 401, 'key_expired');
    expectRejected(await open(app, { ...bot, publicKey: revoked.secret }), 401, 'invalid_api_key');
    expect(await opensWith(renewed.json<{ secret: string }>())).toBe(true);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
    expectRejected(await open(app, { ...bot, publicKey: ending.secret }), 401, 'key_expired');
  });

  test('returns 403 for a paused or archived bot', async () => {
    const other = await aTenant();
    const paused = await aBot(other);
    for (const status of ['paused', 'archived']) {
      await other.patch(`/bots/${paused.botId}`, { status });
      await until(async () => (await open(app, paused)).statusCode !== 200);
      expectRejected(await open(app, paused), 403, 'bot_not_active');
    }
  });

  test('returns 409 for a bot that was never published', async () => {
    const other = await aTenant();
    await other.patch(`/bots/${other.botId}`, { allowedOrigins: [page] });
    const key = await other.post('/api-keys', { name: 'K', keyType: 'public_widget', boundBotId: other.botId });
    const { secret: publicKey } = key.json<{ secret: string }>();
    expectRejected(await open(app, { botId: other.botId, publicKey }), 409, 'bot_not_published');
  });

  test('matches a wildcard origin against subdomains of any depth, and nothing else', async () => {
    const other = await aTenant();
    const wide = await aBot(other);
    await other.patch(`/bots/${wide.botId}`, { allowedOrigins: ['https://*.shop.example'] });
    await until(async () => (await open(app, wide, { origin: 'https://a.shop.example' })).statusCode === 200);
    expect((await open(app, wide, { origin: 'https://a.b.shop.example' })).statusCode).toBe(200);
    const others = ['https://shop.example', 'https://evilshop.example', 'https://a.shop.example.evil.example'];
    for (const origin of [...others, 'http://a.shop.example', 'https://a.shop.example:444', 'https://.shop.example'])
      expectRejected(await open(app, wide, { origin }), 403, 'origin_not_allowed');
  });

  test('uses the environment of the key, or live if it has none', async () => {
    const other = await aTenant();
    const both = await aBot(other); // version 1 in live
    const environments = await admin
      .selectFrom('environments')
      .selectAll()
      .where('tenantId', '=', other.tenantId)
      .execute();
    const testing = environments.find(({ name }) => name === 'test')?.id ?? '';
    const inTest = await publish(other, both.botId, { greeting: 'In test' }, testing);
    const keyFor = async (more: object) =>
      (await other.post('/api-keys', { name: 'K', keyType: 'public_widget', boundBotId: both.botId, ...more })).json<{
        secret: string;
      }>().secret;
    const versionFor = async (more: object) => {
      const response = await open(app, { ...both, publicKey: await keyFor(more) });
      return response.json<{ config: { versionId: string } }>().config.versionId;
    };
    expect(await versionFor({ environmentId: testing })).toBe(inTest);
    expect(await versionFor({})).toBe(both.versionId);
    const visitor = await aVisitor(app, { ...both, publicKey: await keyFor({ environmentId: testing }) });
    const { conversationId } = (await visitor.say('hello')).json<SendResponse>();
    const row = await admin.selectFrom('conversations').selectAll().where('id', '=', conversationId).executeTakeFirst();
    expect(row).toMatchObject({ environmentId: testing, versionId: inTest });
  });
});

describe('POST /widget/sessions/authenticated', () => {
  const bodyFor = (more: object = {}) => ({
    tenantId: tenant.tenantId,
    workspaceId: tenant.workspaceId,
    environmentId: tenant.environmentId,
    botId: bot.botId,
    externalUserId: 'user-1',
    email: 'user-1@example.com',
    ...more,
  });
  const openAs = (headers: Record<string, string>, more: object = {}) =>
    app.inject({ method: 'POST', url: '/widget/sessions/authenticated', headers, payload: bodyFor(more) });

  test('returns 401 for a widget key, no key, or a member’s access token', async () => {
    expectRejected(await openAs({ authorization: `Bearer ${bot.publicKey}` }), 401, 'wrong_key_type');
    const withId = { authorization: `Bearer ${bot.publicKey}`, 'x-service-api-key-id': bot.keyId };
    expectRejected(await openAs(withId), 401, 'wrong_key_type');
    expectRejected(await openAs({}), 401, 'credential_missing');
    expectRejected(await openAs(tenant.headers), 401, 'server_key_required');
  });

  test('returns 403 permission_missing when the key lacks session.create', async () => {
    expectRejected(
      await openAs((await aKey(tenant, { permissions: ['bot.view'] })).headers),
      403,
      'permission_missing',
    );
  });

  test('returns 401 for a key with another id, and for a revoked one', async () => {
    const [key, other] = [await aSessionKey(tenant), await aSessionKey(tenant)];
    const mixed = { ...key.headers, 'x-service-api-key-id': other.id };
    expectRejected(await openAs(mixed), 401, 'invalid_api_key');
    expect((await openAs(key.headers)).statusCode).toBe(200);
    await tenant.post(`/api-keys/${key.id}/revoke`);
    await until(async () => (await openAs(key.headers)).statusCode === 401);
  });

  test('returns 403, 404 or 400 for each field that does not belong to the key’s tenant', async () => {
    const key = await aSessionKey(tenant);
    const stranger = await aTenant();
    expectRejected(await openAs(key.headers, { tenantId: stranger.tenantId }), 403, 'tenant_mismatch');
    expectRejected(await openAs(key.headers, { workspaceId: stranger.workspaceId }), 404, 'bot_not_found');
    expectRejected(await openAs(key.headers, { environmentId: stranger.environmentId }), 404, 'environment_not_found');
    expectRejected(await openAs(key.headers, { botId: stranger.botId }), 404, 'bot_not_found');
    expect((await openAs(key.headers, { externalUserId: '' })).statusCode).toBe(400);
    expect((await openAs(key.headers, { email: 'not an address' })).statusCode).toBe(400);
    for (const field of Object.keys(bodyFor()))
      expect((await openAs(key.headers, { [field]: undefined })).statusCode, field).toBe(400);
  });

  test('returns 401 for each field that contradicts the key’s bindings', async () => {
    const workspace = await tenant.post('/workspaces', { name: 'Second' });
    const workspaceId = workspace.json<{ workspace?: { id: string } }>().workspace?.id;
    const environments = await admin
      .selectFrom('environments')
      .selectAll()
      .where('tenantId', '=', tenant.tenantId)
      .execute();
    const testing = environments.find(({ name }) => name === 'test')?.id;
    const another = (await tenant.post('/bots', { name: 'Other' })).json<{ bot: { id: string } }>().bot.id;
    const bindings = [{ environmentId: testing }, { boundBotId: another }, ...(workspaceId ? [{ workspaceId }] : [])];
    for (const binding of bindings)
      expectRejected(await openAs((await aSessionKey(tenant, binding)).headers), 401, 'key_binding_mismatch');
    const fitting = { environmentId: tenant.environmentId, boundBotId: bot.botId, workspaceId: tenant.workspaceId };
    expect((await openAs((await aSessionKey(tenant, fitting)).headers)).statusCode).toBe(200);
  });

  test('returns 409 for an environment without a deployment', async () => {
    const environments = await admin
      .selectFrom('environments')
      .selectAll()
      .where('tenantId', '=', tenant.tenantId)
      .execute();
    const testing = environments.find(({ name }) => name === 'test')?.id;
    expectRejected(
      await openAs((await aSessionKey(tenant)).headers, { environmentId: testing }),
      409,
      'bot_not_published',
    );
  });

  test('returns the same contact id before and after the first message, but not in another environment', async () => {
    const key = await aSessionKey(tenant);
    const [one, two] = await Promise.all([1, 2].map(() => openAs(key.headers, { externalUserId: 'same' })));
    const first = one?.json<{ contactId: string; sessionToken: string }>();
    expect(two?.json<{ contactId: string }>().contactId).toBe(first?.contactId);
    const contacts = () => admin.selectFrom('contacts').selectAll().where('tenantId', '=', tenant.tenantId).execute();
    expect(await contacts()).toHaveLength(0);
    const sent = await app.inject({
      method: 'POST',
      url: `/widget/chatbots/${bot.botId}/message`,
      remoteAddress: anIp(),
      payload: { sessionToken: first?.sessionToken, message: 'how much is delivery?' },
    });
    expect(sent.statusCode, sent.body).toBe(200);
    expect(await contacts()).toMatchObject([{ id: first?.contactId, externalUserId: 'same' }]);
    const after = await openAs(key.headers, { externalUserId: 'same', email: 'new@example.com' });
    expect(after.json<{ contactId: string }>().contactId).toBe(first?.contactId);
    const other = await openAs(key.headers, { externalUserId: 'somebody else' });
    expect(other.json<{ contactId: string }>().contactId).not.toBe(first?.contactId);
    expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'contact.created')).toHaveLength(1);
  });
});

describe('rate limits', () => {
  const fresh = async () => aBot(await aTenant());

  test('returns 429 with Retry-After for the 31st session in a minute from one IP and key', async () => {
    const limited = await fresh();
    const ip = anIp();
    const responses = await Promise.all(Array.from({ length: 30 }, () => open(app, limited, { ip })));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 30 }, () => 200));
    expect(responses[0]?.headers['ratelimit-policy']).toBe('"widget-sessions";q=30;w=60');
    expect(responses[0]?.headers['ratelimit']).toMatch(/^"widget-sessions";r=\d+;t=\d+$/);
    const refusal = await open(app, limited, { ip });
    expectRejected(refusal, 429, 'too_many_requests');
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
    expect(refusal.headers['ratelimit']).toMatch(/;r=0;t=\d+$/);
    expect((await open(app, limited)).statusCode).toBe(200); // another IP
    expect((await open(app, bot, { ip })).statusCode).toBe(200); // another key
  });

  test('counts an IPv6 /64 as one IP', async () => {
    const limited = await fresh();
    const all = await Promise.all(
      Array.from({ length: 31 }, (_, n) => open(app, limited, { ip: `2001:db8:5:6::${n.toString(16)}` })),
    );
    expect(all.filter(({ statusCode }) => statusCode === 429)).toHaveLength(1);
    expect((await open(app, limited, { ip: '2001:db8:5:7::1' })).statusCode).toBe(200);
  });

  test('applies a quarter of the limit per process while Valkey is down', async () => {
    const limited = await fresh();
    const ip = anIp();
    const answers = [];
    for (let n = 0; n < 9; n++) answers.push(await open(deaf.app, limited, { ip }));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200, 200, 200, 429, 429]);
    expect(answers[0]?.headers['ratelimit']).toMatch(/^"widget-sessions";r=6;t=\d+$/);
    expect(Number(answers[8]?.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('returns 429 for a visitor’s 21st message in a minute, across sessions', async () => {
    const limited = await fresh();
    const visitor = await aVisitor(app, limited);
    await visitor.say('hello');
    const again = await aVisitor(app, limited, visitor.visitorToken);
    const answers = [];
    for (let n = 0; n < 20; n++) answers.push(await again.say('hello', { clientMessageId: 'one' }));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([...Array.from({ length: 19 }, () => 200), 429]);
    expect(answers[0]?.headers['ratelimit']).toMatch(/^"messages-session";r=\d+;t=\d+$/);
    expect(Number(answers[19]?.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('session token', () => {
  test('is valid for 30 minutes and can be refreshed for twelve hours, up to five minutes late', async () => {
    const { sessionToken } = (await open(app, bot)).json<SessionResponse>();
    const now = Date.now();
    const at = (minutes: number) => vi.useFakeTimers({ toFake: ['Date'], now: now + minutes * 60_000 });
    const use = (token: string) =>
      app.inject({ method: 'GET', url: '/widget/me', headers: { authorization: `Bearer ${token}`, origin: page } });
    expect((await use(sessionToken)).statusCode).toBe(200);
    at(29);
    const renewed = (await refresh(app, sessionToken)).json<{ sessionToken: string }>();
    at(33);
    expectRejected(await use(sessionToken), 401, 'session_expired');
    expect((await use(renewed.sessionToken)).statusCode).toBe(200);
    expect((await refresh(app, sessionToken)).statusCode).toBe(200);
    at(36);
    expectRejected(await refresh(app, sessionToken), 401, 'session_expired');
    let token = renewed.sessionToken;
    for (let minutes = 50; minutes < 12 * 60; minutes += 25) {
      at(minutes);
      const next = await refresh(app, token);
      expect(next.statusCode, `after ${minutes} minutes`).toBe(200);
      token = next.json<{ sessionToken: string }>().sessionToken;
    }
    at(12 * 60 + 5);
    expectRejected(await refresh(app, token), 401, 'session_expired');
  });

  test('returns 403 on another origin, even an allowed one', async () => {
    const other = await aTenant();
    const two = await aBot(other);
    await other.patch(`/bots/${two.botId}`, { allowedOrigins: [page, 'https://second.example'] });
    const { sessionToken } = (await open(app, two)).json<SessionResponse>();
    expectRejected(await refresh(app, sessionToken, 'https://second.example'), 403, 'origin_not_allowed');
    expectRejected(await refresh(app, sessionToken, 'https://evil.example'), 403, 'origin_not_allowed');
    expect((await refresh(app, sessionToken)).statusCode).toBe(200);
  });

  const ends: [what: string, end: (tenant: TestTenant, bot: TestBot) => Promise<unknown>, status: number][] = [
    ['key', (owner, { keyId }) => owner.post(`/api-keys/${keyId}/revoke`), 401],
    ['bot', (owner, { botId }) => owner.patch(`/bots/${botId}`, { status: 'paused' }), 403],
    [
      'allowed origin',
      (owner, { botId }) => owner.patch(`/bots/${botId}`, { allowedOrigins: ['https://other.example'] }),
      403,
    ],
    [
      'tenant',
      async ({ tenantId }) => (await anOperator()).post(`/admin/tenants/${tenantId}/suspend`, { reason: 'Test' }),
      403,
    ],
    ['plan', (owner) => allow(owner, { api_keys: 0 }), 403],
  ];
  test.each(ends)(
    'ends immediately with its %s, and within five seconds without a signal',
    async (_what, end, status) => {
      const owner = await aTenant();
      const own = await aBot(owner);
      const { sessionToken } = (await open(app, own)).json<SessionResponse>();
      // Caches use this clock. It is frozen, so that no entry expires on its own.
      const now = performance.now();
      const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
      for (const process of [app, deaf.app, apart.app])
        expect((await refresh(process, sessionToken)).statusCode).toBe(200);
      const ended = (await end(owner, own)) as { statusCode: number; body: string } | undefined;
      expect(ended?.statusCode ?? 200, ended?.body).toBe(200);
      const isDead = (process: typeof app) => async () => (await refresh(process, sessionToken)).statusCode === status;
      await expect.poll(isDead(app), { message: 'by a signal', interval: 25 }).toBe(true);
      clock.mockReturnValue(now + 4_999);
      await expect.poll(isDead(apart.app), { message: 'by its age', interval: 25 }).toBe(true);
      await expect.poll(isDead(deaf.app), { message: 'without Valkey', interval: 25 }).toBe(true);
      const used = await app.inject({
        method: 'GET',
        url: '/widget/me',
        headers: { authorization: `Bearer ${sessionToken}`, origin: page },
      });
      expect(used.statusCode).toBe(status);
    },
  );
});

// Must be the last test: it stops the processes of the others.
test('a page view writes no row, with or without a visitor token', async () => {
  const counted = async () => {
    // Except for installs, one row per origin, and request errors that earlier tests caused at the harness's API, which
    // are written with a delay.
    const later = ['public.widget_installs', 'public.request_errors'];
    const tables = (await allTables()).filter((name) => !later.includes(name));
    const counts = await Promise.all(
      tables.map(async (name) => {
        const { rows } = await sql<{ n: string }>`select count(*) as n from ${sql.raw(name)}`.execute(admin);
        return [name, Number(rows[0]?.n)];
      }),
    );
    return Object.fromEntries(counts) as Record<string, number>;
  };
  await stopAll();
  const own = await openApi(chatSettings);
  const before = await counted();
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['directory.timers', 'public.visitors']));
  let visitorToken: string | undefined;
  for (let n = 0; n < 50; n++) {
    const opened = await open(own.app, bot, n % 2 ? { visitorToken } : {});
    expect(opened.statusCode).toBe(200);
    ({ visitorToken } = opened.json<SessionResponse>());
  }
  await refresh(own.app, (await open(own.app, bot)).json<SessionResponse>().sessionToken);
  const key = await own.app.inject({ method: 'GET', url: `/api-keys/${bot.keyId}`, headers: tenant.headers });
  expect(key.statusCode).toBe(200);
  await own.close(); // flushes its buffers
  expect(await counted()).toEqual(before);
});
