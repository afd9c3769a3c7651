import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { Permission, PlatformPermission } from '../../src/platform/access.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { aKey, anOperator, api, aTenant, aUser, type Headers, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { leastUsedPicker } from './least-used.ts';
import { aSignedInPerson } from './people.ts';
import {
  machine,
  neededBy,
  operatorRoutesByPermission,
  platformRoles,
  platformTable,
  routesByPermission,
  tenantRoles,
  tenantTable,
} from './permissions-table.ts';

// Permissions over HTTP. guard.test.ts tests the guard of every route with every role; here each path is requested with
// roles that it allows and roles that it refuses, to show that it has this guard: with one of each in `.ci/run`, and with
// all of them in `.ci/full`.

/**
 * The only public paths: before sign-in, for load balancers, where a page loads the widget, and where it opens a session
 * or sends a message, which carry a key or a token in the body. Also the public signing keys, and where to report a
 * vulnerability.
 */
const publicPaths =
  /^\/(health|auth|admin\/auth|pools\/(customer|admin)|cdn)\/|^\/(webhooks\/inbound|\.well-known\/(jwks\.json|security\.txt))$|^\/widget\/(sessions\/(anonymous|refresh)|chatbots\/\{botId\}\/message)$/;

const operations = walk.operationsOf(api.app.swagger());
const memberRoutes = operations.filter(({ audience }) => audience === 'member');
/** Both paths of a route are one declaration. */
const shortPaths = memberRoutes.filter(({ id, route }) => id === route);
const operatorRoutes = operations.filter(({ audience }) => audience === 'operator');

// ---- callers

const tenant = await aTenant({ plan: 'enterprise' });
const { tenantId } = tenant;

/** A member who holds these roles and no other. */
const memberAs = async (...roles: string[]) => (await aUser([{ tenantId, roles }])).headers;
const operatorAs = async (role: string) => (await anOperator(role)).headers;
const signedInHere = async (pool: 'customer' | 'admin') =>
  (await aSignedInPerson(pool, pool === 'customer' ? tenant : undefined)).headers;

const textMark = 'Textmark';
/** Valid, and names nothing that exists except the tenant in its path: an accepted request does no harm. */
const requests = new Map(
  operations.map((operation) => {
    const id = (prefix: string) => fc.constant(newId('request').replace('req', prefix));
    const anything = walk.requestValuesOf(operation, { id, text: fc.constant(textMark) });
    const [parts = { path: {}, query: {} }] = fc.sample(anything, { numRuns: 1, seed: 1 });
    // Subscribing needs the permission to see an event too: `ping` needs none.
    if (parts.body instanceof Object && 'eventTypes' in parts.body) parts.body.eventTypes = ['ping'];
    // An emergency would end the sessions of the tests that follow.
    if (parts.body instanceof Object && 'isEmergency' in parts.body) parts.body.isEmergency = false;
    const named = 'tenantId' in (operation.path.properties ?? {}) ? { ...parts.path, tenantId } : parts.path;
    return [operation, walk.requestOf(operation, { ...parts, path: named })];
  }),
);

/** Each time with another text, as a name may have to be unique. */
function sendTo(operation: Operation, headers: Headers): Promise<Response> {
  const { method = 'GET', url = '', headers: own, payload } = requests.get(operation) ?? {};
  const withUniqueText = (text: string) => text.replaceAll(textMark, `Text${pairs}`);
  const body = payload === undefined ? {} : { payload: withUniqueText(payload) };
  return api.app.inject({ method, url: withUniqueText(url), headers: { ...own, ...headers }, ...body });
}

const reasonOf = ({ body }: Response) => (JSON.parse(body) as { error?: { reason?: string } }).error?.reason;

let pairs = 0;
/** Refused with permission_missing if and only if the permission is missing. Every other response means that it passed. */
async function assertDecides(operation: Operation, name: string, headers: Headers, mayPass: boolean) {
  pairs++;
  const response = await sendTo(operation, headers);
  const isRefused = response.statusCode === 403 && reasonOf(response) === 'permission_missing';
  const isForOthers = response.statusCode === 401 && reasonOf(response) === 'server_key_required';
  const what = `${operation.method} ${operation.pathTemplate} (${operation.permission}) as ${name}: ${response.statusCode} ${response.body}`;
  expect({ isForOthers }, what).toEqual({ isForOthers: operation.isForServerKeys && !isKey(headers) && mayPass });
  if (!isForOthers) expect([401, 500, 503], what).not.toContain(response.statusCode);
  expect({ isRefused }, what).toEqual({ isRefused: !mayPass });
}

const isKey = (headers: Headers) => 'x-service-api-key-id' in headers;

/** By the tables, whatever the route declares. Routes about one's own account are in neither. */
const needs = ({ route }: Operation) => neededBy.get(route) ?? 'any';
const holds = (table: Record<string, readonly string[]>, operation: Operation, roles: readonly string[]) =>
  needs(operation) === 'any' || (table[needs(operation)] ?? []).some((role) => roles.includes(role));

afterAll(() => console.log(`permissions: ${pairs} pairs of an address and a role`));

// ---- tests

describe('the table', () => {
  test('has every permission and no other', () => {
    expect(Object.keys(tenantTable).toSorted()).toEqual(Permission.options.toSorted());
    expect(Object.keys(platformTable).toSorted()).toEqual(PlatformPermission.options.toSorted());
  });

  test('has what each route declares, for its pool', () => {
    const declared = {
      public: ['public'],
      member: ['any', ...Permission.options],
      operator: ['any', ...PlatformPermission.options],
      visitor: ['session'],
    };
    for (const { method, pathTemplate, audience, permission } of operations)
      expect(declared[audience], `${method} ${pathTemplate} declares ${permission}`).toContain(permission);
  });

  test.each([
    ['members', shortPaths, routesByPermission],
    ['operators', operatorRoutes, operatorRoutesByPermission],
  ])('has every route of %s under what it needs', (_name, all, table) => {
    const needed = Map.groupBy(
      all.filter(({ isAccountRoute }) => !isAccountRoute),
      ({ permission = '' }) => permission,
    );
    const found = [...needed].map(([permission, routes]) => [permission, routes.map(({ id }) => id).toSorted()]);
    const expected = Object.entries(table).map(([permission, ids]) => [permission, ids.toSorted()]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });

  test('visitor routes are under /widget, and no other routes of theirs exist', () => {
    for (const { method, pathTemplate, audience } of operations)
      if (audience === 'visitor' || pathTemplate.startsWith('/widget/'))
        expect(
          { method, address: pathTemplate, isThere: pathTemplate.startsWith('/widget/'), audience },
          'a session is accepted under /widget only',
        ).toEqual({
          method,
          address: pathTemplate,
          isThere: true,
          audience: publicPaths.test(pathTemplate)
            ? 'public'
            : pathTemplate === authenticatedSessions
              ? 'member'
              : 'visitor',
        });
  });

  test('routes are public only where people are not signed in yet', () => {
    for (const { method, pathTemplate, permission } of operations)
      expect(publicPaths.test(pathTemplate), `${method} ${pathTemplate} is ${permission}`).toBe(
        permission === 'public' || needsSession(pathTemplate),
      );
  });

  test('routes that change something need more than a view permission', () => {
    for (const { method, pathTemplate, permission = '' } of operations)
      if (method !== 'GET') expect(permission, `${method} ${pathTemplate}`).not.toMatch(/\.view$/);
  });
});

const authenticatedSessions = '/widget/sessions/authenticated';

/** Requires a session, about one's own account. */
const needsSession = (address: string) =>
  /\/auth\/(password\/change|step-up|impersonation\/end|invitations\/join)$/.test(address);

/** A caller with exactly these roles, and the operations to check. */
interface RolePlan {
  name: string;
  roles: readonly string[];
  checks: { operation: Operation; mayPass: boolean }[];
}
type Table = Record<string, readonly string[]>;

/**
 * All roles at each path, or in a sample one allowed and one refused role at each route: the one at one of its paths, and
 * the other at the other. Routes that refuse many roles come first, as only those refuse an admin.
 */
function planOf(all: readonly Operation[], table: Table, combinations: readonly string[][]): RolePlan[] {
  const plan = combinations.map((roles): RolePlan => ({ name: roles.join(' and ') || 'nothing', roles, checks: [] }));
  const plansThat = (operation: Operation, mayPass: boolean) =>
    plan.filter(({ roles }) => holds(table, operation, roles) === mayPass);
  if (isFull) {
    // Each single role is checked at both paths, and the rest at the short one.
    for (const operation of all)
      for (const mayPass of [true, false])
        for (const { roles, checks } of plansThat(operation, mayPass))
          if (roles.length === 1 || operation.id === operation.route) checks.push({ operation, mayPass });
    return plan;
  }
  const [allowed, refused] = [leastUsedPicker<RolePlan>(), leastUsedPicker<RolePlan>()];
  const routes = [...Map.groupBy(all, ({ route }) => route).values()].map((forms) => ({
    forms,
    refusals: forms.flatMap((form) => plansThat(form, false)).length / forms.length,
  }));
  for (const [n, { forms }] of routes.toSorted((a, b) => b.refusals - a.refusals).entries())
    for (const [mayPass, picker] of [
      [true, allowed],
      [false, refused],
    ] as const)
      for (const operation of forms.slice((n + Number(mayPass)) % forms.length).slice(0, 1))
        for (const { checks } of picker.pick(plansThat(operation, mayPass))) checks.push({ operation, mayPass });
  return plan;
}

const singly = (roles: readonly string[]) => roles.map((role) => [role]);
const pairsOf = (roles: readonly string[]) =>
  roles.flatMap((one, n) => roles.slice(n + 1).map((other) => [one, other]));
/** They open what is for everyone in the pool, and nothing else. */
const powerless = singly(['no_such_role', 'OWNER', '__proto__']);

const members = planOf(memberRoutes, tenantTable, [
  ...singly(tenantRoles),
  ...pairsOf(tenantRoles),
  ...powerless,
  ['platform_admin'],
  [],
]);
const platform = planOf(operatorRoutes, platformTable, [...singly(platformRoles), ...powerless, ['owner']]);

describe.each(members)('a member who is $name', ({ name, roles, checks }) => {
  test('returns 403 permission_missing at the routes that the table withholds, and at no other', async () => {
    const headers = await memberAs(...roles);
    for (const { operation, mayPass } of checks) await assertDecides(operation, name, headers, mayPass);
  });
});

describe.each(platform)('an operator who is $name', ({ name, checks }) => {
  test('returns 403 permission_missing at the routes that the table withholds, and at no other', async () => {
    const headers = await operatorAs(name);
    for (const { operation, mayPass } of checks) await assertDecides(operation, name, headers, mayPass);
  });
});

test.each([
  ['members', members, memberRoutes, tenantTable],
  ['operators', platform, operatorRoutes, platformTable],
])(
  'every role of %s is accepted somewhere and refused somewhere, and each route does both',
  (_name, plan, all, table) => {
    const both = [true, false];
    const decisionsOf = (checks: RolePlan['checks']) => new Set(checks.map(({ mayPass }) => mayPass));
    for (const { name, roles, checks } of plan) {
      const possible = both.filter((mayPass) => all.some((operation) => holds(table, operation, roles) === mayPass));
      if (roles.length === 1) expect(decisionsOf(checks), name).toEqual(new Set(possible));
      else expect(checks.length, name).toBeGreaterThan(0);
    }
    for (const { route, permission } of all) {
      const checks = plan.flatMap((person) => person.checks.filter(({ operation }) => operation.route === route));
      expect(decisionsOf(checks), route).toEqual(new Set(permission === 'any' ? [true] : both)); // `any` is for everyone
    }
  },
);

describe('a server key', () => {
  test('returns 400 when it is created with a permission that no key may hold', async () => {
    for (const permission of Permission.options) {
      const body = { name: 'Key', keyType: 'secret_server', permissions: [permission] };
      const response = await tenant.post('/api-keys', body);
      expect(response.statusCode, `${permission}: ${response.body}`).toBe(machine.includes(permission) ? 201 : 400);
    }
  });

  test.each([
    ['all that a key may hold', machine],
    ['nothing', []],
  ])('returns 403 permission_missing to one that holds %s, at every other route', async (name, permissions) => {
    const { headers } = await aKey(tenant, { permissions });
    const onePerPermission = [...Map.groupBy(shortPaths, needs).values()].flatMap((some) => some.slice(0, 1));
    for (const operation of isFull ? shortPaths : onePerPermission) {
      const mayPass = needs(operation) === 'any' || permissions.includes(needs(operation));
      await assertDecides(operation, `a key with ${name}`, headers, mayPass);
    }
  });
});

describe('the two pools', () => {
  const customers: OtherPoolCaller[] = [
    ['an owner', () => memberAs('owner')],
    ['an owner who signed in here', () => signedInHere('customer')],
    ['a member called platform_admin', () => memberAs('platform_admin')],
    ['a key', async () => (await aKey(tenant, { permissions: machine })).headers],
  ];
  test.each(assign(customers, operatorRoutes))(
    'returns 401 wrong_pool to %s at the routes of operators',
    assertWrongPool,
  );

  const operators: OtherPoolCaller[] = [
    ['a platform admin', () => operatorAs('platform_admin')],
    ['a platform admin who signed in here', () => signedInHere('admin')],
    ['an operator called owner', () => operatorAs('owner')],
  ];
  test.each(assign(operators, memberRoutes))('returns 401 wrong_pool to %s at the routes of tenants', assertWrongPool);
});

type OtherPoolCaller = readonly [name: string, make: () => Promise<Headers>];

/**
 * Each of them at every path, or in a sample every fourth route at one of its paths with one of them:
 * isolation.int.test.ts sends someone of the wrong pool to others.
 */
function assign(people: readonly OtherPoolCaller[], all: readonly Operation[]) {
  const routes = [...Map.groupBy(all, ({ route }) => route).values()];
  const sampled = routes.filter((_, n) => n % 4 === 0).flatMap((forms, n) => forms.slice(n % forms.length).slice(0, 1));
  return people.map(
    ([name, make], n) => [name, make, isFull ? all : sampled.filter((_, at) => at % people.length === n)] as const,
  );
}

async function assertWrongPool(_name: string, make: () => Promise<Headers>, refusing: readonly Operation[]) {
  const headers = await make();
  for (const operation of refusing) {
    pairs++;
    const response = await sendTo(operation, headers);
    const what = `${operation.method} ${operation.pathTemplate}: ${response.body}`;
    expect([response.statusCode, reasonOf(response)], what).toEqual([401, 'wrong_pool']);
  }
}
