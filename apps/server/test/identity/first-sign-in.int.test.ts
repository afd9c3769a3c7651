import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createToken } from '../../src/features/accounts/one-time-tokens.store.ts';
import { insertSignup } from '../../src/features/accounts/accounts.store.ts';
import { writeInvitationToken } from '../../src/features/members/index.ts';
import { inPool } from '../../src/platform/pool.ts';
import { afterOwnFile, aTenant, inside, openApi, services, type Response } from '../harness.ts';

// Choosing the first password signs in, in the same browser, to the portal, once.

const portal = 'http://127.0.0.1:1';
const password = 'violet thunder over Lisbon';
const { app, platform, close } = await openApi({
  SIGNUP: 'open',
  PORTAL_URL: portal,
  OIDC_CLIENTS: JSON.stringify([
    { pool: 'customer', clientId: 'portal', redirectUris: [`${portal}/api/auth/callback`] },
    { pool: 'customer', clientId: 'shop', redirectUris: ['http://127.0.0.1:2/back'] },
  ]),
});
afterOwnFile(close);
const origin = new URL(platform.config.PUBLIC_URL).origin;

const submit = (path: string, fields: Record<string, string>, to = app) =>
  to.inject({
    method: 'POST',
    url: `/pools/customer${path}`,
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });

async function confirm(to = app): Promise<Response> {
  const id = randomUUID();
  const token = await inPool(services.db, 'customer', async (tx) => {
    await insertSignup(tx, { id, email: `${id}@example.com`, name: 'Nora', organisation: 'North', locale: 'en' });
    return createToken(tx, { purpose: 'signup', seconds: 60, data: { signupId: id } });
  });
  return submit('/confirm', { token, password }, to);
}

const clients = {
  portal: `${portal}/api/auth/callback`,
  shop: 'http://127.0.0.1:2/back',
  'parley-cli': 'http://127.0.0.1:1/callback', // any program on the device can claim to be the CLI
};
/** Starts a sign-in in a browser with these cookies. Returns the code's redirect, or the page that asks to sign in. */
async function startSignIn(clientId: keyof typeof clients, first: Record<string, string> = {}) {
  const cookies = new Map(Object.entries(first));
  let url = `/pools/customer/auth?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: clients[clientId],
    response_type: 'code',
    scope: 'openid',
    state: 'state',
    prompt: 'login',
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()}`;
  for (;;) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await app.inject({ url, headers: { cookie } });
    for (const { name, value } of response.cookies) cookies.set(name, value);
    const { location } = response.headers;
    if (!location) return response.statusCode;
    const next = new URL(location, origin);
    if (next.origin !== origin) return `${next.origin} ${next.searchParams.has('code') ? 'code' : 'no code'}`;
    url = next.pathname + next.search;
  }
}
const firstCookie = ({ cookies }: Response) =>
  Object.fromEntries(cookies.filter(({ name }) => name === 'customer_first').map(({ name, value }) => [name, value]));

test('confirming an email redirects to the portal’s sign-in, which asks for nothing, once', async () => {
  const confirmed = await confirm();
  expect([confirmed.statusCode, confirmed.headers.location]).toEqual([303, `${portal}/api/auth/start`]);
  const cookie = confirmed.cookies.find(({ name }) => name === 'customer_first');
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/pools/customer/interaction', maxAge: 300 });
  expect(await startSignIn('portal', firstCookie(confirmed))).toBe(`${portal} code`);
  expect(await startSignIn('portal', firstCookie(confirmed))).toBe(200);
});

test('another browser, another application and the CLI must still sign in', async () => {
  const confirmed = await confirm();
  expect(await startSignIn('portal')).toBe(200);
  expect(await startSignIn('portal', { customer_first: 'x'.repeat(43) })).toBe(200);
  expect(await startSignIn('shop', firstCookie(confirmed))).toBe(200);
  expect(await startSignIn('parley-cli', firstCookie(confirmed))).toBe(200);
  expect(await startSignIn('portal', firstCookie(confirmed))).toBe(`${portal} code`);
});

test('a link that was used signs no one in', async () => {
  const id = randomUUID();
  const used = await submit('/confirm', { token: id, password });
  expect([used.statusCode, used.headers.location, firstCookie(used)]).toEqual([409, undefined, {}]);
});

test('accepting an invitation with a new account signs in too', async () => {
  const tenant = await aTenant();
  const invited = await tenant.post('/invitations', { email: `${randomUUID()}@example.com`, roles: ['viewer'] });
  const { id } = invited.json<{ invitation: { id: string } }>().invitation;
  const written = await inside(tenant.tenantId, (ctx) => writeInvitationToken(ctx, id));
  const accepted = await submit('/invitation', { token: written?.token ?? '', name: 'Cleo', password });
  expect(accepted.headers.location).toBe(`${portal}/api/auth/start`);
  expect(await startSignIn('portal', firstCookie(accepted))).toBe(`${portal} code`);
});

test('without a portal among the clients, the page says that the account is ready', async () => {
  const alone = await openApi({ SIGNUP: 'open', PORTAL_URL: portal });
  afterOwnFile(alone.close);
  const confirmed = await confirm(alone.app);
  expect([confirmed.statusCode, firstCookie(confirmed)]).toEqual([200, {}]);
  expect(confirmed.body).toContain('Your account is ready');
});
