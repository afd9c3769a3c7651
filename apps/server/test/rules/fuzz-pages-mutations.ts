import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import * as walk from '../openapi-walk.ts';
import type { Operation, RequestValues } from '../openapi-walk.ts';
import { client, nobody, type Choose, type Generate, type Request, type Spoiled } from './fuzz-run.ts';
import { badSegments, hostileTexts, hostileValues, oddHeaders, otherTypes, words } from './fuzz-values.ts';

// Requests of pages and of OpenID Connect's endpoints: good ones, and ways to spoil them.

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const verifier = 'v'.repeat(43);

/** What OpenID Connect's endpoints read, wherever they read it: some of it good, all of it at the wrong place too. */
const parameters: Record<string, readonly string[]> = {
  client_id: [client.clientId, client.clientId, 'parley', 'nobody', ''],
  response_type: ['code', 'code', 'token', 'id_token', 'none', 'code id_token'],
  redirect_uri: [
    client.redirectUris[0] ?? '',
    client.redirectUris[0] ?? '',
    'https://evil.example',
    'javascript:alert(1)',
    '//x',
  ],
  scope: ['openid', 'openid offline_access email', 'api', '', '<script>alert(1)</script>'],
  code_challenge: [createHash('sha256').update(verifier).digest('base64url'), 'short'],
  code_challenge_method: ['S256', 'S256', 'plain', 'S512'],
  code_verifier: [verifier, 'short'],
  state: ['state', '', 'x'.repeat(3_000), '"><script>alert(1)</script>'],
  nonce: ['nonce', '\u0000'],
  prompt: ['login', 'none', 'consent', 'login none', 'select_account'],
  max_age: ['0', '-1', 'NaN', '99999999999999999999', '1e9'],
  ui_locales: ['de', 'en-GB de', '*', 'x'.repeat(2_000), '\u0000'],
  login_hint: ['own_*email', '\u0000'],
  id_token_hint: ['a.b.c', 'garbage', 'eyJhbGciOiJub25lIn0.e30.'],
  response_mode: ['form_post', 'query', 'fragment', 'form_post', 'web_message', 'jwt'],
  resource: ['urn:parley:customer', 'urn:parley:admin', 'https://evil.example', 'not a uri'],
  claims: ['{}', '{"userinfo":{"email":null}}', '{"id_token":{"sub":{"value":"x"}}}', '{', '[]', '{"__proto__":1}'],
  request: ['eyJhbGciOiJub25lIn0.e30.'],
  request_uri: ['https://evil.example/request', 'urn:ietf:params:oauth:request_uri:x'],
  registration: ['{}'],
  acr_values: ['0', 'urn:x'],
  grant_type: ['refresh_token', 'authorization_code', 'client_credentials', 'password', 'implicit', ''],
  code: ['code', 'own_*uid', ''],
  refresh_token: ['own_*refreshToken', 'none', ''],
  token: ['own_*refreshToken', 'none', 'a.b.c'],
  token_type_hint: ['refresh_token', 'access_token', 'x'],
  client_secret: ['secret', ''],
  client_assertion: ['a.b.c'],
  client_assertion_type: ['urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
  post_logout_redirect_uri: [client.redirectUris[0] ?? '', 'https://evil.example'],
  logout: ['yes', ''],
  xsrf: ['x', '\u0000'],
};
const authorization = [
  'client_id',
  'response_type',
  'redirect_uri',
  'scope',
  'code_challenge',
  'code_challenge_method',
];
/** What the library keeps until somebody comes back. */
const remembered = ['state', 'nonce', 'login_hint', 'ui_locales', 'acr_values', 'response_mode'];
const asking = ['grant_type', 'refresh_token', 'token', 'client_id'];

/** The first of each is the good one. */
function oidcPairs(names: readonly string[], pick: (values: readonly string[]) => string): string {
  return names.map((name) => `${name}=${encode(pick(parameters[name] ?? ['']))}`).join('&');
}
/** Marks stay readable until they are filled in. */
const encode = (text: string) => encodeURIComponent(text).replaceAll('%2A', '*');

/** As a browser sends it from the page before, with its cookies. */
const ofBrowser = { cookie: 'own_*cookie', origin: 'http://127.0.0.1:3000' };

export function plain(operation: Operation, parts: RequestValues): Request {
  const { method, url, headers, payload } = walk.requestOf(operation, parts);
  const good = { what: 'nothing', method, url, headers: { ...headers, ...ofBrowser } };
  if (operation.format === 'html') return payload === undefined ? good : { ...good, payload: readable(payload) };
  const pairs = oidcPairs(method === 'GET' ? authorization : asking, ([first = '']) => first);
  if (method === 'GET') return { ...good, url: `${url}?${pairs}` };
  return { ...good, headers: { ...good.headers, ...form }, payload: pairs };
}
const readable = (text: string) => text.replaceAll('%2A', '*');

interface Mutation {
  weight: number;
  fits: (operation: Operation) => boolean;
  spoil: (request: Request, operation: Operation, choose: Choose) => Spoiled;
}

const always = () => true;
const isPage = ({ format }: Operation) => format === 'html';
const isOidc = ({ format }: Operation) => format === 'oidc';
const isForm = ({ method }: Operation) => method === 'POST';
const fieldsOf = ({ body }: Operation) => Object.keys(body?.properties ?? {});
const belongsToSignIn = ({ path }: Operation) => 'uid' in (path.properties ?? {});

const languages = [
  ...words`de en-GB xx * ../../etc/passwd %00 %ff %ed%a0%80 __proto__ constructor toString <script>alert(1)</script>
    "><script>alert(1)</script> de,en;q=2 de-x-y-z-1-2-3-4 ' %0d%0aset-cookie:a=b %f0%9f%98%80`,
  '',
  'd'.repeat(5_000),
  'de-'.repeat(1_000),
];
const cookies = [
  '',
  '=',
  ';;;',
  'customer_int=x; admin_int=x',
  'customer_int=own_*uid; admin_int=own_*uid', // named, but not signed
  'customer_int=own_*uid; customer_int.sig=AAAAAAAAAAAAAAAAAAAAAAAAAAA; admin_int=own_*uid; admin_int.sig=AAAA',
  'customer_sid=x; customer_sid.sig=x; admin_sid=x; admin_sid.sig=x',
  '__proto__=1; constructor=2',
  'customer_int=%ff%00; admin_int="unclosed',
  'a'.repeat(10_000),
  Array.from({ length: 500 }, (_, n) => `c${n}=1`).join('; '),
];
const origins: readonly Record<string, string>[] = [
  { origin: '' },
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: 'http://127.0.0.1:3000.evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': '' },
];
/** What a page may show again, but never as its own. */
const markup = ['<script>alert(1)</script>', `"><script>alert(1)</script>`, `'><script>alert(1)</script>@example.com`];
/** What a passkey would say, in JSON inside a form. */
const credentials = (value: string) => [
  value,
  `{"id":${value},"type":"public-key"}`,
  `{"id":"x","rawId":${value},"response":${value},"type":"public-key","clientExtensionResults":{}}`,
  `{"id":"x","rawId":"x","response":{"clientDataJSON":${value},"attestationObject":${value}},"type":"public-key"}`,
];
const longestBody = 64 * 1024;

const mutations: readonly Mutation[] = [
  {
    weight: 8,
    fits: (operation) => isPage(operation) && fieldsOf(operation).length > 0,
    spoil: ({ payload = '' }, operation, choose) => {
      const name = choose(fieldsOf(operation));
      const value = choose(choose([hostileTexts, markup.map(encode)]));
      return spoiledForm(`${name} is ${value}`, replaced(payload, name, value));
    },
  },
  {
    weight: 8,
    fits: (operation) => fieldsOf(operation).includes('credential'),
    spoil: ({ payload = '' }, _operation, choose) => {
      // What no text of a form may hold, JSON inside it says in other emails.
      const value = choose(credentials(choose(choose([hostileValues, ['"\\u0000"', '"\\ud800"']]))));
      return spoiledForm(`credential is ${value}`, replaced(payload, 'credential', encode(value)));
    },
  },
  {
    weight: 4,
    fits: (operation) => isForm(operation),
    spoil: ({ payload = '' }, _operation, choose) => {
      const more = choose([
        payload,
        '__proto__=1&constructor=2&hasOwnProperty=3',
        'email[]=a&email[x]=b&password.a=1',
        '&&&===&%&%zz&a',
        '%00=%00',
        'x'.repeat(2_000),
        Array.from({ length: 1_500 }, (_, n) => `p${n}=1`).join('&'),
      ]);
      return spoiledForm(`has ${more} besides`, `${payload}&${more}`);
    },
  },
  {
    weight: 2,
    fits: isForm,
    spoil: ({ payload = '' }, _operation, choose) => {
      const text = choose(['', '%', '\u0000', '{}', '[]', 'null', payload.slice(payload.length / 2), `?${payload}`]);
      return spoiledForm(`the form is ${text}`, text);
    },
  },
  {
    weight: 3,
    fits: (operation) => isForm(operation) && isPage(operation),
    spoil: (_request, _operation, choose) => {
      const type = choose([...otherTypes.filter((name) => !name.includes('form-urlencoded')), 'application/json']);
      return { what: `says ${type}`, payload: '{"email":"a"}', headers: { 'content-type': type }, due: [415] };
    },
  },
  {
    weight: 3,
    fits: (operation) => isForm(operation) && isOidc(operation),
    spoil: ({ payload = '' }, _operation, choose) => {
      const type = choose([...otherTypes, 'application/json', '', 'application/x-www-form-urlencoded; charset=utf-16']);
      const text = choose([payload, '{}', '{"grant_type":"refresh_token"}', '[', '<a/>']);
      return { what: `says ${type}`, payload: text, headers: { 'content-type': type } };
    },
  },
  {
    weight: 1,
    fits: isForm,
    spoil: (_request, operation) => {
      const payload = `email=${'x'.repeat(longestBody)}`;
      return { what: 'is larger than it may be', payload, headers: form, ...(isPage(operation) && { due: [413] }) };
    },
  },
  {
    weight: 2,
    fits: isForm,
    spoil: ({ payload = '' }, _operation, choose) => {
      const length = choose(words`0 1 99999 -5 x 1e3 99999999999`);
      return { ...spoiledForm(`says it is ${length} long`, payload), headers: { ...form, 'content-length': length } };
    },
  },
  {
    weight: 3,
    fits: (operation) => isForm(operation) && isPage(operation),
    spoil: (_request, _operation, choose) => {
      const headers = choose(origins);
      return { what: `comes from ${JSON.stringify(headers)}`, headers, due: [403] };
    },
  },
  {
    weight: 4,
    fits: always,
    spoil: (_request, operation, choose) => {
      const cookie = choose(cookies);
      const due = isPage(operation) && belongsToSignIn(operation) ? { due: [404] } : {};
      return { what: `has the cookie ${cookie.slice(0, 60)}`, headers: { cookie }, ...due };
    },
  },
  {
    weight: 3,
    fits: belongsToSignIn,
    spoil: ({ url }, operation, choose) => {
      const segment = choose([...badSegments, 'x'.repeat(64), 'x'.repeat(65), 'AAAAAAAAAAAAAAAAAAAAA']);
      // The library sends people back to where they came from instead.
      const due = isPage(operation) ? { due: [400, 404] } : {};
      return { what: `uid is ${segment.slice(0, 40)}`, url: url.replace('own_*uid', segment), ...due };
    },
  },
  {
    weight: 4,
    fits: isPage,
    spoil: ({ url }, _operation, choose) => {
      const [bare = ''] = url.split('?');
      const name = choose(['lang', 'lang', 'token', 'lang=de&lang', 'lang[]', '__proto__', 'ui_locales', '%00']);
      const value = choose([...languages, ...hostileTexts]);
      return { what: `asks ${name}=${value.slice(0, 40)}`, url: `${bare}?${name}=${value}` };
    },
  },
  {
    weight: 2,
    fits: always,
    spoil: (_request, _operation, choose) => {
      const value = choose(languages.filter((language) => !/[%<]/.test(language)));
      return { what: `reads ${value.slice(0, 40)}`, headers: { 'accept-language': value } };
    },
  },
  {
    weight: 16,
    fits: isOidc,
    spoil: ({ method, url }, _operation, choose) => {
      const names = [
        ...choose([authorization, authorization, asking, []]),
        choose(Object.keys(parameters)),
        choose(Object.keys(parameters)),
      ];
      const pairs = oidcPairs(names, (values) => choose([values[0] ?? '', choose(values)]));
      const hostile = `${choose(Object.keys(parameters))}=${choose(hostileTexts)}`;
      const query = choose([pairs, pairs, `${pairs}&${hostile}`, `${pairs}&${pairs}`]);
      const [bare = ''] = url.split('?');
      if (method === 'GET') return { what: `asks ${query.slice(0, 200)}`, url: `${bare}?${query}` };
      return spoiledForm(`sends ${query.slice(0, 200)}`, query);
    },
  },
  {
    weight: 8,
    fits: (operation) => isOidc(operation) && !isForm(operation),
    spoil: ({ url }, _operation, choose) => {
      const name = choose(remembered);
      const value = choose(['%00', 'a%00b', '%ff', '%ed%a0%80', '%', choose(hostileTexts)]);
      return { what: `has it remember ${name}=${value.slice(0, 40)}`, url: `${url}&${name}=${value}` };
    },
  },
  {
    weight: 2,
    fits: isOidc,
    spoil: (_request, _operation, choose) => {
      const value = choose([
        'Basic Og==',
        'Basic !!!',
        'Basic cGFybGV5Og==',
        'Bearer own_*refreshToken',
        'Bearer ',
        'DPoP x',
        '\u0000',
      ]);
      return { what: `is authorized by ${value}`, headers: { authorization: value } };
    },
  },
  {
    weight: 4,
    fits: always,
    spoil: (_request, _operation, choose) => {
      const [name, value, due] = choose(oddHeaders.filter(([header]) => header !== 'origin' && header !== 'cookie'));
      return { what: `has ${name}: ${String(value).slice(0, 40)}`, headers: { [name]: value }, ...(due && { due }) };
    },
  },
];

const spoiledForm = (what: string, payload: string): Spoiled => ({
  what: what.slice(0, 200),
  payload,
  headers: form,
});

const replaced = (payload: string, name: string, value: string) =>
  payload
    .split('&')
    .filter((pair) => !pair.startsWith(`${name}=`))
    .concat(`${name}=${value}`)
    .join('&');

export function spoil(operation: Operation, parts: RequestValues, generate: Generate): Request {
  const choose: Choose = (from) => generate(() => fc.constantFrom(...from));
  const fitting = mutations
    .filter(({ fits }) => fits(operation))
    .flatMap((one) => Array<Mutation>(one.weight).fill(one));
  const good = plain(operation, parts);
  const bad = choose(fitting).spoil(good, operation, choose);
  const size = Math.max(Buffer.byteLength(bad.payload ?? ''), Number(bad.headers?.['content-length'] ?? 0) || 0);
  const due = bad.due && size > longestBody ? [...bad.due, 413] : bad.due;
  return { ...good, ...bad, headers: { ...good.headers, ...bad.headers }, ...(due && { due }) };
}

export const supply: walk.ValueSources = {
  id: () => fc.constant(''),
  named: {
    uid: fc.constant('own_*uid'),
    botId: fc.constant('own_*botId'),
    key: fc.oneof({ weight: 3, arbitrary: fc.constant('own_*publicKey') }, fc.string({ minLength: 1 })),
    email: fc.oneof(fc.constant('own_*email'), fc.constant(nobody.own['email']), fc.string()),
    password: fc.oneof(fc.constant('own_*password'), fc.string()),
    lang: fc.constantFrom('de', 'en', 'xx', ''),
    code: fc.oneof(
      fc.nat(999_999).map((n) => String(n).padStart(6, '0')),
      fc.string(),
    ),
    credential: fc.oneof(fc.json(), fc.constantFrom(...credentials('"x"'))),
  },
};
