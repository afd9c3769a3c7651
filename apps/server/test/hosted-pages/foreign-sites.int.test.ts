import { expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { afterOwnFile, openApi } from '../harness.ts';
import { anIp } from '../identity/accounts-fixture.ts';
import { clientsOf } from '../identity/people.ts';
import * as walk from '../openapi-walk.ts';

// What the page of another site can make a browser send to the sign-in pages and to the API, and where it can have
// somebody led. Forms are taken from the document, so a new one is covered when it is declared.

const { app, platform, close } = await openApi({ SIGNUP: 'open', OIDC_CLIENTS: clientsOf(['shop']) });
afterOwnFile(close);
const ours = new URL(platform.config.PUBLIC_URL).origin;
const operations = walk.operationsOf(app.swagger());
const forms = operations.filter(({ format, method }) => format === 'html' && method === 'POST');
const urlOf = ({ pathTemplate }: walk.Operation) => pathTemplate.replaceAll(/\{\w+\}/g, 'x'.repeat(21));
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const foreign: Record<string, string>[] = [
  {},
  { origin: '' },
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: `${ours}.evil.example` },
  { origin: ours.replace('http:', 'https:') },
  { origin: `${ours}0` },
  { origin: ours.replace('://', '://user@') },
  { origin: ours, 'sec-fetch-site': 'cross-site' },
  { origin: ours, 'sec-fetch-site': 'same-site' },
  { origin: ours, 'sec-fetch-site': 'none' },
  { origin: ours, 'sec-fetch-site': 'Same-Origin' },
  { referer: `${ours}/pools/customer/forgot` },
];

/** What a form or a script can send without asking first. */
const simpleTypes = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''];
const open = operations.filter(
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
  `${ours}.evil.example/`,
  `${ours}/../\\evil.example`,
  `${ours}\r\nlocation: https://evil.example`,
  'null',
];

let tried = 0;
const send = (url: string, headers: Record<string, string>, payload = '') => {
  tried++;
  return app.inject({ method: 'POST', url, headers, payload, remoteAddress: anIp() });
};

test('control: a form of our own page is read', async () => {
  const url = '/pools/customer/forgot';
  for (const headers of [{ origin: ours }, { origin: ours, 'sec-fetch-site': 'same-origin' }]) {
    const response = await app.inject({
      method: 'POST',
      url,
      headers: { ...form, ...headers },
      payload: 'email=a%40b.example',
    });
    expect([response.statusCode, response.headers.location]).not.toContain(403);
    expect(response.statusCode).toBeLessThan(400);
  }
});

test('403 to every form that was not sent by a page of ours', async () => {
  expect(forms.length).toBeGreaterThan(10);
  const through: string[] = [];
  for (const operation of forms)
    for (const headers of foreign) {
      const response = await send(urlOf(operation), { ...form, ...headers }, 'email=a%40b.example&password=x&token=x');
      if (response.statusCode !== 403 || response.headers['set-cookie'])
        through.push(`${operation.pathTemplate} ${JSON.stringify(headers)}: ${response.statusCode}`);
    }
  expect(through).toEqual([]);
});

test('415 or 400 at the API to what a page can send without a preflight', async () => {
  expect(open.length).toBeGreaterThan(5);
  const through: string[] = [];
  for (const operation of open)
    for (const type of simpleTypes) {
      const headers = { origin: 'https://evil.example', ...(type && { 'content-type': type }) };
      const response = await send(urlOf(operation), headers, '{"email":"a@b.example","password":"x"}');
      if (![400, 415].includes(response.statusCode) || response.headers['set-cookie'])
        through.push(`${operation.pathTemplate} as '${type}': ${response.statusCode}`);
    }
  expect(through).toEqual([]);
});

test('400 to a sign-out that no page of ours asked for, and it leads nowhere', async () => {
  const through: string[] = [];
  for (const pool of ['customer', 'admin'])
    for (const payload of ['', 'logout=yes', 'logout=yes&xsrf=', 'logout=yes&xsrf=x', 'xsrf=x&xsrf=x&logout=yes']) {
      const response = await send(`/pools/${pool}/session/end/confirm`, form, payload);
      if (response.statusCode !== 400 || response.headers.location)
        through.push(`${pool} ${payload}: ${response.statusCode} ${response.headers.location ?? ''}`);
    }
  expect(through).toEqual([]);
});

test('nobody is led out of our pages: by a redirect URI after signing out, by a language, or by what a page asks for', async () => {
  const through: string[] = [];
  const isOurs = (location: string) => URL.parse(location, `${ours}/pools/customer/`)?.origin === ours;
  for (const to of redirects) {
    const value = encodeURIComponent(to);
    for (const url of [
      `/pools/customer/session/end?client_id=shop&post_logout_redirect_uri=${value}`,
      `/pools/customer/session/end?post_logout_redirect_uri=${value}`,
      `/pools/customer/session/end/success?client_id=shop&post_logout_redirect_uri=${value}`,
      `/pools/customer/forgot?lang=${value}&next=${value}&return_to=${value}`,
      `/pools/customer/interaction/x/restart?lang=${value}`,
    ]) {
      tried++;
      const { statusCode, headers, body } = await app.inject({ url, remoteAddress: anIp() });
      const links = [...body.matchAll(/\s(?:href|action|content)="([^"]*)"/g)].map(([, link = '']) => link);
      const outward = links.filter((link) => /evil\.example/.test(URL.parse(link, ours)?.hostname ?? ''));
      if ((headers.location && !isOurs(headers.location)) || outward.length > 0 || statusCode >= 500)
        through.push(`${url}: ${statusCode} ${headers.location ?? ''} ${outward.join(' ')}`);
    }
  }
  expect(through).toEqual([]);
});

test('all of them were tried', () => expect(tried).toBeGreaterThanOrEqual(probes.foreignForms.min));
