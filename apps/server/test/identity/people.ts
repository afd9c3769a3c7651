import { sql } from 'kysely';
import { decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import { insertAccount } from '../../src/features/accounts/accounts.store.ts';
import { hashPassword } from '../../src/features/accounts/password/passwords.ts';
import { createTotp, newRecoveryCodes } from '../../src/features/accounts/two-factor/totp.ts';
import { newId } from '../../src/platform/ids.ts';
import { inPool, type PoolName } from '../../src/platform/pool.ts';
import { admin, services, send, type openApi } from '../harness.ts';

type App = Awaited<ReturnType<typeof openApi>>['app'];

const password = 'correct horse battery staple';
const hashes: Partial<Record<PoolName, Promise<string>>> = {};

export const adminPath = (pool: PoolName, path: string) => (pool === 'customer' ? path : `/admin${path}`);

/** A person with an account in a built-in pool: a member of that tenant, or an operator with two-factor authentication. */
export async function aPerson(pool: PoolName, tenantId: string, roles = ['owner']) {
  const userId = newId('user');
  const email = `${userId}@example.com`;
  const passwordHash = await (hashes[pool] ??= hashPassword(pool, password));
  const platformRoles = pool === 'admin' ? ['platform_admin'] : [];
  const recoveryCodes = await inPool(services.db, pool, async (tx) => {
    await insertAccount(tx, { userId, email, name: 'Test Person', locale: 'en', passwordHash, platformRoles });
    if (pool === 'customer') return [];
    await createTotp(tx, services.keyring, pool, userId, email);
    await tx
      .updateTable('totp')
      .set({ confirmedAt: sql`now()` })
      .where('userId', '=', userId)
      .execute();
    return newRecoveryCodes(tx, userId);
  });
  if (pool === 'customer') {
    await sql`insert into directory.user_tenants values (${userId}, ${tenantId})`.execute(admin);
    await admin.insertInto('memberships').values({ tenantId, userId, roles }).execute();
  }
  return { pool, userId, email, recoveryCodes };
}
export type Person = Awaited<ReturnType<typeof aPerson>>;

export interface SignInResult {
  userId: string;
  accessToken: string;
  refreshToken: string;
  sid: string;
}

/** Signs in with a password, and with a recovery code for operators. */
export async function signIn({ pool, email, recoveryCodes }: Person): Promise<SignInResult> {
  let response = await send('POST', adminPath(pool, '/auth/login'), {}, { email, password });
  if (pool === 'admin') {
    const details = response.json<{ error: { details: { path: string; message: string }[] } }>().error.details;
    const mfaToken = details.find(({ path }) => path === '/mfaToken')?.message;
    response = await send('POST', '/admin/auth/login/mfa', {}, { mfaToken, code: recoveryCodes.pop() });
  }
  if (response.statusCode !== 200) throw new Error(`sign-in failed: ${response.body}`);
  const signed = response.json<Omit<SignInResult, 'sid'>>();
  return { ...signed, sid: String(decodeJwt(signed.accessToken)['sid']) };
}

/** OIDC_CLIENTS with these clients in both pools. */
export const clientsOf = (clientIds: readonly string[]) =>
  JSON.stringify(
    (['customer', 'admin'] as const).flatMap((pool) =>
      clientIds.map((clientId) => ({ pool, clientId, redirectUris: ['http://127.0.0.1:1/back'] })),
    ),
  );

/** The authorization code flow with an OIDC library, for a configured client. */
export async function signInByCode(app: App, issuer: string, clientId: string, person: Person) {
  const configuration = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
    [oidc.customFetch]: async (url, { method, headers, body }) => {
      const payload = body instanceof URLSearchParams ? body.toString() : (body as string | undefined);
      const response = await app.inject({
        method: method as 'GET',
        url: url.slice(new URL(url).origin.length),
        headers: Object.fromEntries(new Headers(headers)),
        ...(payload && { payload }),
      });
      return new Response(response.body, {
        status: response.statusCode,
        headers: response.headers as Record<string, string>,
      });
    },
  });
  const [state, verifier] = [oidc.randomState(), oidc.randomPKCECodeVerifier()];
  const start = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: 'http://127.0.0.1:1/back',
    scope: 'openid email profile offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  });
  const back = new URL(await followSignIn(app, start.href, person));
  const code = back.searchParams.get('code') ?? '';
  const exchange = async () => {
    const tokens = await oidc.authorizationCodeGrant(configuration, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    return { idToken: tokens.id_token ?? '', accessToken: tokens.access_token };
  };
  return { code, verifier, exchange };
}

/** Follows redirects with cookies and submits the two forms, until it leaves the service. */
async function followSignIn(app: App, start: string, { pool, email, recoveryCodes }: Person): Promise<string> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(start);
  let [currentUrl, hasPassword] = [start, false];
  for (let steps = 0; currentUrl.startsWith(origin); steps++) {
    if (steps > 12) throw new Error(`redirect loop at ${currentUrl}`);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const page = await app.inject({ url: currentUrl.slice(origin.length), headers: { cookie } });
    for (const { name, value } of page.cookies) cookies.set(name, value);
    let location = page.headers.location;
    if (!location) {
      const form = hasPassword ? { code: recoveryCodes.pop() ?? '', method: 'recovery_code' } : { email, password };
      const submitted = await app.inject({
        method: 'POST',
        url: `${new URL(currentUrl).pathname}/${hasPassword ? 'code' : 'password'}`,
        headers: { cookie, origin, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(form).toString(),
      });
      hasPassword = true;
      location = submitted.headers.location;
      if (!location) throw new Error(`${pool}: the form was refused with ${submitted.statusCode}`);
    }
    currentUrl = new URL(location, currentUrl).href;
  }
  return currentUrl;
}
