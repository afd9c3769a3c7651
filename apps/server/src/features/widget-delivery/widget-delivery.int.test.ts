import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { aBot, page, type TestBot } from '../../../test/chat/fixture.ts';
import { anIp, open, until } from '../../../test/chat/helpers.ts';
import {
  admin,
  aKey,
  anOperator,
  api,
  aTenant,
  eventsOf,
  openApi,
  type Headers,
  type TestTenant,
} from '../../../test/harness.ts';
import { integrityOf } from '../../../test/widget-files.ts';

let tenant: TestTenant;
let bot: TestBot;
beforeAll(async () => {
  tenant = await aTenant();
  bot = await aBot(tenant, {
    title: 'Help',
    instructions: 'never to be seen',
    greeting: 'A </script><script>alert(1)</script> and \u2028 lines',
  });
});

const get = (url: string, headers: Headers = {}, app = api.app) =>
  app.inject({ method: 'GET', url, headers, remoteAddress: anIp() });
const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error: { reason: string } }).error.reason;

const setupUrl = ({ publicKey, botId }: { publicKey: string; botId: string } = bot) =>
  `/cdn/config/${botId}?key=${publicKey}`;
const setup = (of = bot, origin: string | null = page) => get(setupUrl(of), origin === null ? {} : { origin });

describe('GET /cdn/config/:botId', () => {
  test('returns what the widget shows, and no instructions', async () => {
    const response = await setup();
    expect(response.statusCode, response.body).toBe(200);
    const opened = (await open(api.app, bot)).json<{ config: object }>();
    expect(response.json()).toEqual({ ...opened.config, apiUrl: 'http://127.0.0.1:3000', retentionDays: 90 });
    expect(response.body).not.toContain('never to be seen');
    expect(response.headers).toMatchObject({
      'cache-control': 'public, max-age=60, stale-while-revalidate=240',
      vary: 'origin',
      'access-control-allow-origin': '*',
    });
    expect(response.headers['ratelimit']).toMatch(/^"widget-setup";r=299;/);
  });

  test('returns 304 until the appearance of the bot changes', async () => {
    const etag = String((await setup()).headers.etag);
    const again = () => get(setupUrl(), { origin: page, 'if-none-match': etag });
    const cached = await again();
    expect([cached.statusCode, cached.body, cached.headers.etag, cached.headers.vary]).toEqual([
      304,
      '',
      etag,
      'origin',
    ]);
    await tenant.patch(`/bots/${bot.botId}`, { retentionDays: 30 });
    await until(async () => (await again()).statusCode === 200);
    await tenant.patch(`/bots/${bot.botId}`, { retentionDays: 90 });
    await until(async () => (await again()).statusCode === 304);
  });

  /** All reasons to reject a session, in the order of the checks. */
  const rejections: [what: string, make: () => Promise<SetupRequest>, status: number, reason: string][] = [
    ['a word that is no key', async () => ({ ...bot, publicKey: 'pk_live_x' }), 401, 'invalid_api_key'],
    [
      'a revoked key of another bot',
      async () => {
        const { owner, own } = await anotherBot();
        await owner.post(`/api-keys/${own.keyId}/revoke`);
        return { ...bot, publicKey: own.publicKey };
      },
      401,
      'invalid_api_key',
    ],
    [
      'the key of another bot',
      async () => ({ ...bot, publicKey: (await anotherBot()).own.publicKey, origin: null }),
      401,
      'bot_mismatch',
    ],
    [
      'a suspended tenant, whose bot is paused',
      async () => {
        const { owner, own } = await anotherBot();
        await owner.patch(`/bots/${own.botId}`, { status: 'paused' });
        await (await anOperator()).post(`/admin/tenants/${owner.tenantId}/suspend`, { reason: 'Test' });
        return own;
      },
      403,
      'tenant_suspended',
    ],
    [
      'a paused bot, on an origin that it does not allow',
      async () => {
        const { owner, own } = await anotherBot();
        await owner.patch(`/bots/${own.botId}`, { status: 'paused' });
        return { ...own, origin: 'https://evil.example' };
      },
      403,
      'bot_not_active',
    ],
    ['no Origin header', async () => ({ ...bot, origin: null }), 403, 'origin_missing'],
    [
      'an origin that is not allowed',
      async () => ({ ...bot, origin: 'https://evil.example' }),
      403,
      'origin_not_allowed',
    ],
    [
      'a bot that was never published',
      async () => {
        const owner = await aTenant();
        const { botId } = owner;
        await owner.patch(`/bots/${botId}`, { allowedOrigins: [page] });
        const key = await owner.post('/api-keys', { name: 'K', keyType: 'public_widget', boundBotId: botId });
        return { botId, publicKey: key.json<{ secret: string }>().secret };
      },
      409,
      'bot_not_published',
    ],
  ];
  interface SetupRequest {
    botId: string;
    publicKey: string;
    origin?: string | null;
  }
  const anotherBot = async () => {
    const owner = await aTenant();
    return { owner, own: await aBot(owner) };
  };

  test.each(rejections)(
    'rejects %s like opening a session does, and is not cached',
    async (_w, make, status, reason) => {
      const { origin = page, ...request } = await make();
      const response = await get(setupUrl(request), origin === null ? {} : { origin });
      expect([response.statusCode, reasonOf(response)], response.body).toEqual([status, reason]);
      expect(response.headers).toMatchObject({
        'cache-control': 'no-store',
        vary: 'origin',
        'access-control-allow-origin': '*',
      });
      const session = await open(api.app, request, { origin });
      expect([session.statusCode, reasonOf(session)]).toEqual([status, reason]);
    },
  );

  test('returns 401 for a server key, and notifies its owner once', async () => {
    const owner = await aTenant();
    const { secret } = await aKey(owner);
    for (let n = 0; n < 3; n++) expect((await setup({ ...bot, publicKey: secret })).statusCode).toBe(401);
    expect((await eventsOf(owner.tenantId)).filter((type) => type === 'api_key.exposed')).toHaveLength(1);
  });

  test('returns an uncached 429 after 300 requests in a minute from one IP', async () => {
    const [url, remoteAddress] = [setupUrl(), anIp()];
    const ask = () => api.app.inject({ method: 'GET', url, headers: { origin: page }, remoteAddress });
    const first = await ask();
    expect([first.statusCode, first.headers['ratelimit-policy']]).toEqual([200, '"widget-setup";q=300;w=60']);
    const responses = await Promise.all(Array.from({ length: 300 }, ask));
    const rejected = responses.filter(({ statusCode }) => statusCode === 429);
    expect(rejected.length).toBeGreaterThan(0); // a slow machine may fall back to the smaller local limit
    expect(rejected[0]?.headers['cache-control']).toBe('no-store');
  });

  test('writes nothing, and neither does the frame', async () => {
    // Rows of this tenant, except for those that are written in the background: key usage, installs and request errors of
    // earlier tests.
    const isLater = /api_keys$|widget_installs$|request_errors$/;
    const { rows: tables } = await sql<{ name: string }>`
      select attrelid::regclass::text as name from pg_attribute join pg_class c on c.oid = attrelid
      where attname = 'tenant_id' and c.relkind in ('r', 'p') and not c.relispartition`.execute(admin);
    const each = tables
      .filter(({ name }) => !isLater.test(name))
      .map(
        ({ name }) => sql`select ${sql.lit(name)}, count(*), max(xmin::text::bigint) from ${sql.raw(name)}
          where tenant_id = ${tenant.tenantId}`,
      );
    expect(each.length).toBeGreaterThan(40);
    const written = async () => (await sql`${sql.join(each, sql` union all `)}`.execute(admin)).rows;
    const before = await written();
    for (let n = 0; n < 20; n++) {
      expect((await setup()).statusCode).toBe(200);
      expect((await frame()).statusCode).toBe(200);
    }
    expect(await written()).toEqual(before);
  });
});

const frameUrl = ({ publicKey, botId }: { publicKey: string; botId: string } = bot, more = '') =>
  `/cdn/frame/${botId}?key=${publicKey}${more}`;
const frame = (of = bot, more = '', app = api.app) => get(frameUrl(of, more), {}, app);

describe('GET /cdn/frame/:botId', () => {
  test('loads one script with its integrity hash, and embeds the setup', async () => {
    const response = await frame();
    expect(response.statusCode, response.body).toBe(200);
    const scripts = [...response.body.matchAll(/<script\s[^>]*src="([^"]*)"\s+integrity="([^"]*)"\s+crossorigin=/g)];
    expect(scripts.map(([, src, integrity]) => [src, integrity])).toEqual([
      ['http://127.0.0.1:3000/cdn/frame.ab12cd34.js', integrityOf('frame.ab12cd34.js')],
    ]);
    const [, inside = ''] = /<script type="application\/json" id="setup">(.*?)<\/script>/.exec(response.body) ?? [];
    expect(JSON.parse(inside)).toEqual((await setup()).json());
    expect(inside).not.toMatch(/[<\u2028]/);
    expect(response.body).not.toContain('never to be seen');
    expect(response.body.match(/<script/g)).toHaveLength(2);
    expect(response.body).toMatch(/<html lang="en">[^]*<meta name="viewport"[^]*<body><\/body>/);
  });

  test('uses the requested version, or the current one if it is unknown', async () => {
    const names: Record<string, string> = { '': 'ab12cd34', '&v=1.0.0': 'ab12cd34', '&v=0.9.0': '00000009' };
    for (const unknown of ['7.0.0', '', '__proto__', 'constructor', 'toString']) names[`&v=${unknown}`] = 'ab12cd34';
    for (const [request, hash] of Object.entries(names)) {
      const response = await frame(bot, request);
      expect(response.statusCode, request).toBe(200);
      expect(response.body).toContain(`/cdn/frame.${hash}.js"`);
      expect(response.body).toContain(`"${integrityOf(`frame.${hash}.js`)}"`);
    }
  });

  test('can be framed by allowed origins only, and loads from our origin only', async () => {
    const own = await openApi({ PUBLIC_URL: 'https://api.parley.example', CDN_URL: 'https://cdn.parley.example' });
    const response = await frame(bot, '', own.app);
    expect(response.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src https://cdn.parley.example; " +
        'connect-src https://api.parley.example https://cdn.parley.example; img-src https://cdn.parley.example data:; ' +
        "style-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; " +
        'frame-ancestors https://shop.example',
    );
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=60',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
    });
    expect(response.headers).not.toHaveProperty('x-frame-options');
    expect(response.headers).not.toHaveProperty('access-control-allow-origin');
    expect(response.body).toContain('src="https://cdn.parley.example/frame.ab12cd34.js"');
    await own.close();
  });

  test('keeps wildcards in frame-ancestors, and uses none for an empty list', async () => {
    const owner = await aTenant();
    const own = await aBot(owner);
    const ancestors = async () =>
      String((await frame(own)).headers['content-security-policy'])
        .split('; ')
        .at(-1);
    for (const [allowedOrigins, due] of [
      [['https://*.shop.example', 'https://a.example'], 'frame-ancestors https://*.shop.example https://a.example'],
      [[], "frame-ancestors 'none'"],
    ]) {
      await owner.patch(`/bots/${own.botId}`, { allowedOrigins });
      await until(async () => (await ancestors()) === due);
    }
  });

  test('returns 401, 403 and 400 as an uncached page that can be framed', async () => {
    const owner = await aTenant();
    const paused = await aBot(owner);
    await owner.patch(`/bots/${paused.botId}`, { status: 'paused' });
    for (const [url, status] of [
      [frameUrl({ ...bot, publicKey: 'x' }), 401],
      [frameUrl({ ...paused, publicKey: bot.publicKey }), 401],
      [frameUrl(paused), 403],
      [`/cdn/frame/${bot.botId}`, 400],
      [`${frameUrl()}&w=<script>`, 400],
    ] as const) {
      const response = await get(url);
      expect([response.statusCode, response.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
      expect(response.headers['content-security-policy']).toBe(
        "default-src 'none'; base-uri 'none'; form-action 'none'",
      );
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.body).toMatch(/<p>[^<]{10,}<\/p>/);
      expect(response.body).not.toContain('<script');
    }
  });
});

describe('our own origin', () => {
  test('may open and use sessions of every bot; other origins may not', async () => {
    const own = await openApi({ PUBLIC_URL: 'https://api.parley.example', CDN_URL: 'https://cdn.parley.example/w' });
    for (const origin of ['https://cdn.parley.example', 'https://api.parley.example']) {
      const opened = await open(own.app, bot, { origin });
      expect(opened.statusCode, opened.body).toBe(200);
      const headers = { authorization: `Bearer ${opened.json<{ sessionToken: string }>().sessionToken}` };
      expect((await get('/widget/me', { ...headers, origin }, own.app)).statusCode).toBe(200);
      const elsewhere = await get('/widget/me', { ...headers, origin: page }, own.app);
      expect([elsewhere.statusCode, reasonOf(elsewhere)]).toEqual([403, 'origin_not_allowed']);
    }
    const near = ['https://parley.example', 'https://cdn.parley.example:444', 'http://cdn.parley.example'];
    for (const origin of [...near, 'https://a.cdn.parley.example', 'https://cdn.parley.example/w'])
      expect(reasonOf(await open(own.app, bot, { origin }))).toBe('origin_not_allowed');
    expect(reasonOf(await open(api.app, bot, { origin: 'https://cdn.parley.example' }))).toBe('origin_not_allowed');
    await own.close();
  });
});

test('returns 404 with instructions when the widget is not built; everything else works', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'parley-widget-'));
  for (const WIDGET_DIR of [empty, join(empty, 'missing')]) {
    const bare = await openApi({ WIDGET_DIR });
    const response = await get('/cdn/chatbot-widget.js', {}, bare.app);
    expect([response.statusCode, reasonOf(response)]).toEqual([404, 'widget_not_built']);
    expect(response.json<{ error: { message: string } }>().error.message).toContain('Run its build');
    expect((await get(setupUrl(), { origin: page }, bare.app)).statusCode).toBe(200);
    const frame = await get(frameUrl(), {}, bare.app);
    expect([frame.statusCode, frame.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    await bare.close();
  }
  rmSync(empty, { recursive: true });
});
