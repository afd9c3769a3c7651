import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { declaredRoutes } from '../../../../tools/gen/routes.ts';
import { aKey, as, aTenant, aUser, send, type Method, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';

// A stolen token gives access to a tenant until it expires. What would outlast it requires an authentication within the
// last five minutes: granting roles and credentials, impersonation, two-factor settings and deleting a tenant.

const routes = await declaredRoutes();
const document = readFileSync(resolve(import.meta.dirname, '../../openapi.json'), 'utf8');
const operations = walk.operationsOf(JSON.parse(document) as object);

/** Routes that grant roles or credentials without step-up, each with its reason. */
const exempt: Record<string, string> = {
  createWebhook: 'its secret only shows the receiver that a call is ours',
  rotateWebhookSecret: 'the same',
  makeInboundSecret: 'what it signs reaches runs and conversations that its holder manages anyway',
  createModel: 'it takes a credential and shows none',
  tryBot: 'a session of half an hour for a draft',
  openAuthenticatedSession: 'for server keys, which cannot authenticate again',
  startImpersonation: 'the operator authenticated a minute ago, for the code',
};

test('every route that shows a secret or grants roles or permissions requires step-up or has an exemption', () => {
  const granting = routes.filter((route) => {
    const { body } = operations.find(({ route: name }) => name === route.name) ?? {};
    const fields = Object.keys(body?.properties ?? {});
    const isGuarded = route.kind === 'tenant' || route.kind === 'operator' || route.kind === 'caller';
    return isGuarded && (route.showsSecret || fields.includes('roles') || fields.includes('permissions'));
  });
  const unguarded = granting.filter((route) => !('stepUp' in route && route.stepUp) && !(route.name in exempt));
  expect(unguarded.map(({ name }) => name)).toEqual([]);
  expect(granting.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['createApiKey', 'rotateApiKey', 'changeMember', 'createInvitation', 'impersonate']),
  );
});

describe('with an authentication that is ten minutes old', async () => {
  const tenant = await aTenant({ plan: 'enterprise' });
  const { tenantId, botId } = tenant;
  const old = { auth_time: Math.floor(Date.now() / 1_000) - 600 };
  const stale = as((await aUser([{ tenantId, roles: ['owner'] }], old)).headers);
  const member = await aUser([{ tenantId, roles: ['viewer'] }]);
  const key = await aKey(tenant);
  const request = (method: Method, path: string, body?: object) => send(method, path, stale.headers, body);
  const reasonOf = (response: Response) => response.json<{ error?: { reason: string } }>().error?.reason;
  const someone = () => `${crypto.randomUUID()}@example.com`;

  test.each([
    ['makes a member an owner', 'PATCH', `/members/${member.userId}`, { roles: ['owner'] }],
    ['makes a member an admin', 'PATCH', `/members/${member.userId}`, { roles: ['viewer', 'admin'] }],
    ['makes a member a developer, who can create keys', 'PATCH', `/members/${member.userId}`, { roles: ['developer'] }],
    ['invites an owner', 'POST', '/invitations', { email: someone(), roles: ['owner'] }],
    ['invites an admin', 'POST', '/invitations', { email: someone(), roles: ['admin'] }],
    ['creates a server key', 'POST', '/api-keys', { name: 'Key', keyType: 'secret_server' }],
    ['rotates a server key', 'POST', `/api-keys/${key.id}/rotate`, {}],
    ['transfers ownership', 'POST', `/members/${member.userId}/transfer-ownership`, undefined],
    [
      'creates a server key by the long path',
      'POST',
      `/tenants/${tenantId}/api-keys`,
      { name: 'Key', keyType: 'secret_server' },
    ],
  ] as const)('returns 403 step_up_required to someone who %s', async (_what, method, path, body) => {
    const response = await request(method, path, body);
    expect([response.statusCode, reasonOf(response)], response.body).toEqual([403, 'step_up_required']);
  });

  test.each([
    ['makes a member an agent', 'PATCH', `/members/${member.userId}`, { roles: ['agent'] }, 200],
    ['invites an agent', 'POST', '/invitations', { email: someone(), roles: ['agent'] }, 201],
    ['creates a widget key', 'POST', '/api-keys', { name: 'Key', keyType: 'public_widget', boundBotId: botId }, 201],
  ] as const)('%s without step-up', async (_what, method, path, body, status) => {
    const response = await request(method, path, body);
    expect(response.statusCode, response.body).toBe(status);
  });
});
