import { execFile } from 'node:child_process';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql as query } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { aBot } from '../chat/fixture.ts';
import { admin, afterOwnFile, anOperator, aTenant, listen, openApi, type Response } from '../harness.ts';
import { anIp } from '../identity/accounts-fixture.ts';
import { clientsOf } from '../identity/people.ts';
import { lineBreaks, logs, operators, prototypes, sql } from './injection-corpus.ts';

const { app, close } = await openApi({ SIGNUP: 'open', OIDC_CLIENTS: clientsOf(['shop']) });
afterOwnFile(close);
const [tenant, operator] = [await aTenant(), await anOperator()];
const { botId, publicKey } = await aBot(await aTenant());

const internals = /syntax error|pg_|postgres|kysely|violates|relation "|column "|node_modules/i;
/** What is wrong with a response, whatever the request was. */
const faultOf = ({ statusCode, body }: Response, sent: string) =>
  statusCode >= 500 || internals.test(body.replaceAll(JSON.stringify(sent).slice(1, -1), ''))
    ? `${statusCode} ${body}`
    : undefined;

// ---- SQL

/** Where text reaches a query: a search, a filter, a cursor, an id, a stored name. No object here has such a name. */
const searches = [
  '/members?q=',
  '/conversations?q=',
  '/audit-log?action=',
  '/audit-log?actorId=',
  '/audit-log?subjectId=',
];
const lookups = ['/bots?cursor=', '/events?after=', '/bots/', '/webhooks/', '/cdn/config/'];

/** Two of them: each path gets about every third text, and each text reaches the database. */
const twoOf = (all: readonly string[], n: number) => [all[n % all.length]!, all[(n + 2) % all.length]!];

async function tables() {
  const { rows } = await query`
    select (select count(*) from information_schema.tables) as tables, (select count(*) from pg_class where relrowsecurity) as protected_tables,
      (select count(*) from memberships where tenant_id = ${tenant.tenantId}) as members,
      (select plan from tenants where tenant_id = ${tenant.tenantId}) as plan`.execute(admin);
  return rows[0];
}

test('SQL: finds nothing by it, stores a name unchanged, and executes none of it', async () => {
  const failures: string[] = [];
  const before = await tables();
  const record = (where: string, text: string, response: Response, isWrong: boolean) => {
    const fault = faultOf(response, text) ?? (isWrong ? `${response.statusCode} ${response.body}` : undefined);
    if (fault) failures.push(`${where} ${text}: ${fault}`);
  };
  const search = async (caller: typeof tenant | typeof operator, path: string, text: string) => {
    const response = await caller.get(path + encodeURIComponent(text));
    const isNothing = response.statusCode === 200 && response.json<{ data: unknown[] }>().data.length === 0;
    record(path, text, response, !isNothing && response.statusCode !== 400);
  };
  for (const [n, text] of sql.entries()) {
    for (const path of twoOf(searches, n)) await search(tenant, path, text.slice(0, 80));
    await search(operator, '/admin/tenants?query=', text);
    await search(operator, '/admin/users?email=', text);
    for (const path of twoOf(lookups, n)) {
      const response = await tenant.get(path + encodeURIComponent(text));
      record(path, text, response, ![400, 404].includes(response.statusCode));
    }
    const named = await tenant.patch(`/bots/${tenant.botId}`, { name: text });
    record('a name', text, named, named.json<{ bot?: { name: string } }>().bot?.name !== text);
  }
  expect(failures).toEqual([]);
  expect(await tables()).toEqual(before);
  expect(new Set(sql).size).toBeGreaterThanOrEqual(probes.sql.min);
});

test('SQL: returns 400 or 401 at sign-in with it in the email and in the password', async () => {
  const failures: string[] = [];
  for (const text of sql) {
    const payload = { email: `${text}@example.com`, password: text };
    const response = await app.inject({ method: 'POST', url: '/auth/login', payload, remoteAddress: anIp() });
    if (![400, 401].includes(response.statusCode) || faultOf(response, text))
      failures.push(`${text}: ${response.statusCode} ${response.body}`);
  }
  expect(failures).toEqual([]);
});

// ---- operators of other query languages

test('returns 400 for an object, a list or a number in place of a string, wherever someone authenticates', async () => {
  const validBodies = {
    '/auth/login': { email: tenant.email, password: 'x' },
    '/auth/refresh': { refreshToken: 'x' },
    '/widget/sessions/anonymous': { publicKey, botId },
    '/widget/sessions/refresh': { sessionToken: 'x' },
  };
  const failures: string[] = [];
  for (const [url, body] of Object.entries(validBodies))
    for (const name of Object.keys(body))
      for (const value of operators) {
        const payload = { ...body, [name]: value };
        const headers = { origin: 'https://shop.example' };
        const response = await app.inject({ method: 'POST', url, payload, headers, remoteAddress: anIp() });
        if (response.statusCode !== 400) failures.push(`${url} ${JSON.stringify(payload)}: ${response.statusCode}`);
      }
  for (const pair of ['q[$ne]=1', 'q[]=1', 'q[0]=1', 'q.$ne=1', 'q%5B%24gt%5D=', 'q=1&q=2', '$where=1'])
    if ((await tenant.get(`/members?${pair}`)).statusCode !== 400) failures.push(pair);
  expect(failures).toEqual([]);
  expect(operators.length).toBeGreaterThanOrEqual(probes.operators.min);
});

// ---- prototypes

test('returns 400 for a body with a prototype key, and adds nothing to any object', async () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const failures: string[] = [];
  for (const body of prototypes)
    for (const [method, url] of [
      ['POST', '/workspaces'],
      ['PATCH', `/bots/${tenant.botId}`],
      ['POST', '/auth/login'],
    ] as const) {
      const payload = body.replace('V', '"valid"');
      const headers = { ...tenant.headers, 'content-type': 'application/json' };
      const response = await app.inject({ method, url, payload, headers, remoteAddress: anIp() });
      if (response.statusCode !== 400) failures.push(`${method} ${url} ${payload}: ${response.statusCode}`);
    }
  for (const name of [
    '__proto__',
    '__proto__[polluted]',
    '__proto__.polluted',
    'constructor',
    'constructor[prototype][polluted]',
  ])
    if ((await tenant.get(`/members?${encodeURIComponent(name)}=1`)).statusCode !== 400) failures.push(name);
  expect(failures).toEqual([]);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(prototypes.length).toBeGreaterThanOrEqual(probes.prototypes.min);
});

// ---- headers

/** As bytes, to see the response as it is on the wire. */
function getRaw(path: string, lines: readonly string[] = []): Promise<string> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (bytes) => void (received += bytes.toString('latin1')));
    socket.on('error', () => undefined); // the server may close the connection early
    socket.on('close', () => resolve(received));
    socket.write([`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', ...lines, '', ''].join('\r\n'), 'latin1');
  });
}

beforeAll(() => listen(app));

test('returns no header or body that was injected by a path, a query or a header', async () => {
  const client = 'client_id=shop&response_type=code&redirect_uri=http://127.0.0.1:1/back&scope=openid&prompt=none';
  const pkce = `code_challenge=${'v'.repeat(43)}&code_challenge_method=S256`;
  const failures: string[] = [];
  const check = (where: string, text: string, response: string) => {
    const [head = '', ...rest] = response.split('\r\n\r\n');
    const isInjected = /^(?:x-injected|set-cookie: injected|location: https:\/\/evil)/im.test(
      head.replaceAll('\n', '\r\n'),
    );
    const isBody = rest.join('').startsWith('<script>');
    if (isInjected || isBody || / 5\d\d /.test(response.slice(0, 13))) failures.push(`${where} ${text}: ${response}`);
  };
  for (const text of lineBreaks) {
    for (const path of [
      `/pools/customer/auth?${client}&${pkce}&state=${text}`, // returned in Location
      `/pools/customer/auth?${client}&${pkce}&ui_locales=${text}`,
      `/pools/customer/forgot?lang=${text}`,
      `/pools/customer/session/end?state=${text}&post_logout_redirect_uri=http://127.0.0.1:1/${text}`,
      `/cdn/${text}`,
      `/cdn/config/${botId}?key=${text}`,
      `/cdn/frame/${botId}?key=${publicKey}&v=${text}`,
      `/${text}`,
    ])
      check(path, text, await getRaw(path));
    const bare = decodeURIComponent(/%(?![0-9a-f]{2})/i.test(text) ? 'x' : text).replaceAll(/[\r\n\0]/g, '\u00ff');
    for (const name of [
      'origin',
      'accept-language',
      'traceparent',
      'x-request-id',
      'x-service-version',
      'if-none-match',
    ])
      check(name, text, await getRaw('/cdn/chatbot-widget.js', [`${name}: ${bare}`]));
  }
  expect(failures).toEqual([]);
  expect(lineBreaks.length).toBeGreaterThanOrEqual(probes.responseHeaders.min);
});

// ---- logs

test('logs one line of JSON per entry, whatever it contains', async () => {
  const file = join(import.meta.dirname, '../../src/platform/telemetry.ts');
  const script = `
    import { createLog } from ${JSON.stringify(file)};
    const log = createLog('test', 'info');
    for (const text of ${JSON.stringify(logs)}) {
      log.info({ name: text, [text]: 1, err: new Error(text) }, text);
      log.info(text);
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  const lines = stdout.trimEnd().split('\n');
  const failures = lines.filter((line) => {
    const entry = JSON.parse(line) as { msg?: string; pid?: number };
    return entry.pid === undefined || entry.msg === 'forged' || /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(line);
  });
  expect(failures).toEqual([]);
  expect(lines.length).toBe(2 * logs.length);
  expect(logs.length).toBeGreaterThanOrEqual(probes.logs.min);
});
