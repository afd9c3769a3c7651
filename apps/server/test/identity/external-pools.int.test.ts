import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { createVerifier } from '../../src/features/users/token.ts';
import { Issuer } from '../../src/platform/config.ts';
import { newId } from '../../src/platform/ids.ts';
import { createSafeFetch } from '../../src/platform/safe-fetch.ts';
import {
  admin,
  aTenant,
  openApi,
  send,
  type Headers,
  type Method,
  type Response,
  type TestTenant,
} from '../harness.ts';
import { decode, encode, hmacOf, makeJws, type Claims } from './jws.ts';
import { mfaTokenFor, rightPassword, withTotp } from './accounts-fixture.ts';
import { aPerson, signIn, type Person } from './people.ts';
import { wrongShapes } from './provider-shapes.ts';
import { newKeys, startProvider, trustSettings, type Provider } from './providers.ts';

const signInUrl = 'https://login.acme.example/start';
const ofStrangers = newKeys();
const [cognito, entra, keycloak, okta, plain, withTenantClaim, withUserinfo, oktaWithUserinfo, forOperators] =
  await Promise.all([
    startProvider('cognito', { signInUrl }),
    startProvider('entra'),
    startProvider('keycloak', { clientIds: ['app-1'] }),
    startProvider('okta'),
    startProvider('at+jwt'),
    startProvider('keycloak', { tenantClaim: 'org' }),
    startProvider('at+jwt', { hasUserinfo: true }),
    startProvider('okta', { hasUserinfo: true }),
    startProvider('keycloak', { pool: 'admin' }),
  ]);
const providers = [
  cognito,
  entra,
  keycloak,
  okta,
  plain,
  withTenantClaim,
  withUserinfo,
  oktaWithUserinfo,
  forOperators,
];
/** `mixed` has the built-in pool and external issuers, `external` only external issuers. */
const mixed = await openApi(trustSettings(providers));
const external = await openApi({ ...trustSettings(providers), BUILTIN_POOLS: 'admin' });
afterAll(async () => {
  await Promise.all([mixed.close(), external.close()]);
  providers.forEach((provider) => provider.close());
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const at = (token: string, url = '/me', { app } = external) => send('GET', url, bearer(token), undefined, app);
const refusalOf = (response: Response) => [
  response.statusCode,
  response.json<{ error?: { reason: string } }>().error?.reason,
];
const invalid = [401, 'invalid_token'];

const anEmail = () => `${randomUUID()}@acme.example`;
const verifiedEmail = (email: string) => ({ email, email_verified: true, name: 'Ada' });
async function invite(tenant: TestTenant, email: string, roles = ['viewer']): Promise<string> {
  const response = await tenant.post('/invitations', { email, roles });
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ invitation: { id: string } }>().invitation.id;
}

/** A member with an identity at this provider. */
async function aMember({ issuer }: Provider, memberships: { tenantId: string; roles: string[] }[]) {
  const [userId, subject] = [newId('user'), randomUUID()];
  await sql`insert into directory.users (user_id, pool, email, name)
    values (${userId}, 'customer', ${`${userId}@acme.example`}, 'Ada')`.execute(admin);
  await sql`insert into directory.identities values (${issuer}, ${subject}, ${userId})`.execute(admin);
  for (const { tenantId, roles } of memberships) {
    await sql`insert into directory.user_tenants values (${userId}, ${tenantId})`.execute(admin);
    await admin.insertInto('memberships').values({ tenantId, userId, roles }).execute();
  }
  return { userId, subject };
}

/** Row counts of everything that joining could write. */
async function rowCounts(): Promise<unknown> {
  const { rows } = await sql`select (select count(*) from directory.users) as users,
    (select count(*) from directory.identities) as identities, (select count(*) from directory.user_tenants) as joined,
    (select count(*) from memberships) as memberships, (select count(*) from events) as events,
    (select count(*) from invitations where accepted_at is not null) as accepted,
    (select count(*) from directory.invitations) as open, (select count(*) from customer_pool.accounts) as accounts,
    (select count(*) from customer_pool.audit_entries) as audit, (select count(*) from directory.emails) as emails`.execute(
    admin,
  );
  return rows[0];
}
async function expectRefusedWithoutWrites(token: string, api = external): Promise<void> {
  const before = await rowCounts();
  const responses = [await at(token, '/me', api), await at(token, '/me', api)];
  expect(await rowCounts()).toEqual(before);
  expect(responses.map(refusalOf)).toEqual([invalid, invalid]);
}

describe('returns 200 for the vendor’s access tokens and 401 for all others', async () => {
  const { tenantId } = await aTenant();
  const all = [cognito, entra, keycloak, okta, plain].map((provider) => [provider.preset, provider] as const);

  test.each(all)('%s', async (_name, provider) => {
    const { userId, subject } = await aMember(provider, [{ tenantId, roles: ['agent'] }]);
    const good = await at(await provider.access(subject));
    expect([good.statusCode, good.json()]).toMatchObject([200, { userId, tenantId, roles: ['agent'] }]);

    const now = Math.floor(Date.now() / 1_000);
    const [header, payload] = (await provider.access(subject)).split('.');
    const claims = decode(payload);
    const { kid } = decode(header);
    const stranger = await startProvider(provider.preset, { keys: ofStrangers });
    stranger.close();
    const tokens: [string, string][] = [
      ['expired', await provider.access(subject, { exp: now - 6 })],
      ['without an expiry', await provider.access(subject, { exp: undefined })],
      ['without an issue time', await provider.access(subject, { iat: undefined })],
      ['not valid yet', await provider.access(subject, { nbf: now + 60 })],
      ['signed by a stranger', await stranger.access(subject, { iss: provider.issuer }, { kid })],
      [
        'signed by a stranger, with a jku',
        await stranger.access(subject, { iss: provider.issuer }, { jku: stranger.config.jwksUrl }),
      ],
      ['signed by another provider that we trust', await (provider === okta ? entra : okta).sign(claims, { kid })],
      ['signed with a secret', makeJws({ alg: 'HS256', kid, typ: 'JWT' }, claims, hmacOf('HS256', 'secret'))],
      ['unsigned', `${encode({ alg: 'none' })}.${payload}.`],
    ];
    for (const [name, change] of Object.entries(wrongShapes(provider)))
      tokens.push([name, await provider.access(subject, change)]);
    if (provider === plain)
      for (const typ of ['JWT', 'id+jwt', undefined])
        tokens.push([`typ ${typ}`, await plain.access(subject, {}, { typ })]);
    for (const [name, token] of tokens) {
      const response = await at(token);
      expect([name, response.statusCode]).toEqual([name, 401]);
      expect(response.body).not.toContain(subject);
      expect((await at(token, `/admin/tenants/${tenantId}`)).statusCode).toBe(401);
    }
  });

  test("returns 401 for a customer's external token on operator routes, and vice versa", async () => {
    const { subject } = await aMember(okta, [{ tenantId, roles: ['owner'] }]);
    expect(refusalOf(await at(await okta.access(subject), `/admin/tenants/${tenantId}`))).toEqual([401, 'wrong_pool']);
    // A customer's identity at the operators' issuer is not accepted.
    const customer = await aMember(forOperators, [{ tenantId, roles: ['owner'] }]);
    const misplaced = await forOperators.access(customer.subject);
    for (const url of ['/me', `/admin/tenants/${tenantId}`])
      expect(refusalOf(await at(misplaced, url))).toEqual(invalid);
    const { userId, subject: operator } = await aMember(forOperators, []);
    await sql`update directory.users set pool = 'admin', platform_roles = '{platform_admin}' where user_id = ${userId}`.execute(
      admin,
    );
    const token = await forOperators.access(operator);
    expect((await at(token, `/admin/tenants/${tenantId}`)).statusCode).toBe(200);
    expect(refusalOf(await at(token))).toEqual([401, 'wrong_pool']);
  });

  test('returns 401 for a token from before tokens_valid_after, whatever its iat', async () => {
    const now = Math.floor(Date.now() / 1_000);
    for (const provider of [cognito, entra, keycloak, okta, plain]) {
      const { userId, subject } = await aMember(provider, [{ tenantId, roles: ['owner'] }]);
      await sql`update directory.users set tokens_valid_after = now() + interval '1 minute' where user_id = ${userId}`.execute(
        admin,
      );
      expect(refusalOf(await at(await provider.access(subject)))).toEqual(invalid);
      for (const iat of [now + 120, now + 86_400, Date.now(), 1e308])
        expect([iat, ...refusalOf(await at(await provider.access(subject, { iat })))]).toEqual([iat, ...invalid]);
    }
  });

  test('returns 401 for the same subject of another issuer', async () => {
    const { subject } = await aMember(okta, [{ tenantId, roles: ['owner'] }]);
    for (const provider of [cognito, entra, keycloak, plain, oktaWithUserinfo])
      expect(refusalOf(await at(await provider.access(subject)))).toEqual(invalid);
  });
});

describe('a pool with an external issuer only', () => {
  const login = { email: 'ada@acme.example', password: 'correct horse battery' };
  const detailsOf = async (settings: Record<string, string>, url = '/auth/login') => {
    const api = await openApi(settings);
    const response = await send('POST', url, {}, login, api.app);
    await api.close();
    expect(refusalOf(response)).toEqual([409, 'hosted_sign_in_required']);
    return response.json<{ error: { code: string; details: unknown } }>().error.details;
  };

  test('returns 409 hosted_sign_in_required with the sign-in URL for a password', async () => {
    const response = await send('POST', '/auth/login', {}, login, external.app);
    expect(refusalOf(response)).toEqual([409, 'hosted_sign_in_required']);
    expect(response.json()).toMatchObject({
      error: { code: 'CONFLICT', details: [{ path: '/signInUrl', message: signInUrl }] },
    });
    expect(response.body).not.toContain(login.password);
    const PORTAL_URL = 'https://portal.example';
    const withoutSignInUrl = { ...trustSettings([entra]), BUILTIN_POOLS: 'none' };
    expect(await detailsOf({ ...withoutSignInUrl, PORTAL_URL })).toEqual([{ path: '/signInUrl', message: PORTAL_URL }]);
    expect(await detailsOf({ ...withoutSignInUrl, PORTAL_URL }, '/admin/auth/login')).toEqual([]);
  });

  test('returns 404 for all other routes of the built-in pool and omits them from the OpenAPI document', async () => {
    type Document = { paths: Record<string, Record<string, unknown>> };
    const documentOf = async ({ app }: typeof mixed) =>
      Object.entries((await send('GET', '/openapi.json', {}, undefined, app)).json<Document>().paths).flatMap(
        ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
    const [builtinRoutes, externalRoutes] = [await documentOf(mixed), await documentOf(external)];
    const missingRoutes = builtinRoutes.filter((route) => !externalRoutes.includes(route));
    for (const expected of [
      'POST /auth/refresh',
      'POST /auth/invitations/accept',
      'GET /sessions',
      'POST /auth/signup',
    ])
      expect(missingRoutes).toContain(expected);
    expect(
      externalRoutes.filter(
        (route) => /\/(auth|sessions|pools\/customer|pages)\b/.test(route) && !/admin|\/widget/.test(route),
      ),
    ).toEqual(['GET /auth/options', 'POST /auth/login']); // they return the sign-in URL
    for (const route of [
      ...missingRoutes,
      'GET /pools/customer/jwks',
      'GET /pools/customer/interaction/x',
      'POST /pools/customer/token',
    ]) {
      const [method, path] = route.split(' ') as [Method, string];
      const body = method === 'POST' ? {} : undefined;
      const response = await send(method, path.replaceAll(/\{\w+\}/g, 'x'), {}, body, external.app);
      expect([route, ...refusalOf(response)]).toEqual([route, 404, 'route_not_found']);
    }
    expect(missingRoutes.length).toBeGreaterThan(30);
    expect((await send('GET', '/pools/admin/jwks', {}, undefined, external.app)).statusCode).toBe(200);
  });

  test('returns 401 for a token of the built-in pool where that is disabled', async () => {
    const { tenantId } = await aTenant();
    const { accessToken } = await signIn(await aPerson('customer', tenantId));
    expect([(await at(accessToken, '/me', mixed)).statusCode, refusalOf(await at(accessToken))]).toEqual([
      200,
      invalid,
    ]);
  });

  test('returns 403 managed_by_identity_provider for the sessions of an external identity', async () => {
    const { tenantId } = await aTenant();
    const { subject } = await aMember(okta, [{ tenantId, roles: ['owner'] }]);
    const token = await okta.access(subject, { sid: 'ses_00000000000000000000000000' });
    expect(refusalOf(await at(token, '/sessions', mixed))).toEqual([403, 'managed_by_identity_provider']);
  });
});

describe('an unknown external identity', () => {
  test('returns 401 invalid_token without an invitation and writes nothing', async () => {
    for (const provider of [cognito, entra, keycloak, okta, plain])
      await expectRefusedWithoutWrites(await provider.access(randomUUID(), verifiedEmail(anEmail())));
  });

  test('returns 401 with an invitation if the issuer has not verified exactly that email', async () => {
    const [tenant, email] = [await aTenant(), anEmail()];
    await invite(tenant, email);
    const unproved: Claims[] = [
      { email },
      { email, email_verified: false },
      { email, email_verified: 'true' },
      { email, email_verified: 1 },
      { email, email_verified: [true] },
      { email, email_verified: null },
      { email, verified: true, emailVerified: true },
      { email: [email], email_verified: true },
      { email: { value: email }, email_verified: true },
      { emails: [email], email_verified: true },
      { preferred_username: email, upn: email, username: email, email_verified: true },
      { email: ` ${email}`, email_verified: true },
      { email: `${email},other@acme.example`, email_verified: true },
      { email: `%`, email_verified: true },
      { email: `${email}\u0000`, email_verified: true },
      { email: email.replace('@', '+x@'), email_verified: true },
      { email: '', email_verified: true },
      { email_verified: true },
    ];
    for (const claims of unproved) await expectRefusedWithoutWrites(await keycloak.access(randomUUID(), claims));
  });

  test('joins once with exactly the invited roles with a verified email, also for eight concurrent requests', async () => {
    for (const provider of [keycloak, cognito]) {
      const [tenant, email, subject] = [await aTenant(), anEmail(), randomUUID()];
      const id = await invite(tenant, email, ['agent', 'viewer']);
      const claims = {
        ...verifiedEmail(email.toUpperCase()),
        roles: ['owner'],
        tenant_id: 'ten_x',
        realm_access: { roles: ['owner'] },
      };
      const token = await provider.access(subject, claims);
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, i) => at(token, '/me', i % 2 ? mixed : external)),
      );
      expect(responses.map(refusalOf)).toEqual(responses.map(() => [200, undefined]));
      const people = responses.map((response) =>
        response.json<{ userId: string; roles: string[]; tenantId: string }>(),
      );
      for (const person of people)
        expect(person).toMatchObject({
          userId: people[0]?.userId,
          roles: ['agent', 'viewer'],
          tenantId: tenant.tenantId,
        });

      const { rows } = await sql`select u.pool, u.email, u.platform_roles as roles from directory.identities i
        join directory.users u using (user_id) where i.issuer = ${provider.issuer} and i.subject = ${subject}`.execute(
        admin,
      );
      expect(rows).toEqual([{ pool: 'customer', email, roles: [] }]);
      const events = await admin.selectFrom('events').select('type').where('tenantId', '=', tenant.tenantId).execute();
      for (const type of ['invitation.accepted', 'member.added'])
        expect([type, events.filter((event) => event.type === type).length]).toEqual([type, 1]);
      const again = await send('GET', `/invitations/${id}`, tenant.headers);
      expect(again.json()).toMatchObject({ invitation: { status: 'accepted' } });
    }
  });

  test('returns 401 with an invitation that is revoked, expired, already accepted or for another email', async () => {
    const tenant = await aTenant();
    const [revoked, expired, taken] = [anEmail(), anEmail(), anEmail()];
    const id = await invite(tenant, revoked);
    expect((await send('DELETE', `/invitations/${id}`, tenant.headers)).statusCode).toBe(200);
    const old = await invite(tenant, expired);
    await sql`update invitations set expires_at = 'epoch' where id = ${old}`.execute(admin);
    await sql`update directory.invitations set expires_at = 'epoch' where invitation_id = ${old}`.execute(admin);
    await invite(tenant, taken);
    expect((await at(await okta.access(randomUUID(), verifiedEmail(taken)))).statusCode).toBe(200);
    for (const email of [revoked, expired, taken, anEmail()])
      await expectRefusedWithoutWrites(await okta.access(randomUUID(), verifiedEmail(email)));
  });

  test('returns 401 for the operator pool, which cannot be joined by an email or invitation', async () => {
    const tenant = await aTenant();
    const operator = await aPerson('admin', tenant.tenantId);
    await invite(tenant, operator.email);
    await expectRefusedWithoutWrites(await forOperators.access(randomUUID(), verifiedEmail(operator.email)));
    // The same email address in the customer pool is another person, without the operator's permissions.
    const token = await okta.access(randomUUID(), verifiedEmail(operator.email));
    const me = await at(token);
    expect([me.statusCode, me.json().userId === operator.userId]).toEqual([200, false]);
    expect(refusalOf(await at(token, `/admin/tenants/${tenant.tenantId}`))).toEqual([401, 'wrong_pool']);
  });

  test('joins a second tenant with another invitation', async () => {
    const [first, second, email, subject] = [await aTenant(), await aTenant(), anEmail(), randomUUID()];
    await invite(first, email);
    expect((await at(await okta.access(subject, verifiedEmail(email)))).statusCode).toBe(200);
    await invite(second, email);
    const url = `/tenants/${second.tenantId}`;
    const status = async () => (await at(await okta.access(subject, verifiedEmail(email)), url)).statusCode;
    await expect.poll(status, { timeout: 6_000, interval: 1_000 }).toBe(200);
  });
});

/** Adds an authenticator app to the account and signs in with it. */
async function withTwoFactors(person: Person) {
  const account = { ...person, password: rightPassword, tenantId: null };
  const { recoveryCodes } = await withTotp(account);
  const mfaToken = await mfaTokenFor(account, '127.0.0.1');
  const response = await send('POST', '/auth/login/mfa', {}, { mfaToken, code: recoveryCodes[0] });
  return bearer(response.json<{ accessToken: string }>().accessToken);
}

describe('an existing account with the same email', () => {
  test('returns 401 for an external identity without an invitation or a verified email', async () => {
    const [homeTenant, invitingTenant] = [await aTenant(), await aTenant()];
    const victim = await aPerson('customer', homeTenant.tenantId);
    await expectRefusedWithoutWrites(await okta.access(randomUUID(), verifiedEmail(victim.email)), mixed);
    await expectRefusedWithoutWrites(await okta.access(victim.userId, verifiedEmail(victim.email)), mixed);
    await invite(invitingTenant, victim.email);
    await expectRefusedWithoutWrites(
      await okta.access(randomUUID(), { email: victim.email, email_verified: false }),
      mixed,
    );
  });

  test('returns 401 account_exists with both: an external issuer does not give access to an existing account', async () => {
    const [homeTenant, invitingTenant] = [await aTenant(), await aTenant()];
    const person = await aPerson('customer', homeTenant.tenantId, ['developer']);
    await invite(invitingTenant, person.email, ['viewer']);
    const before = await rowCounts();
    for (const provider of [okta, keycloak]) {
      const token = await provider.access(randomUUID(), verifiedEmail(person.email));
      for (const url of ['/me', `/tenants/${homeTenant.tenantId}`, `/tenants/${invitingTenant.tenantId}`])
        expect(refusalOf(await at(token, url, mixed))).toEqual([401, 'account_exists']);
    }
    expect(await rowCounts()).toEqual(before);
  });

  test('its owner can link the identity with two-factor authentication, and then sign in with it', async () => {
    const [homeTenant, other] = [await aTenant(), await aTenant()];
    const person = await aPerson('customer', homeTenant.tenantId, ['developer']);
    const subject = randomUUID();
    const accessToken = await okta.access(subject, verifiedEmail(person.email));
    const add = (session: Headers, token = accessToken) =>
      send('POST', '/me/identities', session, { accessToken: token }, mixed.app);
    const session = bearer((await signIn(person)).accessToken);
    expect(refusalOf(await add(session))).toEqual([403, 'two_factor_required']);
    expect(refusalOf(await at(accessToken, '/me', mixed))[0]).toBe(401);

    const twoFactorSession = await withTwoFactors(person);
    expect((await add(twoFactorSession)).statusCode).toBe(200);
    await expect.poll(async () => (await at(accessToken, '/me', mixed)).statusCode, { timeout: 30_000 }).toBe(200);
    expect((await at(accessToken, '/me', mixed)).json()).toMatchObject({ userId: person.userId, roles: ['developer'] });

    // Not a token of an external issuer, or already linked to another account.
    const ours = twoFactorSession.authorization.slice('Bearer '.length);
    for (const wrong of ['garbage', ours, await forOperators.access(randomUUID())])
      expect(refusalOf(await add(twoFactorSession, wrong))).toEqual([400, 'invalid_identity_token']);
    const stranger = await aPerson('customer', other.tenantId);
    const { rows } = await sql`select data from customer_pool.audit_entries
      where action = 'identity.added' and user_id = ${person.userId}`.execute(admin);
    expect(rows).toEqual([{ data: { issuer: okta.issuer } }]);
    expect(refusalOf(await add(await withTwoFactors(stranger)))).toEqual([409, 'identity_taken']);
    await sql`update customer_pool.sessions set authenticated_at = now() - interval '10 minutes'
      where user_id = ${person.userId}`.execute(admin);
    const stale = async () => refusalOf(await add(twoFactorSession))[1];
    await expect.poll(stale, { timeout: 30_000, interval: 500 }).toBe('step_up_required');
  });

  test('returns 401 if the account is disabled and writes nothing', async () => {
    const [homeTenant, invitingTenant] = [await aTenant(), await aTenant()];
    const { userId, email } = await aPerson('customer', homeTenant.tenantId);
    await sql`update directory.users set disabled_at = now() where user_id = ${userId}`.execute(admin);
    await invite(invitingTenant, email);
    await expectRefusedWithoutWrites(await okta.access(randomUUID(), verifiedEmail(email)), mixed);
  });
});

describe('an issuer that is limited to tenants or domains', () => {
  test('returns 401 outside of its tenants, both for an invitation and for a member', async () => {
    const [bound, other] = [await aTenant(), await aTenant()];
    const provider = await startProvider('keycloak', { tenants: [bound.tenantId] });
    const own = await openApi({ ...trustSettings([provider]), BUILTIN_POOLS: 'admin' });
    try {
      const [email, subject] = [anEmail(), randomUUID()];
      await invite(other, email);
      const token = await provider.access(subject, verifiedEmail(email));
      expect(refusalOf(await at(token, '/me', own))).toEqual(invalid);
      expect(
        await admin.selectFrom('memberships').selectAll().where('tenantId', '=', other.tenantId).execute(),
      ).toHaveLength(1);

      const both = [bound, other].map(({ tenantId }) => ({ tenantId, roles: ['owner'] }));
      const member = await aMember(provider, both);
      const theirs = await provider.access(member.subject);
      expect((await at(theirs, `/tenants/${bound.tenantId}`, own)).statusCode).toBe(200);
      expect((await at(theirs, '/me', own)).json()).toMatchObject({ tenantId: bound.tenantId });
      expect((await at(theirs, `/tenants/${other.tenantId}`, own)).statusCode).toBe(403);
    } finally {
      await own.close();
      provider.close();
    }
  });

  test('returns 401 for an email outside of its domains', async () => {
    const provider = await startProvider('keycloak', { tenants: undefined, domains: ['acme.example'] });
    const own = await openApi({ ...trustSettings([provider]), BUILTIN_POOLS: 'admin' });
    try {
      const tenant = await aTenant();
      for (const [email, status] of [
        [`${randomUUID()}@evil.example`, 401],
        [`${randomUUID()}@acme.example.evil.example`, 401],
        [`acme.example@${randomUUID()}.example`, 401],
        [anEmail(), 200],
      ] as const) {
        await invite(tenant, email);
        expect(
          (await at(await provider.access(randomUUID(), verifiedEmail(email)), '/me', own)).statusCode,
          email,
        ).toBe(status);
      }
    } finally {
      await own.close();
      provider.close();
    }
  });
});

describe('an email from the userinfo endpoint', () => {
  /** A token of an invited person without an email claim, and its userinfo response. */
  async function invitedWithUserinfo(
    userinfoFor: (subject: string, email: string) => Parameters<Provider['respondWith']>[1],
    provider = withUserinfo,
  ) {
    const [tenant, email, subject] = [await aTenant(), anEmail(), randomUUID()];
    await invite(tenant, email);
    const token = await provider.access(subject);
    provider.respondWith(token, userinfoFor(subject, email));
    return { tenant, token };
  }

  test('is accepted for the same subject and requested once', async () => {
    for (const provider of [withUserinfo, oktaWithUserinfo]) {
      const { tenant, token } = await invitedWithUserinfo((sub, email) => ({ sub, ...verifiedEmail(email) }), provider);
      const me = await at(token);
      expect([me.statusCode, me.json()]).toMatchObject([
        200,
        { tenantId: tenant.tenantId, roles: ['viewer'], name: 'Ada' },
      ]);
      await at(token);
      expect(provider.userinfoTokens.filter((one) => one === token)).toHaveLength(1);
    }
  });

  test.each<[string, (sub: string, email: string) => Claims]>([
    ['another subject', (_sub, email) => ({ sub: randomUUID(), ...verifiedEmail(email) })],
    ['no subject', (_sub, email) => ({ ...verifiedEmail(email) })],
    ['a subject of the wrong type', (sub, email) => ({ sub: [sub], ...verifiedEmail(email) })],
  ])('returns 401 for %s', async (_name, userinfoFor) => {
    await expectRefusedWithoutWrites((await invitedWithUserinfo(userinfoFor)).token);
  });

  test('returns 401 when the email is not verified or userinfo fails with a 3xx or 4xx', async () => {
    const userinfoResponses: ((sub: string, email: string) => Parameters<Provider['respondWith']>[1])[] = [
      (sub, email) => ({ sub, email }),
      (sub, email) => ({ sub, email, email_verified: false }),
      (sub, email) => ({ sub, email, email_verified: 'true' }),
      (sub, email) => ({ sub, email: [email], email_verified: true }),
      (sub, email) => ({ sub, email: `${email}\u0000`, email_verified: true }),
      (sub) => ({ sub, email_verified: true }),
      () => ({ status: 401, body: '{}' }),
      (sub, email) => ({ status: 403, body: JSON.stringify({ sub, ...verifiedEmail(email) }) }),
      (sub, email) => ({
        status: 302,
        location: withUserinfo.issuer,
        body: JSON.stringify({ sub, ...verifiedEmail(email) }),
      }),
    ];
    for (const userinfoFor of userinfoResponses)
      await expectRefusedWithoutWrites((await invitedWithUserinfo(userinfoFor)).token);
  });

  test.each<[string, (sub: string, email: string) => { status?: number; type?: string; body: string }]>([
    ['a page', () => ({ type: 'text/html', body: '<h1>Welcome</h1>' })],
    ['nothing', () => ({ body: '' })],
    ['a signed response', () => ({ type: 'application/jwt', body: 'a.b.c' })],
    ['a truncated response', (sub) => ({ body: `{"sub":"${sub}"` })],
    [
      'a too long response',
      (sub, email) => ({ body: JSON.stringify({ sub, ...verifiedEmail(email), x: 'x'.repeat(70_000) }) }),
    ],
    ['null', () => ({ body: 'null' })],
    ['a failure', () => ({ status: 500, body: 'oops' })],
  ])('returns 401 or 503, never 500, when the response is %s', async (_name, userinfoFor) => {
    const { token } = await invitedWithUserinfo(userinfoFor);
    const before = await rowCounts();
    expect([401, 503]).toContain((await at(token)).statusCode);
    expect(await rowCounts()).toEqual(before);
  });

  test('returns 503 when userinfo is unreachable', async () => {
    const missingRoutes = await startProvider('at+jwt', { userinfoUrl: 'http://127.0.0.1:9/userinfo' });
    const api = await openApi({
      ...trustSettings([missingRoutes]),
      EGRESS_OPEN_HOSTS: `${missingRoutes.host},127.0.0.1:9`,
    });
    const response = await at(await missingRoutes.access(randomUUID()), '/me', api);
    await api.close();
    missingRoutes.close();
    expect(response.statusCode).toBe(503);
  });
});

describe('tenants and roles in a token', async () => {
  const [one, two, foreign] = [await aTenant(), await aTenant(), await aTenant()];
  const memberships = [
    { tenantId: one.tenantId, roles: ['viewer'] },
    { tenantId: two.tenantId, roles: ['agent'] },
  ];
  const extraClaims = (tenantId: string) => ({
    tenant_id: tenantId,
    tenantId,
    tid: tenantId,
    organization: tenantId,
    roles: ['owner'],
    permissions: ['tenant.delete', 'api_key.manage'],
    scope: 'owner',
    groups: ['owner'],
    'cognito:groups': ['owner'],
    realm_access: { roles: ['owner'] },
    platform_roles: ['platform_admin'],
    act: { sub: one.userId },
  });

  test('are ignored: roles come from the membership, and the tenant from the path', async () => {
    for (const provider of [cognito, entra, keycloak, okta]) {
      const { subject } = await aMember(provider, memberships);
      const token = await provider.access(subject, { ...extraClaims(two.tenantId), org: two.tenantId });
      expect(refusalOf(await at(token))).toEqual([401, 'tenant_required']);
      expect((await at(token, `/tenants/${one.tenantId}`)).statusCode).toBe(200);
      expect(refusalOf(await at(token, `/tenants/${one.tenantId}/api-keys`))).toEqual([403, 'permission_missing']);
      const intruding = await provider.access(subject, { ...extraClaims(foreign.tenantId), org: foreign.tenantId });
      const refused = await at(intruding, `/tenants/${foreign.tenantId}`);
      expect([401, 403]).toContain(refused.statusCode);
      const { subject: lonely } = await aMember(provider, []);
      expect(refusalOf(await at(await provider.access(lonely, extraClaims(one.tenantId))))).toEqual([
        401,
        'no_membership',
      ]);
    }
  });

  test('select at most one of the user’s own tenants for an issuer without a preset', async () => {
    const { subject } = await aMember(plain, memberships);
    const me = await at(await plain.access(subject, extraClaims(two.tenantId)));
    expect([401, 200]).toContain(me.statusCode);
    if (me.statusCode === 200) expect(me.json()).toMatchObject({ tenantId: two.tenantId, roles: ['agent'] });
    expect((await at(await plain.access(subject, extraClaims(foreign.tenantId)))).statusCode).toBe(401);
  });

  test('select one of the user’s own tenants if tenantClaim is configured', async () => {
    const { subject } = await aMember(withTenantClaim, memberships);
    const me = await at(await withTenantClaim.access(subject, { ...extraClaims(foreign.tenantId), org: two.tenantId }));
    expect([me.statusCode, me.json()]).toMatchObject([200, { tenantId: two.tenantId, roles: ['agent'] }]);
    for (const org of [foreign.tenantId, '', '%', `${two.tenantId} `, two.tenantId.toUpperCase(), 'ten_\u0000'])
      expect(refusalOf(await at(await withTenantClaim.access(subject, { org })))).toEqual([401, 'no_membership']);
    for (const org of [[two.tenantId], { id: two.tenantId }, 1, true, null, undefined])
      expect(refusalOf(await at(await withTenantClaim.access(subject, { org })))).toEqual([401, 'tenant_required']);
    const token = await withTenantClaim.access(subject, { org: two.tenantId });
    expect(refusalOf(await at(token, `/tenants/${one.tenantId}`))).toEqual([403, 'tenant_mismatch']);
  });
});

test.each([
  ['fails', { status: 500, body: 'oops' }],
  ['redirects', { status: 302, location: 'http://127.0.0.1:9/', body: '' }],
  ['returns HTML', { type: 'text/html', body: '<h1>Maintenance</h1>' }],
  ['returns other JSON', { body: '{"hello":"world"}' }],
])('returns 503 instead of 401 when the JWKS endpoint %s', async (_name, response) => {
  const provider = await startProvider('keycloak', { keys: ofStrangers });
  provider.publish(response);
  const safeFetch = createSafeFetch({ openHosts: [provider.host], ownHosts: [] });
  const verify = createVerifier([Issuer.parse(provider.config)], safeFetch);
  const refused = await verify(await provider.access('somebody')).catch((error: unknown) => error);
  provider.close();
  await safeFetch.close();
  expect(refused).toMatchObject({ code: 'UNAVAILABLE', reason: 'issuer_unavailable' });
});
