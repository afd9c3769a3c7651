import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { Permission, PlatformPermission } from '../../src/platform/access.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { aKey, anOperator, api, aTenant, aUser, type Headers, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { dealer } from './deal.ts';
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

// Who may do what, over HTTP. The guard of every route is asked about every role in guard.test.ts; here each address is
// asked for with roles that it is for and roles that it is not for, so that it is seen to have that guard before it: with
// one of each in `.ci/run`, and with all of them in `.ci/full`.

/**
 * The only places where nobody has to say who they are: before signing in, for load balancers, where a page loads the
 * widget, and where it opens a session or sends a message, which bring a key or a token in their body. And the keys that
 * anybody may check our word with, and where to report a vulnerability.
 */
const publicPlaces =
  /^\/(health|auth|admin\/auth|pools\/(customer|admin)|cdn)\/|^\/(webhooks\/inbound|\.well-known\/(jwks\.json|security\.txt))$|^\/widget\/(sessions\/(anonymous|refresh)|chatbots\/\{botId\}\/message)$/;

const operations = walk.operationsOf(api.app.swagger());
const ofMembers = operations.filter(({ audience }) => audience === 'member');
/** Both forms of an address are one declaration. */
const inShort = ofMembers.filter(({ id, route }) => id === route);
const ofOperators = operations.filter(({ audience }) => audience === 'operator');

// ---- who asks

const tenant = await aTenant({ plan: 'enterprise' });
const { tenantId } = tenant;

/** A member who holds these roles and no other. */
const memberAs = async (...roles: string[]) => (await aUser([{ tenantId, roles }])).headers;
const operatorAs = async (role: string) => (await anOperator(role)).headers;
const signedInHere = async (pool: 'customer' | 'admin') =>
  (await aSignedInPerson(pool, pool === 'customer' ? tenant : undefined)).headers;

const textMark = 'Textmark';
/** Fits the schema, and names nothing that exists but the tenant in its address: what is let through does no harm. */
const requests = new Map(
  operations.map((operation) => {
    const id = (prefix: string) => fc.constant(newId('request').replace('req', prefix));
    const anything = walk.requestValuesOf(operation, { id, text: fc.constant(textMark) });
    const [parts = { path: {}, query: {} }] = fc.sample(anything, { numRuns: 1, seed: 1 });
    const named = 'tenantId' in (operation.path.properties ?? {}) ? { ...parts.path, tenantId } : parts.path;
    return [operation, walk.requestOf(operation, { ...parts, path: named })];
  }),
);

/** Each time with another text: a name may have to be the only one of its kind. */
function ask(operation: Operation, headers: Headers): Promise<Response> {
  const { method = 'GET', url = '', headers: own, payload } = requests.get(operation) ?? {};
  const anew = (text: string) => text.replaceAll(textMark, `Text${pairs}`);
  const body = payload === undefined ? {} : { payload: anew(payload) };
  return api.app.inject({ method, url: anew(url), headers: { ...own, ...headers }, ...body });
}

const reasonOf = ({ body }: Response) => (JSON.parse(body) as { error?: { reason?: string } }).error?.reason;

let pairs = 0;
/** Refused for want of the permission if and only if that is so. Every other answer means that it was let through. */
async function assertDecides(operation: Operation, name: string, headers: Headers, mayPass: boolean) {
  pairs++;
  const response = await ask(operation, headers);
  const isRefused = response.statusCode === 403 && reasonOf(response) === 'permission_missing';
  const isForOthers = response.statusCode === 401 && reasonOf(response) === 'server_key_required';
  const what = `${operation.method} ${operation.pathTemplate} (${operation.permission}) as ${name}: ${response.statusCode} ${response.body}`;
  expect({ isForOthers }, what).toEqual({ isForOthers: operation.isForServerKeys && !isKey(headers) && mayPass });
  if (!isForOthers) expect([401, 500, 503], what).not.toContain(response.statusCode);
  expect({ isRefused }, what).toEqual({ isRefused: !mayPass });
}

const isKey = (headers: Headers) => 'x-service-api-key-id' in headers;

/** By the tables, whatever the route declares. What is about oneself is in neither of them. */
const needs = ({ route }: Operation) => neededBy.get(route) ?? 'any';
const holds = (table: Record<string, readonly string[]>, operation: Operation, roles: readonly string[]) =>
  needs(operation) === 'any' || (table[needs(operation)] ?? []).some((role) => roles.includes(role));

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
      visitor: ['session'],
    };
    for (const { method, pathTemplate, audience, permission } of operations)
      expect(sayings[audience], `${method} ${pathTemplate} declares ${permission}`).toContain(permission);
  });

  test.each([
    ['members', inShort, routesByPermission],
    ['operators', ofOperators, operatorRoutesByPermission],
  ])('has every route of %s under what it needs', (_name, all, table) => {
    const needed = Map.groupBy(
      all.filter(({ isAccountRoute }) => !isAccountRoute),
      ({ permission = '' }) => permission,
    );
    const found = [...needed].map(([permission, routes]) => [permission, routes.map(({ id }) => id).toSorted()]);
    const wanted = Object.entries(table).map(([permission, ids]) => [permission, ids.toSorted()]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
  });

  test('what a visitor may is at the widget, and nothing else of theirs is', () => {
    for (const { method, pathTemplate, audience } of operations)
      if (audience === 'visitor' || pathTemplate.startsWith('/widget/'))
        expect(
          { method, address: pathTemplate, isThere: pathTemplate.startsWith('/widget/'), audience },
          'a session opens the widget alone',
        ).toEqual({
          method,
          address: pathTemplate,
          isThere: true,
          audience: publicPlaces.test(pathTemplate) ? 'public' : pathTemplate === sessionsOfKeys ? 'member' : 'visitor',
        });
  });

  test('a route is public in the few places where people are not signed in yet, and nowhere else', () => {
    for (const { method, pathTemplate, permission } of operations)
      expect(publicPlaces.test(pathTemplate), `${method} ${pathTemplate} is ${permission}`).toBe(
        permission === 'public' || isSignedInThere(pathTemplate),
      );
  });

  test('what changes something needs more than to view', () => {
    for (const { method, pathTemplate, permission = '' } of operations)
      if (method !== 'GET') expect(permission, `${method} ${pathTemplate}`).not.toMatch(/\.view$/);
  });
});

const sessionsOfKeys = '/widget/sessions/authenticated';

/** Of those who are signed in, about themselves. */
const isSignedInThere = (address: string) =>
  /\/auth\/(password\/change|step-up|impersonation\/end|invitations\/join)$/.test(address);

/** Somebody with these roles and no other, and where they ask. */
interface Asking {
  name: string;
  roles: readonly string[];
  asked: { operation: Operation; mayPass: boolean }[];
}
type Table = Record<string, readonly string[]>;

/**
 * Of those who may and of those who may not, all of them at each address, or in a sample one of each at each route: the
 * one at one form of its address, and the other at the other. What refuses many comes first, as only that refuses an admin.
 */
function planOf(all: readonly Operation[], table: Table, combinations: readonly string[][]): Asking[] {
  const plan = combinations.map((roles): Asking => ({ name: roles.join(' and ') || 'nothing', roles, asked: [] }));
  const thatMay = (operation: Operation, mayPass: boolean) =>
    plan.filter(({ roles }) => holds(table, operation, roles) === mayPass);
  if (isFull) {
    // Each role alone asks at both forms of an address, and the rest at the short one.
    for (const operation of all)
      for (const mayPass of [true, false])
        for (const { roles, asked } of thatMay(operation, mayPass))
          if (roles.length === 1 || operation.id === operation.route) asked.push({ operation, mayPass });
    return plan;
  }
  const [allowed, refused] = [dealer<Asking>(), dealer<Asking>()];
  const routes = [...Map.groupBy(all, ({ route }) => route).values()].map((forms) => ({
    forms,
    refusals: forms.flatMap((form) => thatMay(form, false)).length / forms.length,
  }));
  for (const [n, { forms }] of routes.toSorted((a, b) => b.refusals - a.refusals).entries())
    for (const [mayPass, turns] of [
      [true, allowed],
      [false, refused],
    ] as const)
      for (const operation of forms.slice((n + Number(mayPass)) % forms.length).slice(0, 1))
        for (const { asked } of turns.take(thatMay(operation, mayPass))) asked.push({ operation, mayPass });
  return plan;
}

const alone = (roles: readonly string[]) => roles.map((role) => [role]);
const pairsOf = (roles: readonly string[]) =>
  roles.flatMap((one, n) => roles.slice(n + 1).map((other) => [one, other]));
/** They open what is for anybody of the pool, and nothing else. */
const powerless = alone(['no_such_role', 'OWNER', '__proto__']);

const members = planOf(ofMembers, tenantTable, [
  ...alone(tenantRoles),
  ...pairsOf(tenantRoles),
  ...powerless,
  ['platform_admin'],
  [],
]);
const platform = planOf(ofOperators, platformTable, [...alone(platformRoles), ...powerless, ['owner']]);

describe.each(members)('a member who is $name', ({ name, roles, asked }) => {
  test('returns 403 permission_missing at the routes that the table withholds, and at no other', async () => {
    const headers = await memberAs(...roles);
    for (const { operation, mayPass } of asked) await assertDecides(operation, name, headers, mayPass);
  });
});

describe.each(platform)('an operator who is $name', ({ name, asked }) => {
  test('returns 403 permission_missing at the routes that the table withholds, and at no other', async () => {
    const headers = await operatorAs(name);
    for (const { operation, mayPass } of asked) await assertDecides(operation, name, headers, mayPass);
  });
});

test.each([
  ['members', members, ofMembers, tenantTable],
  ['operators', platform, ofOperators, platformTable],
])(
  'every role of %s is let in somewhere and refused somewhere, and each route does both',
  (_name, plan, all, table) => {
    const both = [true, false];
    const decisionsOf = (asked: Asking['asked']) => new Set(asked.map(({ mayPass }) => mayPass));
    for (const { name, roles, asked } of plan) {
      const possible = both.filter((mayPass) => all.some((operation) => holds(table, operation, roles) === mayPass));
      if (roles.length === 1) expect(decisionsOf(asked), name).toEqual(new Set(possible));
      else expect(asked.length, name).toBeGreaterThan(0);
    }
    for (const { route, permission } of all) {
      const asked = plan.flatMap((person) => person.asked.filter(({ operation }) => operation.route === route));
      expect(decisionsOf(asked), route).toEqual(new Set(permission === 'any' ? [true] : both)); // `any` is for everybody
    }
  },
);

describe('a server key', () => {
  test('400 when it is made with what no machine may hold', async () => {
    for (const permission of Permission.options) {
      const body = { name: 'Key', keyType: 'secret_server', permissions: [permission] };
      const response = await tenant.post('/api-keys', body);
      expect(response.statusCode, `${permission}: ${response.body}`).toBe(machine.includes(permission) ? 201 : 400);
    }
  });

  test.each([
    ['all that a machine may', machine],
    ['nothing', []],
  ])('returns 403 permission_missing to one that holds %s, at every other route', async (name, permissions) => {
    const { headers } = await aKey(tenant, { permissions });
    const onePerPermission = [...Map.groupBy(inShort, needs).values()].flatMap((some) => some.slice(0, 1));
    for (const operation of isFull ? inShort : onePerPermission) {
      const mayPass = needs(operation) === 'any' || permissions.includes(needs(operation));
      await assertDecides(operation, `a key with ${name}`, headers, mayPass);
    }
  });
});

describe('the two pools', () => {
  const strangers: Stranger[] = [
    ['an owner', () => memberAs('owner')],
    ['an owner who signed in here', () => signedInHere('customer')],
    ['a member called platform_admin', () => memberAs('platform_admin')],
    ['a key', async () => (await aKey(tenant, { permissions: machine })).headers],
  ];
  test.each(shares(strangers, ofOperators))('returns 401 wrong_pool to %s at the routes of operators', assertShut);

  const operators: Stranger[] = [
    ['a platform admin', () => operatorAs('platform_admin')],
    ['a platform admin who signed in here', () => signedInHere('admin')],
    ['an operator called owner', () => operatorAs('owner')],
  ];
  test.each(shares(operators, ofMembers))('returns 401 wrong_pool to %s at the routes of tenants', assertShut);
});

type Stranger = readonly [name: string, make: () => Promise<Headers>];

/** Each of them with every address, or in a sample each route at one of its addresses with one of them. */
function shares(people: readonly Stranger[], all: readonly Operation[]) {
  const routes = [...Map.groupBy(all, ({ route }) => route).values()];
  const sampled = routes.flatMap((forms, n) => forms.slice(n % forms.length).slice(0, 1));
  return people.map(
    ([name, make], n) => [name, make, isFull ? all : sampled.filter((_, at) => at % people.length === n)] as const,
  );
}

async function assertShut(_name: string, make: () => Promise<Headers>, shut: readonly Operation[]) {
  const headers = await make();
  for (const operation of shut) {
    pairs++;
    const response = await ask(operation, headers);
    const what = `${operation.method} ${operation.pathTemplate}: ${response.body}`;
    expect([response.statusCode, reasonOf(response)], what).toEqual([401, 'wrong_pool']);
  }
}
