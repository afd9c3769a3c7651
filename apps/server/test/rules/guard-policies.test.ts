import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { Feature, Permission } from '../../src/platform/access.contract.ts';
import type { Session } from '../../src/platform/context.ts';
import { AppError } from '../../src/platform/errors.ts';
import { noPolicies, type AccessPolicies } from '../../src/platform/access-policies.ts';
import { guardOf, type GuardDeps, type Principal } from '../../src/platform/http/guard.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { newId } from '../../src/platform/ids.ts';
import { compileIpRanges } from '../../src/platform/ip-ranges.ts';
import { currentVersion } from '../../src/platform/version.ts';
import { declaredRoutes } from '../../../../tools/gen/routes.ts';

// The guard of every declared route, with callers whom a policy of their tenant refuses.

const routes = await declaredRoutes();
const ofMembers = routes.filter(({ kind }) => kind === 'tenant' || kind === 'caller');
const ofOthers = routes.filter(({ kind, permission }) => kind === 'visitor' || permission === 'public');

/** What remains open to a member whom a policy refuses: their own account. Listed by hand, so that additions are seen. */
const personal = [
  'getMe',
  'updateMe',
  'listMyTenants',
  'changePassword',
  'stepUp',
  'listSessions',
  'endSession',
  'endOtherSessions',
  'joinTenant',
  'addIdentity',
  'getSecondFactors',
  'startTotp',
  'confirmTotp',
  'removeTotp',
  'renewRecoveryCodes',
  'startPasskey',
  'addPasskey',
  'removePasskey',
  'challengePasskey',
];

const policiesOf = (some: Partial<AccessPolicies>): AccessPolicies => ({ ...noPolicies, ...some });
const otherIps = compileIpRanges(['203.0.113.0/24']);

const decide = (route: Route, policies: AccessPolicies, session?: Partial<Session>) =>
  new Promise<string>((done, fail) => {
    const caller = {
      tenantId: newId('tenant'),
      actor: { type: session ? ('user' as const) : ('api_key' as const), id: 'someone' },
      permissions: new Set(Permission.options),
      ...(session && {
        session: { id: 'ses', userId: 'usr', authenticatedAt: new Date(), isProtected: true, ...session },
      }),
    };
    const state = {
      status: 'active',
      version: currentVersion,
      features: new Set(Feature.options),
      policies,
      readsPerMinute: 1,
    } as const;
    const parts: GuardDeps = {
      authenticators: [(): Principal => ({ kind: 'member', caller })],
      tenantState: () => state,
      visitorOf: async () => ({}) as never,
      consume: async (policy) => ({ policy, remaining: 1, resetSeconds: 1 }),
      consumeRead: () => ({ policy: { name: 'reads', points: 1, seconds: 60 }, remaining: 1, resetSeconds: 1 }),
      failedAuthentications: {
        assertAllowed: () => {},
        rethrow: async (error) => {
          throw error;
        },
      },
    };
    const request = { headers: { authorization: 'Bearer x' }, params: {}, ip: '198.51.100.7' };
    const reply = { header: () => reply, headers: () => reply };
    guardOf(route, parts)(request as unknown as FastifyRequest, reply as unknown as FastifyReply, (error) => {
      if (error === undefined) done('passes');
      else if (error instanceof AppError) done(`${error.status} ${error.reason}`);
      else fail(error);
    });
  });

const decisions = async (of: readonly Route[], policies: AccessPolicies, session?: Partial<Session>) =>
  Object.fromEntries(
    await Promise.all(of.map(async (route) => [route.name, await decide(route, policies, session)] as const)),
  );
const expected = (refusal: string) =>
  Object.fromEntries(ofMembers.map(({ name }) => [name, personal.includes(name) ? 'passes' : refusal]));

test.each([
  ['403 two_factor_required', { requireTwoFactor: true }, { isProtected: false }],
  ['403 two_factor_required', { requireTwoFactor: true }, { id: null, isProtected: null, isMultiFactor: false }],
  ['401 session_too_old', { maxSessionMs: 60_000 }, { authenticatedAt: new Date(Date.now() - 61_000) }],
  ['403 ip_not_allowed', { memberIps: otherIps }, {}],
] as const)(
  'returns %s on every member route except those of their own account',
  async (refusal, policies, session) => {
    const decided = await decisions(ofMembers, policiesOf(policies), session);
    expect(decided).toEqual(expected(refusal));
    expect(ofMembers.length).toBeGreaterThan(100);
  },
);

test('returns 403 ip_not_allowed to a server key on every route, and applies no other policy to it', async () => {
  const refused = Object.fromEntries(ofMembers.map(({ name }) => [name, '403 ip_not_allowed']));
  expect(await decisions(ofMembers, policiesOf({ serverKeyIps: otherIps }))).toEqual(refused);
  const others = policiesOf({ requireTwoFactor: true, maxSessionMs: 1, memberIps: otherIps });
  expect(await decisions(ofMembers, others)).toEqual(await decisions(ofMembers, noPolicies));
});

test('applies no policy to an impersonating operator, to visitors or to public routes', async () => {
  const all = policiesOf({ requireTwoFactor: true, maxSessionMs: 1, memberIps: otherIps, serverKeyIps: otherIps });
  const impersonated = { operatorId: 'usr_operator', authenticatedAt: new Date(0), isProtected: false };
  expect(await decisions(ofMembers, all, impersonated)).toEqual(await decisions(ofMembers, noPolicies, impersonated));
  for (const [name, decided] of Object.entries(await decisions(ofOthers, all))) expect(decided, name).toBe('passes');
  expect(ofOthers.some(({ name }) => name === 'openAnonymousSession')).toBe(true);
});
