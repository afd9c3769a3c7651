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

const insides = /syntax error|pg_|postgres|kysely|violates|relation "|column "|node_modules/i;
/** What is wrong with a response, whatever was asked. */
const faultOf = ({ statusCode, body }: Response, sent: string) =>
  statusCode >= 500 || insides.test(body.replaceAll(JSON.stringify(sent).slice(1, -1), ''))
    ? `${statusCode} ${body}`
    : undefined;

// ---- SQL

/** Where text goes into a query: a search, a filter, a cursor, an id, a name that is kept. Nothing here has such a name. */
const searches = [
  '/members?q=',
  '/conversations?q=',
  '/audit-log?action=',
  '/audit-log?actorId=',
  '/audit-log?subjectId=',
];
const places = ['/bots?cursor=', '/events?after=', '/bots/', '/webhooks/', '/cdn/config/'];

/** Two of them: each place meets about every third text, each text the whole way to the database. */
const byTurns = (all: readonly string[], n: number) => [all[n % all.length]!, all[(n + 2) % all.length]!];

async function tables() {
  const { rows } = await query`
    select (select count(*) from information_schema.tables) as tables, (select count(*) from pg_class where relrowsecurity) as walls,
      (select count(*) from memberships where tenant_id = ${tenant.tenantId}) as members,
      (select plan from tenants where tenant_id = ${tenant.tenantId}) as plan`.execute(admin);
  return rows[0];
}

test('SQL: a search finds nothing by it, a name keeps it character by character, and nothing of it is run', async () => {
  const through: string[] = [];
  const before = await tables();
  const note = (where: string, text: string, response: Response, isWrong: boolean) => {
    const fault = faultOf(response, text) ?? (isWrong ? `${response.statusCode} ${response.body}` : undefined);
    if (fault) through.push(`${where} ${text}: ${fault}`);
  };
  const search = async (who: typeof tenant | typeof operator, place: string, text: string) => {
    const response = await who.get(place + encodeURIComponent(text));
    const isNothing = response.statusCode === 200 && response.json<{ data: unknown[] }>().data.length === 0;
    note(place, text, response, !isNothing && response.statusCode !== 400);
  };
  for (const [n, text] of sql.entries()) {
    for (const place of byTurns(searches, n)) await search(tenant, place, text.slice(0, 80));
    await search(operator, '/admin/tenants?query=', text);
    await search(operator, '/admin/users?email=', text);
    for (const place of byTurns(places, n)) {
      const response = await tenant.get(place + encodeURIComponent(text));
      note(place, text, response, ![400, 404].includes(response.statusCode));
    }
    const named = await tenant.patch(`/bots/${tenant.botId}`, { name: text });
    note('a name', text, named, named.json<{ bot?: { name: string } }>().bot?.name !== text);
  }
  expect(through).toEqual([]);
  expect(await tables()).toEqual(before);
  expect(new Set(sql).size).toBeGreaterThanOrEqual(probes.sql.min);
});

test('SQL: 400 or 401 at sign-in, with it in the email address and in the password', async () => {
  const through: string[] = [];
  for (const text of sql) {
    const payload = { email: `${text}@example.com`, password: text };
    const response = await app.inject({ method: 'POST', url: '/auth/login', payload, remoteAddress: anIp() });
    if (![400, 401].includes(response.statusCode) || faultOf(response, text))
      through.push(`${text}: ${response.statusCode} ${response.body}`);
  }
  expect(through).toEqual([]);
});

// ---- operators of other query languages

test('400 to an object, a list or a number in place of a text, wherever somebody proves who they are', async () => {
  const good = {
    '/auth/login': { email: tenant.email, password: 'x' },
    '/auth/refresh': { refreshToken: 'x' },
    '/widget/sessions/anonymous': { publicKey, botId },
    '/widget/sessions/refresh': { sessionToken: 'x' },
  };
  const through: string[] = [];
  for (const [url, body] of Object.entries(good))
    for (const name of Object.keys(body))
      for (const value of operators) {
        const payload = { ...body, [name]: value };
        const headers = { origin: 'https://shop.example' };
        const response = await app.inject({ method: 'POST', url, payload, headers, remoteAddress: anIp() });
        if (response.statusCode !== 400) through.push(`${url} ${JSON.stringify(payload)}: ${response.statusCode}`);
      }
  for (const pair of ['q[$ne]=1', 'q[]=1', 'q[0]=1', 'q.$ne=1', 'q%5B%24gt%5D=', 'q=1&q=2', '$where=1'])
    if ((await tenant.get(`/members?${pair}`)).statusCode !== 400) through.push(pair);
  expect(through).toEqual([]);
  expect(operators.length).toBeGreaterThanOrEqual(probes.operators.min);
});

// ---- prototypes

test('400 to a body that names a prototype, and no object has anything new', async () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const through: string[] = [];
  for (const body of prototypes)
    for (const [method, url] of [
      ['POST', '/workspaces'],
      ['PATCH', `/bots/${tenant.botId}`],
      ['POST', '/auth/login'],
    ] as const) {
      const payload = body.replace('V', '"good"');
      const headers = { ...tenant.headers, 'content-type': 'application/json' };
      const response = await app.inject({ method, url, payload, headers, remoteAddress: anIp() });
      if (response.statusCode !== 400) through.push(`${method} ${url} ${payload}: ${response.statusCode}`);
    }
  for (const name of [
    '__proto__',
    '__proto__[polluted]',
    '__proto__.polluted',
    'constructor',
    'constructor[prototype][polluted]',
  ])
    if ((await tenant.get(`/members?${encodeURIComponent(name)}=1`)).statusCode !== 400) through.push(name);
  expect(through).toEqual([]);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(prototypes.length).toBeGreaterThanOrEqual(probes.prototypes.min);
});

// ---- headers

/** As bytes, to see the response as it is on the wire. */
function ask(path: string, lines: readonly string[] = []): Promise<string> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (bytes) => void (said += bytes.toString('latin1')));
    socket.on('error', () => undefined); // it may hang up in the middle
    socket.on('close', () => resolve(said));
    socket.write([`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', ...lines, '', ''].join('\r\n'), 'latin1');
  });
}

beforeAll(() => listen(app));

test('no response has a header or a body that was put into a path, a query or a header', async () => {
  const client = 'client_id=shop&response_type=code&redirect_uri=http://127.0.0.1:1/back&scope=openid&prompt=none';
  const pkce = `code_challenge=${'v'.repeat(43)}&code_challenge_method=S256`;
  const through: string[] = [];
  const look = (where: string, text: string, response: string) => {
    const [head = '', ...rest] = response.split('\r\n\r\n');
    const isInjected = /^(?:x-injected|set-cookie: injected|location: https:\/\/evil)/im.test(
      head.replaceAll('\n', '\r\n'),
    );
    const isBody = rest.join('').startsWith('<script>');
    if (isInjected || isBody || / 5\d\d /.test(response.slice(0, 13))) through.push(`${where} ${text}: ${response}`);
  };
  for (const text of lineBreaks) {
    for (const path of [
      `/pools/customer/auth?${client}&${pkce}&state=${text}`, // goes back in Location
      `/pools/customer/auth?${client}&${pkce}&ui_locales=${text}`,
      `/pools/customer/forgot?lang=${text}`,
      `/pools/customer/session/end?state=${text}&post_logout_redirect_uri=http://127.0.0.1:1/${text}`,
      `/cdn/${text}`,
      `/cdn/config/${botId}?key=${text}`,
      `/cdn/frame/${botId}?key=${publicKey}&v=${text}`,
      `/${text}`,
    ])
      look(path, text, await ask(path));
    const bare = decodeURIComponent(/%(?![0-9a-f]{2})/i.test(text) ? 'x' : text).replaceAll(/[\r\n\0]/g, '\u00ff');
    for (const name of [
      'origin',
      'accept-language',
      'traceparent',
      'x-request-id',
      'x-service-version',
      'if-none-match',
    ])
      look(name, text, await ask('/cdn/chatbot-widget.js', [`${name}: ${bare}`]));
  }
  expect(through).toEqual([]);
  expect(lineBreaks.length).toBeGreaterThanOrEqual(probes.responseHeaders.min);
});

// ---- logs

test('one line of JSON for each entry of the log, whatever stands in it', async () => {
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
  const through = lines.filter((line) => {
    const entry = JSON.parse(line) as { msg?: string; pid?: number };
    return entry.pid === undefined || entry.msg === 'forged' || /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(line);
  });
  expect(through).toEqual([]);
  expect(lines.length).toBe(2 * logs.length);
  expect(logs.length).toBeGreaterThanOrEqual(probes.logs.min);
});
