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
import { dueByGuard, namesTenant, type Known, type Who } from './isolation-due.ts';
import { machine, neededBy, platformRoles, platformTable, tenantRoles, tenantTable } from './permissions-table.ts';

// The guard of every declared route, asked about everybody: each role and pair of roles against the table that is written
// by hand, and each kind of credential against the committed OpenAPI document. Over HTTP, permissions.int.test.ts and
// isolation.int.test.ts then show with some of these cases that every route has this guard before it.

const routes = await declaredRoutes();
const document = readFileSync(resolve(import.meta.dirname, '../../openapi.json'), 'utf8');
const operations = walk.operationsOf(JSON.parse(document) as object);
const byName = new Map(routes.map((route) => [route.name, route]));
const declared = operations.flatMap((operation) => {
  const route = byName.get(operation.route);
  return route ? [{ operation, route }] : [];
});

const ofMembers = routes.filter(({ kind }) => kind === 'tenant' || kind === 'caller');
const ofOperators = routes.filter(({ kind }) => kind === 'operator');
const ofVisitors = routes.filter(({ kind }) => kind === 'visitor');
const ofEverybody = routes.filter(({ permission }) => permission === 'public');

// ---- asking a guard

const [home, abroad] = [newId('tenant'), newId('tenant')];
const everything: ReadonlySet<Feature> = new Set(Feature.options);
const active = { status: 'active', version: currentVersion, features: everything, policies: noPolicies } as const;

const shut = () => {
  throw new Error('this route asks somebody who is not its to ask');
};
const parts: GuardDeps = {
  authenticators: [],
  tenantState: shut,
  visitorOf: shut,
  consume: async (policy) => ({ policy, remaining: 1, resetSeconds: 1 }),
};

interface Asked extends Partial<GuardDeps> {
  tenantId?: string;
  authorization?: string;
}

/** `passes`, or the status and the reason of the refusal. */
const decide = (route: Route, { tenantId, authorization, ...own }: Asked) =>
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

const asPrincipal = (principal: Principal, state: Awaited<ReturnType<GuardDeps['tenantState']>> = active): Asked => ({
  authenticators: [() => null, () => principal],
  tenantState: () => state,
});

/** What is wrong, one line each: thousands of cases in one assertion. */
function differences() {
  const found: string[] = [];
  let cases = 0;
  return {
    add(what: string, decided: string, wanted: string) {
      cases++;
      if (decided !== wanted) found.push(`${what}: ${decided}, not ${wanted}`);
    },
    expectNone(atLeast: number) {
      expect(found.slice(0, 20), `${found.length} of ${cases}`).toEqual([]);
      expect(cases).toBeGreaterThanOrEqual(atLeast);
    },
  };
}

// ---- principals

type Standing = Pick<Known, 'isFresh' | 'hasSession' | 'isLent'>;
const sessionOf = ({ isFresh, hasSession, isLent }: Standing, staleMs: number | null = 10 * 60_000): Session => ({
  id: hasSession ? 'ses' : null,
  userId: 'usr',
  authenticatedAt: isFresh ? new Date() : staleMs === null ? null : new Date(Date.now() - staleMs),
  isProtected: null,
  ...(isLent && { operatorId: 'usr_operator' }),
});
const fresh: Standing = { isFresh: true, hasSession: false };

const memberWith = (permissions: ReadonlySet<string>, tenantId: string = home, session = sessionOf(fresh)) =>
  ({
    kind: 'member',
    caller: { tenantId: tenantId as Id<'tenant'>, actor: { type: 'user', id: 'usr' }, permissions, session },
  }) as Principal;
const keyWith = (permissions: ReadonlySet<string>, tenantId: string = home, bindings?: Bindings) =>
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

test('every route is declared once, and the document has each of them', () => {
  const names = routes.map(({ name }) => name);
  expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([]);
  expect([...new Set(operations.map(({ route }) => route))].toSorted()).toEqual(names.toSorted());
  expect(declared.length).toBe(operations.length);
});

describe('permissions', () => {
  /** As the tables say it. What is about oneself is in neither of them, and is for everybody of its pool. */
  const holds = (table: Record<string, readonly string[]>, { name }: Route, roles: readonly string[]) => {
    const permission = neededBy.get(name) ?? 'any';
    return permission === 'any' || (table[permission] ?? []).some((role) => roles.includes(role));
  };
  const wanted = (mayPass: boolean) => (mayPass ? 'passes' : '403 permission_missing');
  const combinations = (roles: readonly string[]) => [
    ...roles.map((role) => [role]),
    ...roles.flatMap((one, n) => roles.slice(n + 1).map((other) => [one, other])),
  ];
  /** No role, and some that are none of this pool. */
  const powerless = [[], ['no_such_role'], ['OWNER'], ['__proto__'], ['constructor']];

  test('returns 403 permission_missing to a member exactly where the table withholds the route from each role, pair and unknown role', async () => {
    const found = differences();
    for (const roles of [...combinations(tenantRoles), ...powerless, ['platform_admin'], ['support', 'auditor']])
      for (const route of ofMembers)
        for (const tenantId of [undefined, home]) {
          const decided = await decide(route, { ...asPrincipal(memberAs(...roles)), ...(tenantId && { tenantId }) });
          found.add(`${route.name} as ${roles.join(' and ')}`, decided, wanted(holds(tenantTable, route, roles)));
        }
    found.expectNone(5_000);
  });

  test('returns 403 permission_missing to an operator exactly where the table withholds the route from each role, pair and unknown role', async () => {
    const found = differences();
    for (const roles of [...combinations(platformRoles), ...powerless, ['owner'], ['admin', 'viewer']])
      for (const route of ofOperators) {
        const decided = await decide(route, asPrincipal(operatorAs(...roles)));
        found.add(`${route.name} as ${roles.join(' and ')}`, decided, wanted(holds(platformTable, route, roles)));
      }
    found.expectNone(1_000);
  });

  test('returns 403 to a server key where it does not hold the permission, and step_up_required where a person must prove who they are', async () => {
    const found = differences();
    for (const permissions of [machine, [], ...machine.map((one) => [one])])
      for (const route of ofMembers) {
        const needed = neededBy.get(route.name) ?? 'any';
        const mayPass = needed === 'any' || permissions.includes(needed);
        const isDangerous = 'stepUp' in route && route.stepUp;
        const decided = await decide(route, asPrincipal(keyWith(new Set(permissions))));
        const due = mayPass && isDangerous ? '403 step_up_required' : wanted(mayPass);
        found.add(`${route.name} with ${permissions.join()}`, decided, due);
      }
    found.expectNone(1_500);
  });

  test('a server key can hold what the table lets a machine hold, and no more', () => {
    expect(KeyPermission.options.toSorted()).toEqual(machine.toSorted());
  });

  test('returns 401 wrong_pool to everybody of the other pool, whatever they hold and are called', async () => {
    const found = differences();
    const everyName = new Set([...Object.keys(tenantTable), ...Object.keys(platformTable)]);
    for (const principal of [
      memberAs('owner'),
      memberAs('platform_admin'),
      keyWith(new Set(machine)),
      memberWith(everyName),
      keyWith(everyName),
    ])
      for (const route of ofOperators)
        found.add(route.name, await decide(route, asPrincipal(principal)), '401 wrong_pool');
    for (const principal of [operatorAs('platform_admin'), operatorAs('owner'), operatorWith(everyName)])
      for (const route of ofMembers)
        for (const tenantId of [undefined, home])
          found.add(
            route.name,
            await decide(route, { ...asPrincipal(principal), ...(tenantId && { tenantId }) }),
            '401 wrong_pool',
          );
    found.expectNone(1_000);
  });
});

describe('credentials', () => {
  const standings: Record<string, [Standing, staleMs?: number | null]> = {
    'proved now': [fresh],
    'signed in here': [{ isFresh: true, hasSession: true }],
    'proved ten minutes ago': [{ isFresh: false, hasSession: true }],
    'proved nobody knows when': [{ isFresh: false, hasSession: false }, null],
    'an operator in their place': [{ isFresh: false, hasSession: true, isLent: true }, 0],
  };
  const states = {
    active,
    suspended: { ...active, status: 'suspended' },
    deleted: { ...active, status: 'deleted' },
    featureless: { ...active, features: new Set<Feature>() },
  } as const;
  const stateOf = (tenantIs: keyof typeof states) => (tenantIs === 'active' ? {} : { tenantIs });
  type Found = ReturnType<typeof differences>;

  const assertAsDocumented = async (found: Found, name: string, who: Who, asked: Asked): Promise<void> => {
    for (const { operation, route } of declared) {
      if (operation.audience === 'public') continue;
      const due = dueByGuard(operation, who, home);
      const decided = await decide(route, { ...asked, ...(namesTenant(operation) && { tenantId: home }) });
      const isDue = due
        ? due.statuses.some((status) => decided.startsWith(`${status} `)) &&
          (due.reasons ?? [decided.slice(4)]).includes(decided.slice(4))
        : decided === 'passes';
      const wanted = due ? `${due.statuses.join()} ${due.reasons?.join(' or ') ?? ''}` : 'passes';
      found.add(`${operation.id}, ${name}`, isDue ? wanted : decided, wanted);
    }
  };

  test('the guard decides as the document says, for each role, tenant, state of it, and age of the proof', async () => {
    const found = differences();
    // The state of the tenant comes before the age of the proof: each of both, and not each with each.
    const situations = [
      ...Object.keys(standings).map((standing) => [standing, 'active'] as const),
      ...(['suspended', 'deleted', 'featureless'] as const).map((tenantIs) => ['proved now', tenantIs] as const),
    ];
    for (const [role, permissions] of Object.entries({ ...rolePermissions, 'no role': new Set<string>() }))
      for (const tenantId of [home, abroad])
        for (const [standing, tenantIs] of situations) {
          const [facts, staleMs] = standings[standing] ?? [fresh];
          const who: Who = { kind: 'member', tenantId, permissions, ...facts, ...stateOf(tenantIs) };
          const principal = memberWith(permissions, tenantId, sessionOf(facts, staleMs));
          const name = `${role} of ${tenantId === home ? 'the tenant' : 'another tenant'}, ${standing}, ${tenantIs}`;
          await assertAsDocumented(found, name, who, { ...asPrincipal(principal, states[tenantIs]), ...visitors });
        }
    found.expectNone(25_000);
  });

  test('the guard decides as the document says, for each key, tenant and state of it', async () => {
    const found = differences();
    const key = { kind: 'member', isKey: true, isFresh: false, hasSession: false } as const;
    for (const permissions of [new Set<string>(machine), new Set<string>()])
      for (const tenantId of [home, abroad])
        for (const tenantIs of ['active', 'suspended', 'deleted', 'featureless'] as const) {
          const who: Who = { ...key, tenantId, permissions, ...stateOf(tenantIs) };
          const asked = { ...asPrincipal(keyWith(permissions, tenantId), states[tenantIs]), ...visitors };
          await assertAsDocumented(found, `a key with ${permissions.size}, ${tenantIs}`, who, asked);
        }
    found.expectNone(4_000);
  });

  test('returns 403 key_binding_mismatch to a bound key where the route is not held to each of its bindings', async () => {
    const found = differences();
    const permissions = new Set<string>(machine);
    const key = {
      kind: 'member',
      tenantId: home,
      permissions,
      isKey: true,
      isFresh: false,
      hasSession: false,
    } as const;
    // A bot and an environment bring their workspace with them.
    const kinds = [
      ['workspace'],
      ['workspace', 'bot'],
      ['workspace', 'environment'],
      ['workspace', 'bot', 'environment'],
    ];
    for (const boundTo of kinds) {
      const idOf = (binding: string) => (boundTo.includes(binding) ? `${binding}-1` : null);
      const bindings = { workspaceId: idOf('workspace'), botId: idOf('bot'), environmentId: idOf('environment') };
      const asked = { ...asPrincipal(keyWith(permissions, home, bindings)), ...visitors };
      await assertAsDocumented(found, `a key bound to ${boundTo.join()}`, { ...key, boundTo }, asked);
    }
    found.expectNone(1_000);
  });

  test('the guard decides as the document says, for each operator and age of the proof', async () => {
    const found = differences();
    for (const [role, permissions] of Object.entries({ ...platformRolePermissions, 'no role': new Set<string>() }))
      for (const [standing, [facts, staleMs]] of Object.entries(standings)) {
        const principal = operatorWith(permissions, sessionOf(facts, staleMs));
        const asked = { ...asPrincipal(principal), ...visitors };
        await assertAsDocumented(found, `${role}, ${standing}`, { kind: 'operator', permissions, ...facts }, asked);
      }
    found.expectNone(5_000);
  });

  test('returns 401 to whoever has no credential, and to one that is no good, as the authenticator says', async () => {
    const found = differences();
    const noGood: Authenticator = () => {
      throw unauthorized('invalid_token', 'No good.');
    };
    const laterNoGood: Authenticator = () => Promise.reject(unauthorized('invalid_token', 'No good.'));
    for (const route of [...ofMembers, ...ofOperators]) {
      found.add(route.name, await decide(route, { authenticators: [() => null] }), '401 credential_missing');
      found.add(route.name, await decide(route, { authenticators: [] }), '401 credential_missing');
      for (const recognise of [noGood, laterNoGood])
        found.add(route.name, await decide(route, { authenticators: [() => null, recognise] }), '401 invalid_token');
    }
    found.expectNone(500);
  });

  const visitors: Asked = { visitorOf: () => Promise.reject(unauthorized('invalid_session', 'No good.')) };

  test('a route of visitors asks for a session, and for nothing else', async () => {
    const found = differences();
    const asked: Asked = { authenticators: [shut], visitorOf: async () => ({}) as VisitorSession };
    for (const route of ofVisitors) {
      for (const authorization of [undefined, '', 'Basic YTpi', 'bearer token'])
        found.add(
          route.name,
          await decide(route, { ...asked, ...(authorization !== undefined && { authorization }) }),
          '401 session_missing',
        );
      found.add(route.name, await decide(route, { ...asked, authorization: 'Bearer token' }), 'passes');
      const refused = await decide(route, { authenticators: [shut], ...visitors, authorization: 'Bearer token' });
      found.add(route.name, refused, '401 invalid_session');
    }
    found.expectNone(6 * ofVisitors.length);
  });

  test('a public route asks nobody who they are', async () => {
    expect(ofEverybody.length).toBeGreaterThan(20);
    for (const route of ofEverybody) expect(await decide(route, { authenticators: [shut] }), route.name).toBe('passes');
  });
});
