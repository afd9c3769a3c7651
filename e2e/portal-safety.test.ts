import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../tools/stack/index.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { probes } from '../tools/testing/probes.ts';
import { isFull } from '../tools/testing/size.ts';
import { aBrowser, demo, portalSettings, signIn, signInByForm } from './browser.ts';
import { open, within } from './steps.ts';

const { portalUrl, customer } = demo;
const own = { 'content-type': 'application/json', 'x-requested-with': 'portal', origin: portalUrl };

interface SendInput {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  at?: string;
}
const send = ({ path, method = 'POST', headers = own, body, at = portalUrl }: SendInput) =>
  fetch(at + path, { method, headers, redirect: 'manual', ...(body !== undefined && { body: JSON.stringify(body) }) });

/** Cookies as a browser would send them back. */
const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ');

async function signedInCookies(at = portalUrl) {
  const response = await send({ path: '/api/auth/login', body: customer, at, headers: { ...own, origin: at } });
  expect(response.status).toBe(200);
  return { response, cookie: cookiesOf(response) };
}

/** Of a session that no test ends: password hashing is slow on purpose. */
let cookiePromise: Promise<string> | undefined;
const someCookie = () => (cookiePromise ??= signedInCookies().then(({ cookie }) => cookie));

describe('what the browser receives', () => {
  test('returns 200 at sign-in without a token, and sets encrypted HttpOnly cookies for this host only', async () => {
    const { response } = await signedInCookies();
    const body = await response.text();
    expect(JSON.parse(body)).toEqual({ userId: expect.stringMatching(/^usr_/), tenantId: demo.tenantId });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const cookiePromise = response.headers.getSetCookie().filter((line) => !line.includes('Max-Age=0'));
    expect(cookiePromise.length).toBeGreaterThanOrEqual(2);
    for (const line of cookiePromise) {
      expect(line).toMatch(/^__Host-/);
      expect(line).toMatch(/; Path=\/; Secure; HttpOnly; SameSite=Strict/);
      expect(line).not.toMatch(/Domain=/i);
      // Compact JWE: five parts, the first of which names the encryption. A bare token has three.
      expect(line.split(';')[0]?.split('.').length).toBe(5);
    }
  });

  test('no page has a token in storage, readable cookies, markup or any response body', async () => {
    const { page, context } = await aBrowser();
    const bodies: string[] = [];
    const reading: Promise<unknown>[] = [];
    // Finished requests only: the body of a stream that navigation cut off cannot be read.
    page.on('requestfinished', (request) => {
      const read = request
        .response()
        .then((response) => response?.text())
        .then(
          (text) => bodies.push(text ?? ''),
          () => {}, // redirects have no body
        );
      reading.push(read);
    });
    await signInByForm(page);
    const sample = ['/', `/bots/${demo.botId}`, '/conversations', '/profile'];
    const rest = ['/bots', '/insights', '/developers/keys', '/organisation'];
    for (const path of isFull ? [...sample, ...rest] : sample) await open(page, path);
    await Promise.all(reading);
    const readable = await page.evaluate(() =>
      JSON.stringify([
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        document.cookie,
        document.documentElement.outerHTML,
        history.state,
      ]),
    );
    const all = [readable, ...bodies].join('\n');
    expect(bodies.length).toBeGreaterThan(20);
    // An access token is a JWT with this header; a refresh token would match a cookie's value or a field name.
    const tokens = all.match(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g) ?? [];
    const accessTokens = tokens.filter((token) =>
      Buffer.from(token.split('.')[0] ?? '', 'base64url')
        .toString()
        .includes('at+jwt'),
    );
    expect(accessTokens).toEqual([]);
    expect(all).not.toMatch(/refreshToken|accessToken|refresh_token|access_token/);
    const cookies = await context.cookies();
    expect(cookies.filter(({ httpOnly }) => !httpOnly)).toEqual([]);
    for (const { value } of cookies) if (value.length > 40) expect(all).not.toContain(value);
  });
});

const { 'x-requested-with': _header, ...bare } = own;
const foreign: Record<string, string>[] = [
  bare,
  { ...own, 'x-requested-with': 'XMLHttpRequest' },
  { ...own, origin: 'https://evil.example' },
  { ...own, origin: 'null' },
  { ...own, 'sec-fetch-site': 'cross-site' },
  { ...own, 'sec-fetch-site': 'same-site' },
  { 'content-type': 'application/json', 'x-requested-with': 'portal' },
  { ...own, origin: `${portalUrl}.evil.example` },
];

const routes = [
  '/api/auth/login',
  '/api/auth/logout',
  '/api/auth/login/mfa',
  '/api/auth/switch-tenant',
  '/api/bots',
  '/api/auth/step-up',
  '/',
];
/** Values of `next` that could lead to another site. */
const traps = [
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  '/%09/evil.example',
  'javascript:alert(1)',
  '\\\\evil.example',
  '/\t/evil.example',
  'http:evil.example',
  '///evil.example',
  '/.//evil.example',
  ' //evil.example',
];

test('tries as many foreign requests and redirects as the threat model says', () =>
  expect(routes.length * foreign.length + traps.length).toBeGreaterThanOrEqual(probes.portalForms.min));

describe('state-changing requests', () => {
  test.each(routes)('returns 403 at %s without the header, from another origin and without an origin', async (path) => {
    const cookie = await someCookie();
    for (const headers of foreign) {
      const response = await send({ path, headers: { ...headers, cookie }, body: { name: 'x' } });
      expect(response.status, JSON.stringify(headers)).toBe(403);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
  });

  test('returns 403 to a form of another site and keeps the session', async () => {
    const { page } = await aBrowser();
    await signIn(page);
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/auth/logout')) statuses.push(response.status());
    });
    await page.goto(demo.siteUrl);
    await page.evaluate((action) => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action });
      document.body.append(form);
      form.submit();
    }, `${portalUrl}/api/auth/logout`);
    await expect.poll(() => statuses).toEqual([403]);
    await page.goto(`${portalUrl}/profile`);
    expect(new URL(page.url()).pathname).toBe('/profile');
  });

  test('returns 403 to API reads without the header, so that another site cannot use the session', async () => {
    const cookie = await someCookie();
    const { status } = await send({ path: '/api/me', method: 'GET', headers: { cookie } });
    expect(status).toBe(403);
    const allowed = await send({ path: '/api/me', method: 'GET', headers: { cookie, 'x-requested-with': 'portal' } });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('returns 400 with x-middleware-subrequest, signed in or not', async () => {
    const cookie = await someCookie();
    for (const value of ['middleware', 'src/middleware:src/middleware:src/middleware', '1'])
      for (const path of ['/', '/organisation', '/api/me'])
        for (const more of [{}, { cookie }]) {
          const headers = { ...own, ...more, 'x-middleware-subrequest': value };
          expect((await send({ path, method: 'GET', headers })).status).toBe(400);
        }
  });

  test('returns 404 or 405 for paths that are not proxied, however they are encoded', async () => {
    const cookie = await someCookie();
    const headers = { ...own, cookie };
    const paths = [
      '/api/auth/refresh',
      '/api/admin/tenants',
      '/api/pools/customer/token',
      '/api/metrics',
      '/api/health/ready',
      '/api/../openapi.json',
      '/api/%2e%2e/admin/me',
      '/api/bots/..%2f..%2fadmin%2fme',
      '/api//admin/me',
      '/api/bots/x/../../admin/me',
      '/api/tenants/x/bots',
      '/api/widget/sessions/anonymous',
      '/api/me;/admin/me',
      '/api/me%2f..%2fadmin%2fme',
      '/api/openapi.json',
    ];
    for (const path of paths)
      for (const method of ['GET', 'POST']) {
        const { status } = await send({ path, method, headers, ...(method === 'POST' && { body: {} }) });
        expect([403, 404, 405], `${method} ${path}: ${status}`).toContain(status);
      }
    expect((await send({ path: '/api/me', method: 'DELETE', headers })).status).toBe(405);
  });
});

describe('redirects', () => {
  test.each(traps)('stays in the portal with next=%j', async (next) => {
    const cookie = await someCookie();
    const response = await send({
      path: `/sign-in?next=${encodeURIComponent(next)}`,
      method: 'GET',
      headers: { cookie },
    });
    const to = new URL(response.headers.get('location') ?? '/', portalUrl);
    expect(to.origin).toBe(new URL(portalUrl).origin);
    const hosted = await send({ path: `/api/auth/start?next=${encodeURIComponent(next)}`, method: 'GET', headers: {} });
    expect(new URL(hosted.headers.get('location') ?? '').origin).toBe(new URL(demo.apiUrl).origin);
  });

  test('a callback without a started sign-in leads to the sign-in page and signs no one in', async () => {
    const response = await send({ path: '/api/auth/callback?code=x&state=y', method: 'GET', headers: {} });
    expect(response.headers.get('location')).toBe('/sign-in?problem=not_finished');
    expect(cookiesOf(response)).toBe('');
  });
});

describe('a session', () => {
  async function anotherPortal(): Promise<string> {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const child = runEntry('apps/portal/src/server.ts', { ...portalSettings, PORT: String(port), PORTAL_URL: url });
    onTestFinished(child.stop);
    await waitFor(`${url}/health/live`);
    return url;
  }

  test('renews an expired access token for 8 concurrent requests on two processes, and stays valid', async () => {
    const other = await anotherPortal();
    const { cookie } = await signedInCookies();
    // As a browser that slept through the token's ten minutes: it only has the refresh cookie.
    const renewing = cookie
      .split('; ')
      .filter((pair) => pair.includes('portal_rt'))
      .join('; ');
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => {
        const at = n % 2 === 0 ? portalUrl : other;
        return send({
          path: '/api/me',
          method: 'GET',
          at,
          headers: { 'x-requested-with': 'portal', cookie: renewing },
        });
      }),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    for (const response of responses) expect(cookiesOf(response)).toContain('portal_at');
    const last = cookiesOf(responses[7]!)
      .split('; ')
      .filter((pair) => pair.includes('portal_rt'))
      .join('; ');
    const later = await send({
      path: '/api/me',
      method: 'GET',
      headers: { 'x-requested-with': 'portal', cookie: last },
    });
    expect(later.status).toBe(200);
  });

  test('ends with logout: the old cookies return 401 within five seconds', async () => {
    const { cookie } = await signedInCookies();
    const out = await send({ path: '/api/auth/logout', headers: { ...own, cookie }, body: {} });
    expect(out.status).toBe(200);
    expect(out.headers.getSetCookie().every((line) => line.includes('Max-Age=0'))).toBe(true);
    await expect
      .poll(
        async () =>
          (await send({ path: '/api/me', method: 'GET', headers: { 'x-requested-with': 'portal', cookie } })).status,
        within(5),
      )
      .toBe(401);
  });

  test('returns 401 with cookies that were changed, swapped or encrypted with another key', async () => {
    const { cookie } = await signedInCookies();
    const [first = '', ...rest] = cookie.split('; ');
    const swapped = cookie
      .replaceAll('portal_at', 'portal_xx')
      .replaceAll('portal_rt', 'portal_at')
      .replaceAll('portal_xx', 'portal_rt');
    const corrupt = (text: string) => text.slice(0, -4) + 'AAAA';
    for (const bad of [corrupt(first), [first, ...rest].map(corrupt).join('; '), swapped, 'x'.repeat(8_000)]) {
      const { status } = await send({
        path: '/api/me',
        method: 'GET',
        headers: { 'x-requested-with': 'portal', cookie: bad },
      });
      expect(status).toBe(401);
    }
  });
});

test('every page has a CSP with its own nonce and cannot be framed', async () => {
  const [one, two] = await Promise.all([
    send({ path: '/sign-in', method: 'GET', headers: {} }),
    send({ path: '/sign-in', method: 'GET', headers: {} }),
  ]);
  const policyOf = (response: Response) => response.headers.get('content-security-policy') ?? '';
  const nonceOf = (response: Response) => /'nonce-([^']+)'/.exec(policyOf(response))?.[1] ?? '';
  expect(nonceOf(one)).not.toBe(nonceOf(two));
  expect(policyOf(one)).toMatch(/default-src 'none'/);
  expect(policyOf(one)).toMatch(/frame-ancestors 'none'/);
  expect(/script-src ([^;]*)/.exec(policyOf(one))?.[1]).not.toMatch(/unsafe|\*|https?:/);
  const scripts = (await one.text()).match(/<script(?![^>]*\bnonce=)[^>]*>/g) ?? [];
  expect(scripts).toEqual([]);
});
