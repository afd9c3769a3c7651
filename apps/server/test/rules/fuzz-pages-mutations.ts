import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import * as walk from '../openapi-walk.ts';
import type { Operation, RequestValues } from '../openapi-walk.ts';
import { client, nobody, type Choose, type Generate, type Request, type MutatedRequest } from './fuzz-run.ts';
import { badSegments, hostileTexts, hostileValues, oddHeaders, otherTypes, tokensOf } from './fuzz-values.ts';

// Requests to pages and OpenID Connect endpoints: valid ones, and ways to mutate them.

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const verifier = 'v'.repeat(43);

/** The parameters of OpenID Connect endpoints: some valid, and all of them also sent to the wrong endpoint. */
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
/** Parameters that the library stores until the person comes back. */
const storedParameters = ['state', 'nonce', 'login_hint', 'ui_locales', 'acr_values', 'response_mode'];
const tokenParameters = ['grant_type', 'refresh_token', 'token', 'client_id'];

/** The first value of each is the valid one. */
function oidcPairs(names: readonly string[], pick: (values: readonly string[]) => string): string {
  return names.map((name) => `${name}=${encode(pick(parameters[name] ?? ['']))}`).join('&');
}
/** Placeholders stay readable until they are filled in. */
const encode = (text: string) => encodeURIComponent(text).replaceAll('%2A', '*');

/** As a browser sends it from the previous page, with its cookies. */
const ofBrowser = { cookie: 'own_*cookie', origin: 'http://127.0.0.1:3000' };

export function plain(operation: Operation, parts: RequestValues): Request {
  const { method, url, headers, payload } = walk.requestOf(operation, parts);
  const valid = { what: 'nothing', method, url, headers: { ...headers, ...ofBrowser } };
  if (operation.format === 'html') return payload === undefined ? valid : { ...valid, payload: readable(payload) };
  const pairs = oidcPairs(method === 'GET' ? authorization : tokenParameters, ([first = '']) => first);
  if (method === 'GET') return { ...valid, url: `${url}?${pairs}` };
  return { ...valid, headers: { ...valid.headers, ...form }, payload: pairs };
}
const readable = (text: string) => text.replaceAll('%2A', '*');

interface Mutation {
  weight: number;
  applies: (operation: Operation) => boolean;
  mutate: (request: Request, operation: Operation, choose: Choose) => MutatedRequest;
}

const always = () => true;
const isPage = ({ format }: Operation) => format === 'html';
const isOidc = ({ format }: Operation) => format === 'oidc';
const isForm = ({ method }: Operation) => method === 'POST';
const fieldsOf = ({ body }: Operation) => Object.keys(body?.properties ?? {});
const belongsToSignIn = ({ path }: Operation) => 'uid' in (path.properties ?? {});

const languages = [
  ...tokensOf`de en-GB xx * ../../etc/passwd %00 %ff %ed%a0%80 __proto__ constructor toString <script>alert(1)</script>
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
/** A page may echo it, but never as markup. */
const markup = ['<script>alert(1)</script>', `"><script>alert(1)</script>`, `'><script>alert(1)</script>@example.com`];
/** A passkey response, as JSON inside a form. */
const credentials = (value: string) => [
  value,
  `{"id":${value},"type":"public-key"}`,
  `{"id":"x","rawId":${value},"response":${value},"type":"public-key","clientExtensionResults":{}}`,
  `{"id":"x","rawId":"x","response":{"clientDataJSON":${value},"attestationObject":${value}},"type":"public-key"}`,
];
const maxBodyBytes = 64 * 1024;

const mutations: readonly Mutation[] = [
  {
    weight: 8,
    applies: (operation) => isPage(operation) && fieldsOf(operation).length > 0,
    mutate: ({ payload = '' }, operation, choose) => {
      const name = choose(fieldsOf(operation));
      const value = choose(choose([hostileTexts, markup.map(encode)]));
      return mutatedForm(`${name} is ${value}`, replaced(payload, name, value));
    },
  },
  {
    weight: 8,
    applies: (operation) => fieldsOf(operation).includes('credential'),
    mutate: ({ payload = '' }, _operation, choose) => {
      // Characters that a form field may not contain can still be escaped in its JSON.
      const value = choose(credentials(choose(choose([hostileValues, ['"\\u0000"', '"\\ud800"']]))));
      return mutatedForm(`credential is ${value}`, replaced(payload, 'credential', encode(value)));
    },
  },
  {
    weight: 4,
    applies: (operation) => isForm(operation),
    mutate: ({ payload = '' }, _operation, choose) => {
      const more = choose([
        payload,
        '__proto__=1&constructor=2&hasOwnProperty=3',
        'email[]=a&email[x]=b&password.a=1',
        '&&&===&%&%zz&a',
        '%00=%00',
        'x'.repeat(2_000),
        Array.from({ length: 1_500 }, (_, n) => `p${n}=1`).join('&'),
      ]);
      return mutatedForm(`has ${more} besides`, `${payload}&${more}`);
    },
  },
  {
    weight: 2,
    applies: isForm,
    mutate: ({ payload = '' }, _operation, choose) => {
      const text = choose(['', '%', '\u0000', '{}', '[]', 'null', payload.slice(payload.length / 2), `?${payload}`]);
      return mutatedForm(`the form is ${text}`, text);
    },
  },
  {
    weight: 3,
    applies: (operation) => isForm(operation) && isPage(operation),
    mutate: (_request, _operation, choose) => {
      const type = choose([...otherTypes.filter((name) => !name.includes('form-urlencoded')), 'application/json']);
      return { what: `says ${type}`, payload: '{"email":"a"}', headers: { 'content-type': type }, expected: [415] };
    },
  },
  {
    weight: 3,
    applies: (operation) => isForm(operation) && isOidc(operation),
    mutate: ({ payload = '' }, _operation, choose) => {
      const type = choose([...otherTypes, 'application/json', '', 'application/x-www-form-urlencoded; charset=utf-16']);
      const text = choose([payload, '{}', '{"grant_type":"refresh_token"}', '[', '<a/>']);
      return { what: `says ${type}`, payload: text, headers: { 'content-type': type } };
    },
  },
  {
    weight: 1,
    applies: isForm,
    mutate: (_request, operation) => {
      const payload = `email=${'x'.repeat(maxBodyBytes)}`;
      return { what: 'is larger than allowed', payload, headers: form, ...(isPage(operation) && { expected: [413] }) };
    },
  },
  {
    weight: 2,
    applies: isForm,
    mutate: ({ payload = '' }, _operation, choose) => {
      const length = choose(tokensOf`0 1 99999 -5 x 1e3 99999999999`);
      return { ...mutatedForm(`says it is ${length} long`, payload), headers: { ...form, 'content-length': length } };
    },
  },
  {
    weight: 3,
    applies: (operation) => isForm(operation) && isPage(operation),
    mutate: (_request, _operation, choose) => {
      const headers = choose(origins);
      return { what: `comes from ${JSON.stringify(headers)}`, headers, expected: [403] };
    },
  },
  {
    weight: 4,
    applies: always,
    mutate: (_request, operation, choose) => {
      const cookie = choose(cookies);
      const expected = isPage(operation) && belongsToSignIn(operation) ? { expected: [404] } : {};
      return { what: `has the cookie ${cookie.slice(0, 60)}`, headers: { cookie }, ...expected };
    },
  },
  {
    weight: 3,
    applies: belongsToSignIn,
    mutate: ({ url }, operation, choose) => {
      const segment = choose([...badSegments, 'x'.repeat(64), 'x'.repeat(65), 'AAAAAAAAAAAAAAAAAAAAA']);
      // The library redirects people back to where they came from instead.
      const expected = isPage(operation) ? { expected: [400, 404] } : {};
      return { what: `uid is ${segment.slice(0, 40)}`, url: url.replace('own_*uid', segment), ...expected };
    },
  },
  {
    weight: 4,
    applies: isPage,
    mutate: ({ url }, _operation, choose) => {
      const [bare = ''] = url.split('?');
      const name = choose(['lang', 'lang', 'token', 'lang=de&lang', 'lang[]', '__proto__', 'ui_locales', '%00']);
      const value = choose([...languages, ...hostileTexts]);
      return { what: `asks ${name}=${value.slice(0, 40)}`, url: `${bare}?${name}=${value}` };
    },
  },
  {
    weight: 2,
    applies: always,
    mutate: (_request, _operation, choose) => {
      const value = choose(languages.filter((language) => !/[%<]/.test(language)));
      return { what: `reads ${value.slice(0, 40)}`, headers: { 'accept-language': value } };
    },
  },
  {
    weight: 16,
    applies: isOidc,
    mutate: ({ method, url }, _operation, choose) => {
      const names = [
        ...choose([authorization, authorization, tokenParameters, []]),
        choose(Object.keys(parameters)),
        choose(Object.keys(parameters)),
      ];
      const pairs = oidcPairs(names, (values) => choose([values[0] ?? '', choose(values)]));
      const hostile = `${choose(Object.keys(parameters))}=${choose(hostileTexts)}`;
      const query = choose([pairs, pairs, `${pairs}&${hostile}`, `${pairs}&${pairs}`]);
      const [bare = ''] = url.split('?');
      if (method === 'GET') return { what: `asks ${query.slice(0, 200)}`, url: `${bare}?${query}` };
      return mutatedForm(`sends ${query.slice(0, 200)}`, query);
    },
  },
  {
    weight: 8,
    applies: (operation) => isOidc(operation) && !isForm(operation),
    mutate: ({ url }, _operation, choose) => {
      const name = choose(storedParameters);
      const value = choose(['%00', 'a%00b', '%ff', '%ed%a0%80', '%', choose(hostileTexts)]);
      return { what: `has it remember ${name}=${value.slice(0, 40)}`, url: `${url}&${name}=${value}` };
    },
  },
  {
    weight: 2,
    applies: isOidc,
    mutate: (_request, _operation, choose) => {
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
    applies: always,
    mutate: (_request, _operation, choose) => {
      const [name, value, expected] = choose(
        oddHeaders.filter(([header]) => header !== 'origin' && header !== 'cookie'),
      );
      return {
        what: `has ${name}: ${String(value).slice(0, 40)}`,
        headers: { [name]: value },
        ...(expected && { expected }),
      };
    },
  },
];

const mutatedForm = (what: string, payload: string): MutatedRequest => ({
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

export function mutate(operation: Operation, parts: RequestValues, generate: Generate): Request {
  const choose: Choose = (from) => generate(() => fc.constantFrom(...from));
  const applicable = mutations
    .filter(({ applies }) => applies(operation))
    .flatMap((one) => Array<Mutation>(one.weight).fill(one));
  const valid = plain(operation, parts);
  const mutated = choose(applicable).mutate(valid, operation, choose);
  const size = Math.max(
    Buffer.byteLength(mutated.payload ?? ''),
    Number(mutated.headers?.['content-length'] ?? 0) || 0,
  );
  const expected = mutated.expected && size > maxBodyBytes ? [...mutated.expected, 413] : mutated.expected;
  return { ...valid, ...mutated, headers: { ...valid.headers, ...mutated.headers }, ...(expected && { expected }) };
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
