import { expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { afterOwnFile, openApi } from '../harness.ts';
import { anIp } from '../identity/accounts-fixture.ts';
import { clientsOf } from '../identity/people.ts';
import * as walk from '../openapi-walk.ts';

// Cross-site requests to the sign-in pages and the API, and open redirects. Forms come from the OpenAPI document, so new
// ones are covered automatically.

const { app, platform, close } = await openApi({ SIGNUP: 'open', OIDC_CLIENTS: clientsOf(['shop']) });
afterOwnFile(close);
const ownOrigin = new URL(platform.config.PUBLIC_URL).origin;
const operations = walk.operationsOf(app.swagger());
const forms = operations.filter(({ format, method }) => format === 'html' && method === 'POST');
const urlOf = ({ pathTemplate }: walk.Operation) => pathTemplate.replaceAll(/\{\w+\}/g, 'x'.repeat(21));
const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

const foreignHeaders: Record<string, string>[] = [
  {},
  { origin: '' },
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: `${ownOrigin}.evil.example` },
  { origin: ownOrigin.replace('http:', 'https:') },
  { origin: `${ownOrigin}0` },
  { origin: ownOrigin.replace('://', '://user@') },
  { origin: ownOrigin, 'sec-fetch-site': 'cross-site' },
  { origin: ownOrigin, 'sec-fetch-site': 'same-site' },
  { origin: ownOrigin, 'sec-fetch-site': 'none' },
  { origin: ownOrigin, 'sec-fetch-site': 'Same-Origin' },
  { referer: `${ownOrigin}/pools/customer/forgot` },
];

/** Content types that a page can send without a CORS preflight. */
const simpleTypes = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''];
const publicOperations = operations.filter(
  ({ format, method, audience, body }) => format === 'json' && method === 'POST' && audience === 'public' && body,
);

const redirects = [
  'https://evil.example',
  'https://evil.example/',
  'http://127.0.0.1:1/back',
  'http://127.0.0.1:1/',
  'http://127.0.0.1:1@evil.example/',
  '//evil.example',
  '/\\evil.example',
  '///evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  `${ownOrigin}.evil.example/`,
  `${ownOrigin}/../\\evil.example`,
  `${ownOrigin}\r\nlocation: https://evil.example`,
  'null',
];

let requestCount = 0;
const send = (url: string, headers: Record<string, string>, payload = '') => {
  requestCount++;
  return app.inject({ method: 'POST', url, headers, payload, remoteAddress: anIp() });
};

test('control: accepts a form from our own page', async () => {
  const url = '/pools/customer/forgot';
  for (const headers of [{ origin: ownOrigin }, { origin: ownOrigin, 'sec-fetch-site': 'same-origin' }]) {
    const response = await app.inject({
      method: 'POST',
      url,
      headers: { ...formHeaders, ...headers },
      payload: 'email=a%40b.example',
    });
    expect([response.statusCode, response.headers.location]).not.toContain(403);
    expect(response.statusCode).toBeLessThan(400);
  }
});

test('returns 403 for every form from another origin', async () => {
  expect(forms.length).toBeGreaterThan(10);
  const accepted: string[] = [];
  for (const operation of forms)
    for (const headers of foreignHeaders) {
      const response = await send(
        urlOf(operation),
        { ...formHeaders, ...headers },
        'email=a%40b.example&password=x&token=x',
      );
      if (response.statusCode !== 403 || response.headers['set-cookie'])
        accepted.push(`${operation.pathTemplate} ${JSON.stringify(headers)}: ${response.statusCode}`);
    }
  expect(accepted).toEqual([]);
});

test('returns 415 or 400 for API requests that need no preflight', async () => {
  expect(publicOperations.length).toBeGreaterThan(5);
  const accepted: string[] = [];
  for (const operation of publicOperations)
    for (const type of simpleTypes) {
      const headers = { origin: 'https://evil.example', ...(type && { 'content-type': type }) };
      const response = await send(urlOf(operation), headers, '{"email":"a@b.example","password":"x"}');
      if (![400, 415].includes(response.statusCode) || response.headers['set-cookie'])
        accepted.push(`${operation.pathTemplate} as '${type}': ${response.statusCode}`);
    }
  expect(accepted).toEqual([]);
});

test('returns 400 without a redirect for a sign-out from another page', async () => {
  const accepted: string[] = [];
  for (const pool of ['customer', 'admin'])
    for (const payload of ['', 'logout=yes', 'logout=yes&xsrf=', 'logout=yes&xsrf=x', 'xsrf=x&xsrf=x&logout=yes']) {
      const response = await send(`/pools/${pool}/session/end/confirm`, formHeaders, payload);
      if (response.statusCode !== 400 || response.headers.location)
        accepted.push(`${pool} ${payload}: ${response.statusCode} ${response.headers.location ?? ''}`);
    }
  expect(accepted).toEqual([]);
});

test('does not redirect to another site by a logout redirect URI, a language or other parameters', async () => {
  const accepted: string[] = [];
  const isOurs = (location: string) => URL.parse(location, `${ownOrigin}/pools/customer/`)?.origin === ownOrigin;
  for (const to of redirects) {
    const value = encodeURIComponent(to);
    for (const url of [
      `/pools/customer/session/end?client_id=shop&post_logout_redirect_uri=${value}`,
      `/pools/customer/session/end?post_logout_redirect_uri=${value}`,
      `/pools/customer/session/end/success?client_id=shop&post_logout_redirect_uri=${value}`,
      `/pools/customer/forgot?lang=${value}&next=${value}&return_to=${value}`,
      `/pools/customer/interaction/x/restart?lang=${value}`,
    ]) {
      requestCount++;
      const { statusCode, headers, body } = await app.inject({ url, remoteAddress: anIp() });
      const links = [...body.matchAll(/\s(?:href|action|content)="([^"]*)"/g)].map(([, link = '']) => link);
      const outward = links.filter((link) => /evil\.example/.test(URL.parse(link, ownOrigin)?.hostname ?? ''));
      if ((headers.location && !isOurs(headers.location)) || outward.length > 0 || statusCode >= 500)
        accepted.push(`${url}: ${statusCode} ${headers.location ?? ''} ${outward.join(' ')}`);
    }
  }
  expect(accepted).toEqual([]);
});

test('made the minimum number of requests', () => expect(requestCount).toBeGreaterThanOrEqual(probes.foreignForms.min));
