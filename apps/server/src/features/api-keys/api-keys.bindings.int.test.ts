import { describe, expect, test } from 'vitest';
import { plantConversation } from '../../../test/rules/chats.ts';
import { admin, aKey, aTenant, eventsOf, type Response, type TestTenant } from '../../../test/harness.ts';
import { newId } from '../../platform/ids.ts';
import { KeyPermission } from './api-keys.contract.ts';

// Server keys bound to an environment, a bot or a workspace, on the routes that manage a tenant. For every route with keys
// bound to something else, see test/rules/isolation-bound-keys.int.test.ts.

const tenant = await aTenant({ plan: 'enterprise' });
const { tenantId, workspaceId, environmentId: live, botId } = tenant;
const permissions = KeyPermission.options;

const create = async (at: Pick<TestTenant, 'post'>, path: string, body: object) => {
  const response = await at.post(path, body);
  expect(response.statusCode, response.body).toBe(201);
  return (Object.values(response.json<Record<string, { id: string }>>())[0] ?? { id: '' }).id;
};
const testing =
  (await admin.selectFrom('environments').selectAll().where('tenantId', '=', tenantId).execute()).find(
    ({ id }) => id !== live,
  )?.id ?? '';
const otherWorkspace = await create(tenant, '/workspaces', { name: 'Second' });
const otherBot = await create(tenant, '/bots', { name: 'Second', workspaceId: otherWorkspace });
const versionId = await create(tenant, `/bots/${botId}/versions`, {});

const bound = async (bindings: object) => aKey(tenant, { permissions, ...bindings });
const [inTest, inWorkspace, ofBot] = [
  await bound({ environmentId: testing }),
  await bound({ workspaceId: otherWorkspace }),
  await bound({ boundBotId: botId }),
];

const refused = (response: Response, status: number, reason: string) =>
  expect([response.statusCode, response.json<{ error: { reason: string } }>().error.reason], response.body).toEqual([
    status,
    reason,
  ]);
const idsOf = (response: Response) => {
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ data: { id: string }[] }>().data.map(({ id }) => id);
};
const aConversation = async (environmentId: string) => {
  const owner = { tenantId, environmentId, botId, visitorId: newId('visitor'), versionId, contactId: null };
  return (await plantConversation(owner, { state: 'human' }))[0];
};

describe('a key bound to an environment', () => {
  test('does not list, read or close conversations of another environment', async () => {
    const [other, own] = [await aConversation(live), await aConversation(testing)];
    expect(idsOf(await inTest.get('/conversations'))).toEqual([own]);
    refused(await inTest.get(`/conversations/${other}`), 404, 'conversation_not_found');
    refused(await inTest.get(`/conversations/${other}/messages`), 404, 'conversation_not_found');
    refused(await inTest.post(`/conversations/${other}/close`), 404, 'conversation_not_found');
    expect((await inTest.get(`/conversations/${own}/messages`)).statusCode).toBe(200);
  });

  test('deploys to its own environment only', async () => {
    const to = (environmentId: string) => inTest.post(`/bots/${botId}/deployments`, { environmentId, versionId });
    refused(await to(live), 404, 'environment_not_found');
    const response = await to(testing);
    expect(response.statusCode, response.body).toBe(200);
  });

  test('returns 403 for resources that environments share', async () => {
    refused(await inTest.patch(`/bots/${botId}`, { name: 'Mine now' }), 403, 'key_binding_mismatch');
    refused(await inTest.post('/environments', { workspaceId, name: 'more' }), 403, 'key_binding_mismatch');
    refused(await inTest.get('/audit-log'), 403, 'key_binding_mismatch');
  });
});

describe('a key bound to a workspace', () => {
  test('reads and updates only the bots of its workspace', async () => {
    expect(idsOf(await inWorkspace.get('/bots'))).toEqual([otherBot]);
    refused(await inWorkspace.patch(`/bots/${botId}`, { name: 'Mine now' }), 404, 'bot_not_found');
    expect((await inWorkspace.patch(`/bots/${otherBot}`, { name: 'Renamed' })).statusCode).toBe(200);
    refused(await inWorkspace.post('/bots', { name: 'New', workspaceId }), 403, 'key_binding_mismatch');
  });

  test('counts every bot of the tenant against the plan', async () => {
    const small = await aTenant({ plan: 'free' });
    const second = await create(small, '/workspaces', { name: 'Second' });
    const key = await aKey(small, { permissions, workspaceId: second });
    const responses = [];
    for (let n = 0; n < 12; n++) responses.push(await key.post('/bots', { name: `Bot ${n}`, workspaceId: second }));
    const bots = await admin.selectFrom('bots').select('id').where('tenantId', '=', small.tenantId).execute();
    const limits = (await small.get('/entitlements')).json<{ entitlements: Record<string, number> }>().entitlements;
    expect(bots.length).toBe(limits['bots.max']);
    refused(responses.at(-1) as Response, 409, 'plan_limit_reached');
  });
});

describe('a key bound to a bot', () => {
  test('reads and updates only that bot, and cannot create bots', async () => {
    expect(idsOf(await ofBot.get('/bots'))).toEqual([botId]);
    refused(await ofBot.get(`/bots/${otherBot}`), 404, 'bot_not_found');
    refused(
      await ofBot.post(`/bots/${otherBot}/knowledge-sources`, { kind: 'text', name: 'A', text: 'B' }),
      404,
      'bot_not_found',
    );
    refused(await ofBot.post('/bots', { name: 'New', workspaceId }), 403, 'key_binding_mismatch');
  });
});

describe('endpoints and events', () => {
  const hook = (eventTypes: string[]) => ({ url: 'https://receiver.example/hook', eventTypes });
  const queuedFor = async (webhookId: string) =>
    (await admin.selectFrom('webhookQueue').select('eventType').where('webhookId', '=', webhookId).execute()).map(
      ({ eventType }) => eventType,
    );

  test('endpoints of a bound key only receive events within its bindings', async () => {
    const all = await create(tenant, '/webhooks', hook(['*']));
    const narrow = await create(ofBot, '/webhooks', hook(['*']));
    expect(idsOf(await ofBot.get('/webhooks'))).toEqual([narrow]);
    refused(await ofBot.get(`/webhooks/${all}`), 404, 'webhook_not_found');

    await create(tenant, `/bots/${otherBot}/versions`, {});
    await ofBot.patch(`/bots/${botId}/draft`, { revision: 1, draft: { title: 'Changed' } });
    await create(ofBot, `/bots/${botId}/versions`, {});
    expect(await queuedFor(narrow)).toEqual(['bot.published']);
    expect(await queuedFor(all)).toEqual(['bot.published', 'bot.published']);
    expect(await eventsOf(tenantId)).toContain('bot.published');
  });

  test('a key and its endpoints only get events that the key may read', async () => {
    const key = await aKey(tenant, { permissions: ['webhook.view', 'webhook.manage'] });
    const endpoint = await create(key, '/webhooks', hook(['*']));
    await aKey(tenant); // api_key.created, which no key may read
    await tenant.patch(`/bots/${otherBot}/draft`, { revision: 1, draft: { title: 'Changed' } });
    await create(tenant, `/bots/${otherBot}/versions`, {});
    expect(await queuedFor(endpoint)).toEqual([]);
    const types = (response: Response) => response.json<{ data: { type: string }[] }>().data.map(({ type }) => type);
    expect(types(await key.get('/events?limit=100')).filter((type) => !type.startsWith('webhook.'))).toEqual([]);
    expect(types(await tenant.get('/events?limit=100'))).toEqual(
      expect.arrayContaining(['bot.published', 'api_key.created']),
    );
  });

  test('returns 403 with all missing permissions when a key changes an endpoint that receives events it may not read', async () => {
    const ownerEndpoint = await create(tenant, '/webhooks', hook(['conversation.*']));
    const key = await aKey(tenant, { permissions: ['webhook.manage'] });
    const change = { url: 'https://other.example/hook' };
    refused(await key.patch(`/webhooks/${ownerEndpoint}`, change), 403, 'permission_missing');
    refused(await key.post('/webhooks', hook(['conversation.*'])), 403, 'permission_missing');
    const both = await key.post('/webhooks', hook(['conversation.*', 'bot.*']));
    expect(both.json().error.details.map(({ message }: { message: string }) => message)).toEqual([
      'conversation.view',
      'bot.view',
    ]);
    const reader = await aKey(tenant, { permissions: ['webhook.manage', 'conversation.view'] });
    expect((await reader.patch(`/webhooks/${ownerEndpoint}`, change)).statusCode).toBe(200);
  });
});

test('returns 400 when bot, environment and workspace do not belong together', async () => {
  const together = { name: 'Key', keyType: 'secret_server', boundBotId: otherBot };
  refused(await tenant.post('/api-keys', { ...together, environmentId: live }), 400, 'binding_mismatch');
  refused(await tenant.post('/api-keys', { ...together, workspaceId }), 400, 'binding_mismatch');
  expect((await tenant.post('/api-keys', { ...together, workspaceId: otherWorkspace })).statusCode).toBe(201);
});
