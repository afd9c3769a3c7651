import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import { permissionsOf, platformRolePermissions, rolePermissions } from '../../src/features/users/roles.ts';
import { Feature } from '../../src/platform/access.contract.ts';
import type { Bindings, Session, VisitorSession } from '../../src/platform/context.ts';
import { AppError, unauthorized } from '../../src/platform/errors.ts';
import { noPolicies } from '../../src/platform/access-policies.ts';
import { guardOf, type Authenticator, type GuardDeps, type Principal } from '../../src/platform/http/guard.ts';
import type { Route } from '../../src/platform/http/route.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { currentVersion } from '../../src/platform/version.ts';
import * as walk from '../openapi-walk.ts';
import { declaredRoutes } from '../../../../tools/gen/routes.ts';
import { refusalByGuard, namesTenant, type AuthenticatedCaller, type TestCaller } from './expected-refusals.ts';
import { machine, neededBy, platformRoles, platformTable, tenantRoles, tenantTable } from './permissions-table.ts';

// The guard of every declared route, with every kind of caller: each role and pair of roles against the table written by
// hand, and each kind of credential against the committed OpenAPI document. permissions.int.test.ts and
// isolation.int.test.ts show over HTTP, with some of these cases, that every route has this guard.

const routes = await declaredRoutes();
const document = readFileSync(resolve(import.meta.dirname, '../../openapi.json'), 'utf8');
const operations = walk.operationsOf(JSON.parse(document) as object);
const byName = new Map(routes.map((route) => [route.name, route]));
const declared = operations.flatMap((operation) => {
  const route = byName.get(operation.route);
  return route ? [{ operation, route }] : [];
});

const memberRoutes = routes.filter(({ kind }) => kind === 'tenant' || kind === 'caller');
const operatorRoutes = routes.filter(({ kind }) => kind === 'operator');
const visitorRoutes = routes.filter(({ kind }) => kind === 'visitor');
const publicRoutes = routes.filter(({ permission }) => permission === 'public');

// ---- calling a guard

const [homeTenant, otherTenant] = [newId('tenant'), newId('tenant')];
const everything: ReadonlySet<Feature> = new Set(Feature.options);
const active = {
  status: 'active',
  version: currentVersion,
  features: everything,
  policies: noPolicies,
  readsPerMinute: 1,
} as const;

const mustNotBeCalled = () => {
  throw new Error('this route must not call this dependency');
};
const parts: GuardDeps = {
  authenticators: [],
  tenantState: mustNotBeCalled,
  visitorOf: mustNotBeCalled,
  consume: async (policy) => ({ policy, remaining: 1, resetSeconds: 1 }),
  consumeRead: (_tenantId, points) => ({
    policy: { name: 'reads', points, seconds: 60 },
    remaining: 1,
    resetSeconds: 1,
  }),
  failedAuthentications: {
    assertAllowed: () => {},
    rethrow: async (error) => {
      throw error;
    },
  },
};

interface GuardInput extends Partial<GuardDeps> {
  tenantId?: string;
  authorization?: string;
}

/** `passes`, or the status and the reason of the refusal. */
const decide = (route: Route, { tenantId, authorization, ...own }: GuardInput) =>
  new Promise<string>((done, fail) => {
    const params = tenantId === undefined ? {} : { tenantId };
    const request = { headers: authorization === undefined ? {} : { authorization }, params, ip: '127.0.0.1' };
    const reply = { header: () => reply, headers: () => reply };
    guardOf(route, { ...parts, ...own })(request as FastifyRequest, reply as unknown as FastifyReply, (error) => {
      if (error === undefined) done('passes');
      else if (error instanceof AppError) done(`${error.status} ${error.reason}`);
      else fail(error);
    });
  });

const asPrincipal = (
  principal: Principal,
  state: Awaited<ReturnType<GuardDeps['tenantState']>> = active,
): GuardInput => ({
  authenticators: [() => null, () => principal],
  tenantState: () => state,
});

/** Differences, one line each: thousands of cases in one assertion. */
function differences() {
  const found: string[] = [];
  let cases = 0;
  return {
    add(what: string, decided: string, expected: string) {
      cases++;
      if (decided !== expected) found.push(`${what}: ${decided}, not ${expected}`);
    },
    expectNone(atLeast: number) {
      expect(found.slice(0, 20), `${found.length} of ${cases}`).toEqual([]);
      expect(cases).toBeGreaterThanOrEqual(atLeast);
    },
  };
}

// ---- principals

type SessionAge = Pick<AuthenticatedCaller, 'isFresh' | 'hasSession' | 'isImpersonated'>;
const sessionOf = (
  { isFresh, hasSession, isImpersonated }: SessionAge,
  staleMs: number | null = 10 * 60_000,
): Session => ({
  id: hasSession ? 'ses' : null,
  userId: 'usr',
  authenticatedAt: isFresh ? new Date() : staleMs === null ? null : new Date(Date.now() - staleMs),
  isProtected: null,
  ...(isImpersonated && { operatorId: 'usr_operator' }),
});
const fresh: SessionAge = { isFresh: true, hasSession: false };

const memberWith = (permissions: ReadonlySet<string>, tenantId: string = homeTenant, session = sessionOf(fresh)) =>
  ({
    kind: 'member',
    caller: { tenantId: tenantId as Id<'tenant'>, actor: { type: 'user', id: 'usr' }, permissions, session },
  }) as Principal;
const keyWith = (permissions: ReadonlySet<string>, tenantId: string = homeTenant, bindings?: Bindings) =>
  ({
    kind: 'member',
    entitlement: 'api_keys',
    caller: {
      tenantId: tenantId as Id<'tenant'>,
      actor: { type: 'api_key', id: 'key' },
      permissions,
      ...(bindings && { bindings }),
    },
  }) as Principal;
const operatorWith = (permissions: ReadonlySet<string>, session = sessionOf(fresh)) =>
  ({ kind: 'operator', operator: { actor: { type: 'operator', id: 'usr' }, permissions, session } }) as Principal;

const memberAs = (...roles: string[]) => memberWith(permissionsOf(rolePermissions, roles));
const operatorAs = (...roles: string[]) => operatorWith(permissionsOf(platformRolePermissions, roles));

// ---- tests

test('declares every route once and documents each of them', () => {
  const names = routes.map(({ name }) => name);
  expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([]);
  expect([...new Set(operations.map(({ route }) => route))].toSorted()).toEqual(names.toSorted());
  expect(declared.length).toBe(operations.length);
});

describe('permissions', () => {
  /** As in the tables. Routes about one's own account are in neither, and are open to everyone in the pool. */
  const holds = (table: Record<string, readonly string[]>, { name }: Route, roles: readonly string[]) => {
    const permission = neededBy.get(name) ?? 'any';
    return permission === 'any' || (table[permission] ?? []).some((role) => roles.includes(role));
  };
  const expected = (mayPass: boolean) => (mayPass ? 'passes' : '403 permission_missing');
  const combinations = (roles: readonly string[]) => [
    ...roles.map((role) => [role]),
    ...roles.flatMap((one, n) => roles.slice(n + 1).map((other) => [one, other])),
  ];
  /** No role, and roles that do not exist in this pool. */
  const powerless = [[], ['no_such_role'], ['OWNER'], ['__proto__'], ['constructor']];

  test('returns 403 permission_missing to a member exactly where the table withholds the route from each role, pair and unknown role', async () => {
    const found = differences();
    for (const roles of [...combinations(tenantRoles), ...powerless, ['platform_admin'], ['support', 'auditor']])
      for (const route of memberRoutes)
        for (const tenantId of [undefined, homeTenant]) {
          const decided = await decide(route, { ...asPrincipal(memberAs(...roles)), ...(tenantId && { tenantId }) });
          found.add(`${route.name} as ${roles.join(' and ')}`, decided, expected(holds(tenantTable, route, roles)));
        }
    found.expectNone(5_000);
  });

  test('returns 403 permission_missing to an operator exactly where the table withholds the route from each role, pair and unknown role', async () => {
    const found = differences();
    for (const roles of [...combinations(platformRoles), ...powerless, ['owner'], ['admin', 'viewer']])
      for (const route of operatorRoutes) {
        const decided = await decide(route, asPrincipal(operatorAs(...roles)));
        found.add(`${route.name} as ${roles.join(' and ')}`, decided, expected(holds(platformTable, route, roles)));
      }
    found.expectNone(1_000);
  });

  test('returns 403 to a server key without the permission, and step_up_required where a person must authenticate again', async () => {
    const found = differences();
    for (const permissions of [machine, [], ...machine.map((one) => [one])])
      for (const route of memberRoutes) {
        const needed = neededBy.get(route.name) ?? 'any';
        const mayPass = needed === 'any' || permissions.includes(needed);
        const isDangerous = 'stepUp' in route && route.stepUp;
        const decided = await decide(route, asPrincipal(keyWith(new Set(permissions))));
        const refusal = mayPass && isDangerous ? '403 step_up_required' : expected(mayPass);
        found.add(`${route.name} with ${permissions.join()}`, decided, refusal);
      }
    found.expectNone(1_500);
  });

  test('lets a server key hold exactly the permissions that the table allows', () => {
    expect(KeyPermission.options.toSorted()).toEqual(machine.toSorted());
  });

  test('returns 401 wrong_pool to everyone in the other pool, whatever their permissions and role names', async () => {
    const found = differences();
    const everyName = new Set([...Object.keys(tenantTable), ...Object.keys(platformTable)]);
    for (const principal of [
      memberAs('owner'),
      memberAs('platform_admin'),
      keyWith(new Set(machine)),
      memberWith(everyName),
      keyWith(everyName),
    ])
      for (const route of operatorRoutes)
        found.add(route.name, await decide(route, asPrincipal(principal)), '401 wrong_pool');
    for (const principal of [operatorAs('platform_admin'), operatorAs('owner'), operatorWith(everyName)])
      for (const route of memberRoutes)
        for (const tenantId of [undefined, homeTenant])
          found.add(
            route.name,
            await decide(route, { ...asPrincipal(principal), ...(tenantId && { tenantId }) }),
            '401 wrong_pool',
          );
    found.expectNone(1_000);
  });
});

describe('credentials', () => {
  const sessionAges: Record<string, [SessionAge, staleMs?: number | null]> = {
    'authenticated now': [fresh],
    'signed in here': [{ isFresh: true, hasSession: true }],
    'authenticated ten minutes ago': [{ isFresh: false, hasSession: true }],
    'authenticated at an unknown time': [{ isFresh: false, hasSession: false }, null],
    'an impersonating operator': [{ isFresh: false, hasSession: true, isImpersonated: true }, 0],
  };
  const states = {
    active,
    suspended: { ...active, status: 'suspended' },
    deleted: { ...active, status: 'deleted' },
    featureless: { ...active, features: new Set<Feature>() },
  } as const;
  const stateOf = (tenantIs: keyof typeof states) => (tenantIs === 'active' ? {} : { tenantIs });
  type Differences = ReturnType<typeof differences>;

  const assertAsDocumented = async (
    found: Differences,
    name: string,
    caller: TestCaller,
    input: GuardInput,
  ): Promise<void> => {
    for (const { operation, route } of declared) {
      if (operation.audience === 'public') continue;
      const refusal = refusalByGuard(operation, caller, homeTenant);
      const decided = await decide(route, { ...input, ...(namesTenant(operation) && { tenantId: homeTenant }) });
      const isExpected = refusal
        ? refusal.statuses.some((status) => decided.startsWith(`${status} `)) &&
          (refusal.reasons ?? [decided.slice(4)]).includes(decided.slice(4))
        : decided === 'passes';
      const expected = refusal ? `${refusal.statuses.join()} ${refusal.reasons?.join(' or ') ?? ''}` : 'passes';
      found.add(`${operation.id}, ${name}`, isExpected ? expected : decided, expected);
    }
  };

  test('decides as documented for each role, tenant, tenant state and age of the authentication', async () => {
    const found = differences();
    // The tenant's state is checked before the age of the authentication: each of both, but not every pair.
    const situations = [
      ...Object.keys(sessionAges).map((age) => [age, 'active'] as const),
      ...(['suspended', 'deleted', 'featureless'] as const).map((tenantIs) => ['authenticated now', tenantIs] as const),
    ];
    for (const [role, permissions] of Object.entries({ ...rolePermissions, 'no role': new Set<string>() }))
      for (const tenantId of [homeTenant, otherTenant])
        for (const [age, tenantIs] of situations) {
          const [facts, staleMs] = sessionAges[age] ?? [fresh];
          const caller: TestCaller = { kind: 'member', tenantId, permissions, ...facts, ...stateOf(tenantIs) };
          const principal = memberWith(permissions, tenantId, sessionOf(facts, staleMs));
          const name = `${role} of ${tenantId === homeTenant ? 'the tenant' : 'another tenant'}, ${age}, ${tenantIs}`;
          await assertAsDocumented(found, name, caller, { ...asPrincipal(principal, states[tenantIs]), ...visitors });
        }
    found.expectNone(25_000);
  });

  test('decides as documented for each key, tenant and tenant state', async () => {
    const found = differences();
    const key = { kind: 'member', isKey: true, isFresh: false, hasSession: false } as const;
    for (const permissions of [new Set<string>(machine), new Set<string>()])
      for (const tenantId of [homeTenant, otherTenant])
        for (const tenantIs of ['active', 'suspended', 'deleted', 'featureless'] as const) {
          const caller: TestCaller = { ...key, tenantId, permissions, ...stateOf(tenantIs) };
          const input = { ...asPrincipal(keyWith(permissions, tenantId), states[tenantIs]), ...visitors };
          await assertAsDocumented(found, `a key with ${permissions.size}, ${tenantIs}`, caller, input);
        }
    found.expectNone(4_000);
  });

  test('returns 403 key_binding_mismatch to a bound key where the route does not enforce each of its bindings', async () => {
    const found = differences();
    const permissions = new Set<string>(machine);
    const key = {
      kind: 'member',
      tenantId: homeTenant,
      permissions,
      isKey: true,
      isFresh: false,
      hasSession: false,
    } as const;
    // A bot and an environment imply their workspace.
    const kinds = [
      ['workspace'],
      ['workspace', 'bot'],
      ['workspace', 'environment'],
      ['workspace', 'bot', 'environment'],
    ];
    for (const boundTo of kinds) {
      const idOf = (binding: string) => (boundTo.includes(binding) ? `${binding}-1` : null);
      const bindings = { workspaceId: idOf('workspace'), botId: idOf('bot'), environmentId: idOf('environment') };
      const input = { ...asPrincipal(keyWith(permissions, homeTenant, bindings)), ...visitors };
      await assertAsDocumented(found, `a key bound to ${boundTo.join()}`, { ...key, boundTo }, input);
    }
    found.expectNone(1_000);
  });

  test('decides as documented for each operator and age of the authentication', async () => {
    const found = differences();
    for (const [role, permissions] of Object.entries({ ...platformRolePermissions, 'no role': new Set<string>() }))
      for (const [age, [facts, staleMs]] of Object.entries(sessionAges)) {
        const principal = operatorWith(permissions, sessionOf(facts, staleMs));
        const input = { ...asPrincipal(principal), ...visitors };
        await assertAsDocumented(found, `${role}, ${age}`, { kind: 'operator', permissions, ...facts }, input);
      }
    found.expectNone(5_000);
  });

  test('returns 401 without a credential and with an invalid one, with the reason of the authenticator', async () => {
    const found = differences();
    const invalid: Authenticator = () => {
      throw unauthorized('invalid_token', 'No good.');
    };
    const invalidLater: Authenticator = () => Promise.reject(unauthorized('invalid_token', 'No good.'));
    for (const route of [...memberRoutes, ...operatorRoutes]) {
      found.add(route.name, await decide(route, { authenticators: [() => null] }), '401 credential_missing');
      found.add(route.name, await decide(route, { authenticators: [] }), '401 credential_missing');
      for (const recognise of [invalid, invalidLater])
        found.add(route.name, await decide(route, { authenticators: [() => null, recognise] }), '401 invalid_token');
    }
    found.expectNone(500);
  });

  const visitors: GuardInput = { visitorOf: () => Promise.reject(unauthorized('invalid_session', 'No good.')) };

  test('a visitor route requires a session and nothing else', async () => {
    const found = differences();
    const input: GuardInput = { authenticators: [mustNotBeCalled], visitorOf: async () => ({}) as VisitorSession };
    for (const route of visitorRoutes) {
      for (const authorization of [undefined, '', 'Basic YTpi', 'bearer token'])
        found.add(
          route.name,
          await decide(route, { ...input, ...(authorization !== undefined && { authorization }) }),
          '401 session_missing',
        );
      found.add(route.name, await decide(route, { ...input, authorization: 'Bearer token' }), 'passes');
      const refused = await decide(route, {
        authenticators: [mustNotBeCalled],
        ...visitors,
        authorization: 'Bearer token',
      });
      found.add(route.name, refused, '401 invalid_session');
    }
    found.expectNone(6 * visitorRoutes.length);
  });

  test('a public route authenticates no one', async () => {
    expect(publicRoutes.length).toBeGreaterThan(20);
    for (const route of publicRoutes)
      expect(await decide(route, { authenticators: [mustNotBeCalled] }), route.name).toBe('passes');
  });
});
