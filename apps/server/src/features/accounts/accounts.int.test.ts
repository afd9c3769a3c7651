import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import {
  aResetToken,
  anAccount,
  anIp,
  mfaTokenFor,
  sendFrom,
  signIn,
  withTotp,
} from '../../../test/identity/accounts-fixture.ts';
import { admin, api, as, aTenant, openApi, type Response } from '../../../test/harness.ts';

interface SignedIn {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  userId: string;
  tenantId: string | null;
}
const signedIn = (response: Response) => response.json<SignedIn>();
const reasonOf = (response: Response) => response.json<{ error: { reason: string } }>().error.reason;
const bearer = (token: string, app = api.app) => as({ authorization: `Bearer ${token}` }, app);
const post = (url: string, body: object) => sendFrom(anIp(), url, body);

const signInAs = async (account: { email: string; password: string }) =>
  signedIn(await signIn(api.app, account.email, account.password));

/** Changes take effect on every node within five seconds. */
const withinFiveSeconds = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 5_000, interval: 100 });

describe('sign-in', () => {
  test('returns 200 with tokens for ten minutes, the user and the tenant', async () => {
    const account = await anAccount();
    const response = await signIn(api.app, account.email.toUpperCase(), account.password);
    expect(response.statusCode).toBe(200);
    const { accessToken, userId, tenantId, expiresIn } = signedIn(response);
    expect({ userId, tenantId, expiresIn }).toEqual({
      userId: account.userId,
      tenantId: account.tenantId,
      expiresIn: 600,
    });
    const claims = decodeJwt(accessToken);
    expect(claims).toMatchObject({ sub: userId, tenant_id: tenantId, aud: 'urn:parley:customer' });
    expect(Object.keys(claims).sort()).toEqual(
      ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'scope', 'sid', 'sub', 'tenant_id'].sort(),
    );
    expect((await bearer(accessToken).get('/me')).json()).toMatchObject({
      userId,
      tenantId,
      roles: ['owner'],
      mfaEnabled: false,
    });
  });

  test('an operator gets a token for five minutes without a tenant, after two-factor authentication', async () => {
    const operator = await anAccount({ pool: 'admin' });
    const without = await post('/admin/auth/login', operator && { email: operator.email, password: operator.password });
    expect([without.statusCode, reasonOf(without)]).toEqual([403, 'mfa_enrolment_required']);
    const { code } = await withTotp(operator, 'admin');
    const ip = anIp();
    const first = await sendFrom(ip, '/admin/auth/login', { email: operator.email, password: operator.password });
    expect([first.statusCode, reasonOf(first)]).toEqual([401, 'mfa_required']);
    const { details } = first.json<{ error: { details: { path: string; message: string }[] } }>().error;
    expect(details.find(({ path }) => path === '/methods')?.message).toBe('totp,recovery_code');
    const mfaToken = details.find(({ path }) => path === '/mfaToken')?.message;
    const second = await sendFrom(ip, '/admin/auth/login/mfa', { mfaToken, code: code() });
    expect(signedIn(second)).toMatchObject({ userId: operator.userId, tenantId: null, expiresIn: 300 });
    const token = signedIn(second).accessToken;
    expect((await bearer(token).get('/admin/sessions')).statusCode).toBe(200);
    expect((await bearer(token).get('/sessions')).statusCode).toBe(401); // a route for customers
    expect((await post('/auth/refresh', { refreshToken: signedIn(second).refreshToken })).statusCode).toBe(401);
    const again = await post('/admin/auth/refresh', { refreshToken: signedIn(second).refreshToken });
    expect(signedIn(again)).toMatchObject({ userId: operator.userId, tenantId: null });
  });

  test('returns invalid_credentials for a customer on the operator route and vice versa', async () => {
    const [customer, operator] = [await anAccount(), await anAccount({ pool: 'admin' })];
    expect(reasonOf(await post('/admin/auth/login', { email: customer.email, password: customer.password }))).toBe(
      'invalid_credentials',
    );
    expect(reasonOf(await post('/auth/login', { email: operator.email, password: operator.password }))).toBe(
      'invalid_credentials',
    );
  });

  test('returns 403 no_membership without a tenant, and 403 account_disabled only after the correct password', async () => {
    const account = await anAccount();
    await sql`delete from directory.user_tenants where user_id = ${account.userId}`.execute(admin);
    expect(reasonOf(await signIn(api.app, account.email, account.password))).toBe('no_membership');
    await sql`update directory.users set disabled_at = now() where user_id = ${account.userId}`.execute(admin);
    expect(reasonOf(await signIn(api.app, account.email, account.password))).toBe('account_disabled');
    expect(reasonOf(await signIn(api.app, account.email, 'something else entirely'))).toBe('invalid_credentials');
  });

  test('upgrades an outdated password hash at the next sign-in', async () => {
    const account = await anAccount();
    const { hash } = await import('@node-rs/argon2');
    const outdatedHash = await hash(account.password, { memoryCost: 4_096, timeCost: 1, parallelism: 1 });
    await sql`update customer_pool.accounts set password_hash = ${outdatedHash} where user_id = ${account.userId}`.execute(
      admin,
    );
    await signInAs(account);
    const { rows } = await sql<{ passwordHash: string }>`
      select password_hash from customer_pool.accounts where user_id = ${account.userId}`.execute(admin);
    expect(rows[0]?.passwordHash).toContain('m=19456,t=2,p=1');
    expect((await signIn(api.app, account.email, account.password)).statusCode).toBe(200);
  });
});

describe('switching tenants', () => {
  test('returns tokens for the other tenant, which the next sign-in starts with', async () => {
    const account = await anAccount();
    const other = await aTenant();
    await sql`insert into directory.user_tenants values (${account.userId}, ${other.tenantId})`.execute(admin);
    await admin
      .insertInto('memberships')
      .values({ tenantId: other.tenantId, userId: account.userId, roles: ['viewer'] })
      .execute();
    const first = await signInAs(account);
    const otherTenantId = first.tenantId === account.tenantId ? other.tenantId : account.tenantId;
    const switched = await post('/auth/switch-tenant', { refreshToken: first.refreshToken, tenantId: otherTenantId });
    expect(signedIn(switched)).toMatchObject({ tenantId: otherTenantId, userId: account.userId });
    expect((await bearer(signedIn(switched).accessToken).get('/me')).json()).toMatchObject({ tenantId: otherTenantId });
    expect((await signInAs(account)).tenantId).toBe(otherTenantId);
    const stranger = await aTenant();
    const refused = await post('/auth/switch-tenant', {
      refreshToken: signedIn(switched).refreshToken,
      tenantId: stranger.tenantId,
    });
    expect([refused.statusCode, reasonOf(refused)]).toEqual([403, 'no_membership']);
  });
});

describe('removal from a tenant', () => {
  test('the next refresh switches to another tenant of the user', async () => {
    const account = await anAccount();
    const first = await signInAs(account);
    const other = await aTenant();
    await sql`insert into directory.user_tenants values (${account.userId}, ${other.tenantId})`.execute(admin);
    await admin
      .insertInto('memberships')
      .values({ tenantId: other.tenantId, userId: account.userId, roles: ['viewer'] })
      .execute();
    await sql`delete from directory.user_tenants where user_id = ${account.userId} and tenant_id = ${account.tenantId}`.execute(
      admin,
    );
    const { tenantId } = account;
    await admin
      .deleteFrom('memberships')
      .where('userId', '=', account.userId)
      .where('tenantId', '=', tenantId ?? '')
      .execute();
    await withinFiveSeconds(async () => expect((await bearer(first.accessToken).get('/me')).statusCode).toBe(401));
    const next = signedIn(await post('/auth/refresh', { refreshToken: first.refreshToken }));
    expect(next.tenantId).toBe(other.tenantId);
    expect((await bearer(next.accessToken).get('/me')).statusCode).toBe(200);
  });
});

describe('sessions', () => {
  test('an ended session stops working within five seconds, on other processes too', async () => {
    const account = await anAccount();
    const [mine, other] = [await signInAs(account), await signInAs(account)];
    const { data } = (await bearer(mine.accessToken).get('/sessions')).json<{
      data: { id: string; isCurrent: boolean; methods: string[] }[];
    }>();
    expect(data.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    expect(data).toHaveLength(2);
    expect(data[0]?.methods).toEqual(['pwd']);
    const second = await openApi();
    expect((await bearer(other.accessToken, second.app).get('/me')).statusCode).toBe(200);
    const id = data.find(({ isCurrent }) => !isCurrent)?.id ?? '';
    expect(
      (await api.app.inject({ method: 'DELETE', url: `/sessions/${id}`, headers: bearer(mine.accessToken).headers }))
        .statusCode,
    ).toBe(200);
    await withinFiveSeconds(async () => {
      expect((await bearer(other.accessToken).get('/me')).statusCode).toBe(401);
      expect((await bearer(other.accessToken, second.app).get('/me')).statusCode).toBe(401);
    });
    expect((await post('/auth/refresh', { refreshToken: other.refreshToken })).statusCode).toBe(401);
    expect((await bearer(mine.accessToken).get('/me')).statusCode).toBe(200);
    await second.close();
  });

  test("returns 404 for another person's session and does not end it", async () => {
    const [mine, theirs] = [await signInAs(await anAccount()), await signInAs(await anAccount())];
    const { sid } = decodeJwt<{ sid: string }>(theirs.accessToken);
    const response = await api.app.inject({
      method: 'DELETE',
      url: `/sessions/${sid}`,
      headers: bearer(mine.accessToken).headers,
    });
    expect([response.statusCode, reasonOf(response)]).toEqual([404, 'session_not_found']);
    expect((await bearer(theirs.accessToken).get('/me')).statusCode).toBe(200);
  });

  test('signing out revokes the tokens and is idempotent', async () => {
    const { accessToken, refreshToken } = await signInAs(await anAccount());
    for (let time = 0; time < 2; time++) expect((await post('/auth/logout', { refreshToken })).statusCode).toBe(200);
    await withinFiveSeconds(async () => expect((await bearer(accessToken).get('/me')).statusCode).toBe(401));
    expect((await post('/auth/refresh', { refreshToken })).statusCode).toBe(401);
  });
});

describe('passwords', () => {
  const next = 'seven quiet lanterns glow';

  test('a change requires the current password and ends all other sessions', async () => {
    const account = await anAccount();
    const [mine, other] = [await signInAs(account), await signInAs(account)];
    const change = (currentPassword: string, newPassword: string) =>
      bearer(mine.accessToken).post('/auth/password/change', { currentPassword, newPassword });
    expect(reasonOf(await change('not this one at all', next))).toBe('invalid_credentials');
    expect(reasonOf(await change(account.password, 'short'))).toBe('password_too_short');
    expect((await change(account.password, next)).statusCode).toBe(200);
    await withinFiveSeconds(async () => expect((await bearer(other.accessToken).get('/me')).statusCode).toBe(401));
    expect((await bearer(mine.accessToken).get('/me')).statusCode).toBe(200);
    expect((await signIn(api.app, account.email, account.password)).statusCode).toBe(401);
    expect((await signIn(api.app, account.email, next)).statusCode).toBe(200);
  });

  test('a reset link works once, also under concurrency, and ends all sessions', async () => {
    const account = await anAccount();
    const before = await signInAs(account);
    const token = await aResetToken(account);
    const responses = await Promise.all([0, 1].map(() => post('/auth/password/reset', { token, password: next })));
    expect(responses.map(({ statusCode }) => String(statusCode)).sort()).toEqual(['200', '409']);
    expect(reasonOf(await post('/auth/password/reset', { token, password: next }))).toBe('link_expired');
    await withinFiveSeconds(async () => expect((await bearer(before.accessToken).get('/me')).statusCode).toBe(401));
    expect((await post('/auth/refresh', { refreshToken: before.refreshToken })).statusCode).toBe(401);
  });

  test.each([
    ['password1234', 'password_too_common'],
    ['Password1234!', 'password_too_common'],
    ['p4ssw0rdp4ssw0rd', 'password_too_common'],
    ['aaaaaaaaaaaaaa', 'password_too_common'],
    ['qwertyuiop123', 'password_too_common'],
    ['elevenchars', 'password_too_short'],
    ['x'.repeat(20).concat('abcdefghij').repeat(10), 'password_too_long'],
  ])('returns 400 for %s: %s', async (password, reason) => {
    const token = await aResetToken(await anAccount());
    const response = await post('/auth/password/reset', { token, password });
    expect([response.statusCode, reasonOf(response)]).toEqual([400, reason]);
  });
});

describe('two-factor authentication', () => {
  test('is added with recovery codes, required from then on, and removed after a step-up with both factors', async () => {
    const account = await anAccount();
    const mine = bearer((await signInAs(account)).accessToken);
    const { secret } = (await mine.post('/mfa/totp')).json<{ secret: string }>();
    const { Secret, TOTP } = await import('otpauth');
    const code = (steps = 0) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
    expect(reasonOf(await mine.post('/mfa/totp/confirm', { code: '000000' }))).toBe('invalid_code');
    expect((await signIn(api.app, account.email, account.password)).statusCode).toBe(200); // not confirmed yet
    const confirmed = await mine.post('/mfa/totp/confirm', { code: code() });
    expect(confirmed.json<{ recoveryCodes: string[] }>().recoveryCodes).toHaveLength(10);
    expect((await mine.get('/mfa')).json()).toMatchObject({ totp: true, recoveryCodesLeft: 10, passkeys: [] });
    const mfaToken = await mfaTokenFor({ ...account }, '10.9.9.9');
    expect((await sendFrom('10.9.9.9', '/auth/login/mfa', { mfaToken, code: code(1) })).statusCode).toBe(200);

    await sql`update customer_pool.sessions set authenticated_at = now() - interval '6 minutes' where user_id = ${account.userId}`.execute(
      admin,
    );
    await withinFiveSeconds(async () =>
      expect((await mine.post('/mfa/passkeys/options')).json()).toMatchObject({
        error: { reason: 'step_up_required' },
      }),
    );
    const remove = () => api.app.inject({ method: 'DELETE', url: '/mfa/totp', headers: mine.headers });
    expect((await remove()).statusCode).toBe(403);
    expect(reasonOf(await mine.post('/auth/step-up', { password: account.password }))).toBe('mfa_required');
    const recoveryCode = confirmed.json<{ recoveryCodes: string[] }>().recoveryCodes[0];
    expect((await mine.post('/auth/step-up', { password: account.password, code: recoveryCode })).statusCode).toBe(200);
    await withinFiveSeconds(async () => expect((await remove()).statusCode).toBe(200));
    expect((await signIn(api.app, account.email, account.password)).statusCode).toBe(200);
  });

  test('returns 409 last_two_factor_method when an operator removes the last one', async () => {
    const operator = await anAccount({ pool: 'admin' });
    const { code } = await withTotp(operator, 'admin');
    const ip = anIp();
    const first = await sendFrom(ip, '/admin/auth/login', { email: operator.email, password: operator.password });
    const mfaToken = first.json<{ error: { details: { message: string }[] } }>().error.details[0]?.message;
    const token = signedIn(await sendFrom(ip, '/admin/auth/login/mfa', { mfaToken, code: code() })).accessToken;
    const response = await api.app.inject({ method: 'DELETE', url: '/admin/mfa/totp', headers: bearer(token).headers });
    expect([response.statusCode, reasonOf(response)]).toEqual([409, 'last_two_factor_method']);
  });

  test('returns 403 for a user of an external issuer, who has no session here', async () => {
    const tenant = await aTenant();
    expect(reasonOf(await tenant.get('/mfa'))).toBe('managed_by_identity_provider');
    expect(reasonOf(await tenant.get('/sessions'))).toBe('managed_by_identity_provider');
  });
});

describe('sign-up', () => {
  test('returns 403 signup_closed unless the deployment allows it', async () => {
    const response = await post('/auth/signup', {
      email: 'new@example.com',
      name: 'N',
      organisation: 'O',
    });
    expect([response.statusCode, reasonOf(response)]).toEqual([403, 'signup_closed']);
  });
});
