import { describe, expect, test } from 'vitest';
import {
  admin,
  api,
  as,
  aTenant,
  aUser,
  eventsOf,
  openApi,
  send,
  countLockWaits,
  type TestTenant,
} from '../../../test/harness.ts';
import { newId } from '../../platform/ids.ts';
import { createBotState } from './bot-state.ts';
import type { Bot, UpdateDraft } from './bots.contract.ts';

const botEvents = async (tenantId: string) => (await eventsOf(tenantId)).filter((type) => type.startsWith('bot.'));
const read = async (tenant: TestTenant, id = tenant.botId) =>
  (await tenant.get(`/bots/${id}`)).json<{ bot: Bot }>().bot;
const archive = (tenant: TestTenant, id = tenant.botId) => send('DELETE', `/bots/${id}`, tenant.headers);
const edit = (tenant: TestTenant, revision: number, draft: UpdateDraft['draft']) =>
  tenant.patch(`/bots/${tenant.botId}/draft`, { revision, draft });

describe('bots', () => {
  test('returns 201 with the given fields and defaults for the rest', async () => {
    const tenant = await aTenant();
    const created = await tenant.post('/bots', {
      name: 'Shop',
      allowedOrigins: ['https://*.example.com'],
      limits: { spendPerDay: 2.5 },
      draft: { greeting: 'Hello!', appearance: { accent: '#aa0000' } },
    });
    expect(created.statusCode, created.body).toBe(201);
    const { bot } = created.json<{ bot: Bot }>();
    expect(bot).toMatchObject({
      workspaceId: tenant.workspaceId,
      name: 'Shop',
      status: 'active',
      allowedOrigins: ['https://*.example.com'],
      deployments: {},
      revision: 1,
      retentionDays: 90,
      limits: { spendPerDay: 2.5, spendPerVisitorDay: null },
    });
    expect(bot.draft).toMatchObject({
      greeting: 'Hello!',
      appearance: { accent: '#aa0000', side: 'right' },
      answers: { mode: 'extractive', models: ['default'] },
    });
    expect(await read(tenant, bot.id)).toEqual(bot);
    expect(await botEvents(tenant.tenantId)).toEqual(['bot.created']);
  });

  test("returns 404 for another tenant's workspace and bot", async () => {
    const [mine, theirs] = [await aTenant(), await aTenant()];
    const created = await mine.post('/bots', { name: 'Spy', workspaceId: theirs.workspaceId });
    expect([created.statusCode, created.json().error.reason]).toEqual([404, 'workspace_not_found']);
    for (const path of ['', '/versions'])
      expect((await mine.get(`/bots/${theirs.botId}${path}`)).json().error.reason).toBe('bot_not_found');
    expect((await archive(mine, theirs.botId)).statusCode).toBe(404);
    expect((await read(theirs)).status).toBe('active');
  });

  test('lists bots newest first, filtered by status, workspace and part of the name', async () => {
    const tenant = await aTenant();
    const second = (await tenant.post('/bots', { name: 'Second' })).json<{ bot: Bot }>().bot;
    await archive(tenant);
    const idsOf = async (query: string) =>
      (await tenant.get(`/bots?${query}`)).json<{ data: Bot[] }>().data.map(({ id }) => id);
    expect(await idsOf('')).toEqual([second.id, tenant.botId]);
    expect(await idsOf('status=archived')).toEqual([tenant.botId]);
    expect(await idsOf(`workspaceId=${tenant.workspaceId}&status=active`)).toEqual([second.id]);
    expect(await idsOf(`workspaceId=${newId('workspace')}`)).toEqual([]);
    await tenant.post('/bots', { name: '100% Übersee' });
    expect(await idsOf('q=ECON')).toEqual([second.id]);
    expect(await idsOf('q=sec%25nd')).toEqual([]); // no pattern
    expect(await idsOf(`q=${encodeURIComponent('0% über')}&limit=5`)).toHaveLength(1);
  });

  test('changes only the given fields, and publishes no event if nothing changed', async () => {
    const tenant = await aTenant();
    const change = { name: 'New', status: 'paused', retentionDays: 30, limits: { spendPerVisitorDay: 0.1 } };
    const changed = await tenant.patch(`/bots/${tenant.botId}`, change);
    expect(changed.statusCode, changed.body).toBe(200);
    expect(changed.json().bot).toMatchObject({ ...change, limits: { spendPerDay: null, spendPerVisitorDay: 0.1 } });
    await tenant.patch(`/bots/${tenant.botId}`, { limits: { spendPerDay: 4 } });
    expect((await read(tenant)).limits).toEqual({ spendPerDay: 4, spendPerVisitorDay: 0.1 });
    const before = await botEvents(tenant.tenantId);
    expect((await tenant.patch(`/bots/${tenant.botId}`, { name: 'New', retentionDays: 30 })).statusCode).toBe(200);
    expect(await botEvents(tenant.tenantId)).toEqual(before);
    expect(before).toEqual(['bot.updated', 'bot.updated']);
  });

  test.each([
    ['an origin without its scheme', { allowedOrigins: ['example.com'] }],
    ['an http origin', { allowedOrigins: ['http://example.com'] }],
    ['an origin with a path', { allowedOrigins: ['https://example.com/shop'] }],
    ['a wildcard over a top-level domain', { allowedOrigins: ['https://*.com'] }],
    ['a wildcard over a public suffix', { allowedOrigins: ['https://*.co.uk'] }],
    ['a wildcard over a page hosting domain', { allowedOrigins: ['https://*.github.io'] }],
    ['a wildcard over an app hosting domain', { allowedOrigins: ['https://*.herokuapp.com'] }],
    ['a wildcard over a storage bucket domain', { allowedOrigins: ['https://*.s3.amazonaws.com'] }],
    ['one bad origin among good ones', { allowedOrigins: ['https://example.com', '*'] }],
    ['too many origins', { allowedOrigins: Array.from({ length: 51 }, (_, n) => `https://a${n}.example`) }],
    ['no retention', { retentionDays: 0 }],
    ['a negative limit', { limits: { spendPerDay: -1 } }],
    ['an unknown field', { deployments: {} }],
  ])('returns 400 for %s', async (_name, change) => {
    const tenant = await aTenant();
    expect((await tenant.patch(`/bots/${tenant.botId}`, change)).statusCode).toBe(400);
    expect((await tenant.post('/bots', { name: 'Bot', ...change })).statusCode).toBe(400);
  });

  test.each(['https://*.example.co.uk', 'https://*.shop.github.io', 'https://*.corp.internal'])(
    'accepts a wildcard below a domain with one owner: %s',
    async (origin) => {
      const tenant = await aTenant();
      const response = await tenant.patch(`/bots/${tenant.botId}`, { allowedOrigins: [origin] });
      expect(response.statusCode, response.body).toBe(200);
    },
  );

  test('returns 403 when a viewer makes a change', async () => {
    const tenant = await aTenant();
    const viewer = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
    expect((await viewer.get(`/bots/${tenant.botId}`)).statusCode).toBe(200);
    expect((await viewer.patch(`/bots/${tenant.botId}`, { name: 'Mine' })).statusCode).toBe(403);
    expect((await viewer.post(`/bots/${tenant.botId}/versions`, {})).statusCode).toBe(403);
  });
});

describe('archiving', () => {
  test('publishes one event, is idempotent, and blocks edits and deployments', async () => {
    const tenant = await aTenant();
    const published = await tenant.post(`/bots/${tenant.botId}/versions`, {});
    for (let n = 0; n < 2; n++) expect((await archive(tenant)).json().bot.status).toBe('archived');
    expect(await botEvents(tenant.tenantId)).toEqual(['bot.published', 'bot.archived']);
    const refused = [
      await edit(tenant, 1, { greeting: 'Hi' }),
      await tenant.post(`/bots/${tenant.botId}/versions`, {}),
      await tenant.post(`/bots/${tenant.botId}/deployments`, {
        environmentId: tenant.environmentId,
        versionId: published.json<{ version: { id: string } }>().version.id,
      }),
    ];
    for (const response of refused)
      expect([response.statusCode, response.json().error.reason]).toEqual([409, 'bot_archived']);
  });

  test('returns 409 when creating or restoring a bot exceeds the plan', async () => {
    const tenant = await aTenant({ plan: 'free' }); // one bot, which it has
    const full = await tenant.post('/bots', { name: 'Second' });
    expect([full.statusCode, full.json().error.reason]).toEqual([409, 'plan_limit_reached']);
    await archive(tenant);
    expect((await tenant.post('/bots', { name: 'Second' })).statusCode).toBe(201);
    const restored = await tenant.patch(`/bots/${tenant.botId}`, { status: 'active' });
    expect([restored.statusCode, restored.json().error.reason]).toEqual([409, 'plan_limit_reached']);
    expect((await tenant.patch(`/bots/${tenant.botId}`, { name: 'Old' })).statusCode).toBe(200); // renaming is still possible
  });

  test('returns 409 for one of two concurrent requests for the last bot of the plan', async () => {
    const tenant = await aTenant({ plan: 'free' });
    await archive(tenant);
    const answers = await admin.transaction().execute(async (tx) => {
      await tx.selectFrom('tenants').select('plan').where('tenantId', '=', tenant.tenantId).forUpdate().execute();
      const both = [
        tenant.post('/bots', { name: 'Second' }),
        tenant.patch(`/bots/${tenant.botId}`, { status: 'active' }),
      ];
      while ((await countLockWaits()) < 2) await new Promise((next) => setTimeout(next, 5));
      return { both };
    });
    const statuses = (await Promise.all(answers.both)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(1);
  });
});

describe('the draft', () => {
  test('merges groups field by field, and replaces lists and texts', async () => {
    const tenant = await aTenant();
    await edit(tenant, 1, {
      title: 'Help',
      quickReplies: ['One', 'Two'],
      answers: { mode: 'model', temperature: 0.7 },
      handoff: { afterUnanswered: null },
      texts: { open: 'Öffnen', close: 'Schließen' },
    });
    const changed = await edit(tenant, 2, {
      quickReplies: ['Three'],
      answers: { maxOutputTokens: 900 },
      appearance: { side: 'left' },
      texts: { open: 'Auf' },
    });
    expect(changed.statusCode, changed.body).toBe(200);
    const { draft, revision } = await read(tenant);
    expect(revision).toBe(3);
    expect(draft).toMatchObject({
      title: 'Help',
      quickReplies: ['Three'],
      answers: { mode: 'model', models: ['default'], temperature: 0.7, maxOutputTokens: 900 },
      appearance: { side: 'left', theme: 'auto' },
      handoff: { isOffered: true, afterUnanswered: null },
    });
    expect(draft.texts).toEqual({ open: 'Auf' });
  });

  test('returns 409 for an outdated revision and keeps the draft', async () => {
    const tenant = await aTenant();
    expect((await edit(tenant, 1, { greeting: 'First' })).json().bot.revision).toBe(2);
    for (const revision of [1, 3]) {
      const stale = await edit(tenant, revision, { title: 'Second' });
      expect([stale.statusCode, stale.json().error.reason]).toEqual([409, 'draft_changed']);
    }
    expect((await read(tenant)).draft).toMatchObject({ greeting: 'First', title: '' });
  });

  test('returns 409 for all but one of ten concurrent edits of a revision', async () => {
    const tenant = await aTenant();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) => edit(tenant, 1, { greeting: `Hello ${n}` })),
    );
    const done = responses.filter(({ statusCode }) => statusCode === 200);
    expect(done).toHaveLength(1);
    expect(responses.filter(({ statusCode }) => statusCode === 409)).toHaveLength(9);
    expect((await read(tenant)).draft.greeting).toBe(done[0]?.json().bot.draft.greeting);
  });

  test('creates no revision and no event if nothing changed', async () => {
    const tenant = await aTenant();
    expect((await edit(tenant, 1, { title: '', answers: {} })).json().bot.revision).toBe(1);
    expect(await botEvents(tenant.tenantId)).toEqual([]);
  });

  test.each([
    ['an unknown mode', { answers: { mode: 'magic' } }],
    ['an unknown field in a group', { appearance: { font: 'Comic Sans' } }],
    ['no language', { languages: [] }],
    ['a colour name', { appearance: { accent: 'red' } }],
    [
      'too many texts',
      {
        texts: Object.fromEntries(
          Array.from({ length: 201 }, (_, n) => [
            `t${'abcdefghij'[Math.floor(n / 100)]}${'abcdefghij'[Math.floor(n / 10) % 10]}${'abcdefghij'[n % 10]}`,
            'x',
          ]),
        ),
      },
    ],
  ])('returns 400 for %s', async (_name, draft) => {
    const tenant = await aTenant();
    expect((await edit(tenant, 1, draft as UpdateDraft['draft'])).statusCode).toBe(400);
  });
});

describe('the cached state of a bot', () => {
  const { services, signals } = api.platform;

  test('is null for an unknown bot or one of another tenant', async () => {
    const [mine, theirs] = [await aTenant(), await aTenant()];
    const bots = createBotState(services, signals);
    expect(await bots.of(mine.tenantId, newId('bot'))).toEqual({ bot: null });
    expect(await bots.of(mine.tenantId, theirs.botId)).toEqual({ bot: null });
    expect((await bots.of(theirs.tenantId, theirs.botId)).bot?.environments.map(({ name }) => name)).toEqual([
      'live',
      'test',
    ]);
  });

  test('is updated in another process within a second after a change', async () => {
    const tenant = await aTenant();
    const other = await openApi();
    const bots = createBotState(other.platform.services, other.platform.signals);
    const known = async () => (await bots.of(tenant.tenantId, tenant.botId)).bot;
    expect(await known()).toMatchObject({ status: 'active', allowedOrigins: [] });
    const steps: [() => Promise<unknown>, object][] = [
      [
        () => tenant.patch(`/bots/${tenant.botId}`, { allowedOrigins: ['https://a.example'] }),
        { allowedOrigins: ['https://a.example'] },
      ],
      [() => tenant.patch(`/bots/${tenant.botId}`, { limits: { spendPerDay: 0 } }), { limits: { spendPerDay: 0 } }],
      [() => tenant.patch(`/bots/${tenant.botId}`, { status: 'paused' }), { status: 'paused' }],
      [() => archive(tenant), { status: 'archived' }],
    ];
    for (const [act, outcome] of steps) {
      await act();
      await expect.poll(known, { timeout: 1_000, interval: 10 }).toMatchObject(outcome);
    }
    await other.close();
  });
});

test('supports the tenant-prefixed route with an API key', async () => {
  const tenant = await aTenant();
  const created = await tenant.post('/api-keys', {
    name: 'CI',
    keyType: 'secret_server',
    permissions: ['bot.view', 'bot.manage'],
  });
  const { apiKey, secret } = created.json<{ apiKey: { id: string }; secret: string }>();
  const key = as({ authorization: `Bearer ${secret}`, 'x-service-api-key-id': apiKey.id });
  const url = `/tenants/${tenant.tenantId}/bots/${tenant.botId}`;
  expect((await key.patch(url, { name: 'By key' })).json().bot.name).toBe('By key');
  expect((await key.get(url)).json().bot.name).toBe('By key');
});
