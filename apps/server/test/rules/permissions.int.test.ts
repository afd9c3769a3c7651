import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { Permission, PlatformPermission } from '../../src/platform/access.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { aKey, anOperator, api, aTenant, aUser, type Headers, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { aSignedInPerson } from './people.ts';

// Who may do what, written out once more and by hand: what the server says of itself is held against this.

const tenantRoles = ['owner', 'admin', 'developer', 'agent', 'viewer'] as const;
type TenantRole = (typeof tenantRoles)[number];
const everyone = [...tenantRoles];

const tenantTable: Record<string, readonly TenantRole[]> = {
  'tenant.view': everyone,
  'tenant.manage': ['owner', 'admin'],
  'tenant.delete': ['owner'],
  'ownership.transfer': ['owner'],
  'member.view': ['owner', 'admin'],
  'member.manage': ['owner', 'admin'],
  'billing.view': ['owner', 'admin'],
  'billing.manage': ['owner'],
  'bot.view': everyone,
  'bot.manage': ['owner', 'admin', 'developer'],
  'knowledge.manage': ['owner', 'admin', 'developer'],
  'conversation.view': everyone,
  'conversation.reply': ['owner', 'admin', 'agent'],
  'conversation.assign': ['owner', 'admin', 'agent'],
  'integration.view': everyone,
  'integration.manage': ['owner', 'admin', 'developer'],
  'api_key.view': ['owner', 'admin', 'developer'],
  'api_key.manage': ['owner', 'admin', 'developer'],
  'webhook.view': ['owner', 'admin', 'developer', 'viewer'],
  'webhook.manage': ['owner', 'admin', 'developer'],
  'analytics.view': ['owner', 'admin', 'developer', 'viewer'],
  'audit.view': ['owner', 'admin'],
};

const platformRoles = ['platform_admin', 'support', 'auditor'] as const;
type PlatformRole = (typeof platformRoles)[number];

const platformTable: Record<string, readonly PlatformRole[]> = {
  'platform.tenant.view': ['platform_admin', 'support', 'auditor'],
  'platform.tenant.manage': ['platform_admin'],
  'platform.user.view': ['platform_admin', 'support', 'auditor'],
  'platform.user.manage': ['platform_admin'],
  'platform.impersonate.request': ['platform_admin', 'support'],
  'platform.audit.view': ['platform_admin', 'auditor'],
};

/** What a machine may hold: never people, keys, money or the tenant itself. */
const machine = Object.keys(tenantTable).filter(
  (permission) => !/^(member|billing|api_key|ownership)\./.test(permission) && permission !== 'tenant.delete',
);

/** The only places where nobody has to say who they are: before signing in, and for load balancers. */
const publicPlaces = /^\/(health|auth|admin\/auth|pools\/(customer|admin))\//;

const operations = walk.operationsOf(api.app.swagger());
const ofMembers = operations.filter(({ audience }) => audience === 'member');
const ofOperators = operations.filter(({ audience }) => audience === 'operator');

// ---- who asks

const tenant = await aTenant({ plan: 'enterprise' });
const { tenantId } = tenant;

/** A member who holds these roles and no other. */
const memberAs = async (...roles: string[]) => (await aUser([{ tenantId, roles }])).headers;
const operatorAs = async (role: string) => (await anOperator(role)).headers;
const signedInHere = async (pool: 'customer' | 'admin') =>
  (await aSignedInPerson(pool, pool === 'customer' ? tenant : undefined)).headers;

/** Fits the schema, and names nothing that exists but the tenant in its address: what is let through does no harm. */
function ask(operation: Operation, headers: Headers): Promise<Response> {
  const id = (prefix: string) => fc.constant(newId('request').replace('req', prefix));
  const [parts = { path: {}, query: {} }] = fc.sample(
    walk.partsOf(operation, { id, text: fc.constant(`Text ${pairs}`) }),
    {
      numRuns: 1,
      seed: 1,
    },
  );
  const named = 'tenantId' in (operation.path.properties ?? {}) ? { ...parts.path, tenantId } : parts.path;
  const request = walk.requestOf(operation, { ...parts, path: named });
  return api.app.inject({ ...request, headers: { ...request.headers, ...headers } });
}

const reasonOf = ({ body }: Response) => (JSON.parse(body) as { error?: { reason?: string } }).error?.reason;

let pairs = 0;
/** Refused for want of the permission if and only if that is so. Every other answer means that it was let through. */
async function assertDecides(operation: Operation, name: string, headers: Headers, mayPass: boolean) {
  pairs++;
  const answer = await ask(operation, headers);
  const isRefused = answer.statusCode === 403 && reasonOf(answer) === 'permission_missing';
  const what = `${operation.method} ${operation.address} (${operation.permission}) as ${name}: ${answer.statusCode} ${answer.body}`;
  expect([401, 500, 503], what).not.toContain(answer.statusCode);
  expect({ isRefused }, what).toEqual({ isRefused: !mayPass });
}

const holds = (table: Record<string, readonly string[]>, { permission = '' }: Operation, roles: readonly string[]) =>
  permission === 'any' || (table[permission] ?? []).some((role) => roles.includes(role));

afterAll(() => console.log(`permissions: ${pairs} pairs of an address and a role`));

// ---- tests

describe('the table', () => {
  test('has every permission there is, and no other', () => {
    expect(Object.keys(tenantTable).toSorted()).toEqual(Permission.options.toSorted());
    expect(Object.keys(platformTable).toSorted()).toEqual(PlatformPermission.options.toSorted());
  });

  test('has what each route declares, for the pool it is for', () => {
    const sayings = {
      public: ['public'],
      member: ['any', ...Permission.options],
      operator: ['any', ...PlatformPermission.options],
    };
    for (const { method, address, audience, permission } of operations)
      expect(sayings[audience], `${method} ${address} declares ${permission}`).toContain(permission);
  });

  test('a route is public in the few places where people are not signed in yet, and nowhere else', () => {
    for (const { method, address, permission } of operations)
      expect(publicPlaces.test(address), `${method} ${address} is ${permission}`).toBe(
        permission === 'public' || isSignedInThere(address),
      );
  });

  test('what changes something needs more than to view', () => {
    for (const { method, address, permission = '' } of operations)
      if (method !== 'GET') expect(permission, `${method} ${address}`).not.toMatch(/\.view$/);
  });
});

/** Of those who are signed in, about themselves. */
const isSignedInThere = (address: string) => /\/auth\/(password\/change|step-up)$/.test(address);

describe.each(tenantRoles)('a member who is only %s', (role) => {
  test('403 permission_missing at the routes that the table withholds, and at no other', async () => {
    const headers = await memberAs(role);
    for (const operation of ofMembers)
      await assertDecides(operation, role, headers, holds(tenantTable, operation, [role]));
  });
});

describe.each(platformRoles)('an operator who is only %s', (role) => {
  test('403 permission_missing at the routes that the table withholds, and at no other', async () => {
    const headers = await operatorAs(role);
    for (const operation of ofOperators)
      await assertDecides(operation, role, headers, holds(platformTable, operation, [role]));
  });
});

test('two roles open what either of them opens', async () => {
  const both = tenantRoles.flatMap((one, n) => tenantRoles.slice(n + 1).map((other) => [one, other]));
  for (const roles of both) {
    const headers = await memberAs(...roles);
    for (const operation of ofMembers)
      await assertDecides(operation, roles.join(' and '), headers, holds(tenantTable, operation, roles));
  }
});

test('no role, and one that nobody knows, open what is for any member, and nothing else', async () => {
  for (const roles of [[], ['no_such_role'], ['platform_admin'], ['OWNER'], ['__proto__']]) {
    const headers = await memberAs(...roles);
    for (const operation of ofMembers) await assertDecides(operation, roles.join(), headers, holds({}, operation, []));
  }
});

describe('a server key', () => {
  test('400 when it is made with what no machine may hold', async () => {
    for (const permission of Permission.options) {
      const body = { name: 'Key', keyType: 'secret_server', permissions: [permission] };
      const answer = await tenant.post('/api-keys', body);
      expect(answer.statusCode, `${permission}: ${answer.body}`).toBe(machine.includes(permission) ? 201 : 400);
    }
  });

  test.each([
    ['all that a machine may', machine],
    ['nothing', []],
  ])('403 permission_missing where it holds %s, at every other route', async (name, permissions) => {
    const { headers } = await aKey(tenant, { permissions });
    for (const operation of ofMembers) {
      const mayPass = operation.permission === 'any' || permissions.includes(operation.permission ?? '');
      await assertDecides(operation, `a key with ${name}`, headers, mayPass);
    }
  });
});

describe('the two pools', () => {
  test.each([
    ['an owner', () => memberAs('owner')],
    ['an owner who signed in here', () => signedInHere('customer')],
    ['a member called platform_admin', () => memberAs('platform_admin')],
    ['a key', async () => (await aKey(tenant, { permissions: machine })).headers],
  ])('401 wrong_pool to %s at every route of operators', (_name, make) => assertShut(ofOperators, make));

  test.each([
    ['a platform admin', () => operatorAs('platform_admin')],
    ['a platform admin who signed in here', () => signedInHere('admin')],
    ['an operator called owner', () => operatorAs('owner')],
  ])('401 wrong_pool to %s at every route of tenants', (_name, make) => assertShut(ofMembers, make));
});

async function assertShut(shut: readonly Operation[], make: () => Promise<Headers>) {
  const headers = await make();
  for (const operation of shut) {
    pairs++;
    const answer = await ask(operation, headers);
    const what = `${operation.method} ${operation.address}: ${answer.body}`;
    expect([answer.statusCode, reasonOf(answer)], what).toEqual([401, 'wrong_pool']);
  }
}
