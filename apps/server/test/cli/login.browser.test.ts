import type { ChildProcess } from 'node:child_process';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anAccount, type TestAccount } from '../identity/accounts-fixture.ts';
import { fillIn, heading, openSite, type Site } from '../identity/browser.ts';
import { admin, aTenant } from '../harness.ts';
import { aTerminal, errorOf, outcomeOf, type Terminal } from './fixture.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
}, 60_000);
afterAll(() => site.close());

const credentials = ({ dir }: Terminal) => join(dir, 'config/parley/credentials.json');
interface Kept {
  default: { accessToken: string; refreshToken: string; expiresAt: number };
}
const keptBy = async (terminal: Terminal) => JSON.parse(await readFile(credentials(terminal), 'utf8')) as Kept;

const addressIn = (child: ChildProcess) =>
  new Promise<string>((found) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [url] = /https?:\/\/\S+/.exec(said) ?? [];
      if (url && said.includes(`${url}\n`)) found(url);
    });
  });

async function signIn(terminal: Terminal, { email, password }: TestAccount, ...more: string[]) {
  const child = terminal.start(['login', '--no-browser', '--api-url', site.apiUrl, ...more]);
  const outcome = outcomeOf(child);
  const page = await site.newPage();
  await page.goto(await addressIn(child));
  await fillIn(page, { email, password });
  await heading(page, 'Signed in');
  expect(new URL(page.url()).hostname).toBe('127.0.0.1');
  return outcome;
}

test('login: through the hosted page and back to the terminal; only its owner can read what is kept; logout ends it', async () => {
  const account = await anAccount();
  const terminal = aTerminal();
  const { code, stdout } = await signIn(terminal, account);
  expect(code).toBe(0);
  expect(stdout).toContain(account.email);
  expect((await stat(credentials(terminal))).mode & 0o777).toBe(0o600);
  expect(await terminal.json('whoami')).toMatchObject({ email: account.email, tenantId: account.tenantId });

  const kept = await readFile(credentials(terminal), 'utf8');
  await terminal.json('logout');
  expect((await terminal.run('whoami')).code).toBe(3);
  await writeFile(credentials(terminal), kept); // a copy that somebody made before is worth nothing
  const { default: copy } = await keptBy(terminal);
  await writeFile(credentials(terminal), JSON.stringify({ default: { ...copy, expiresAt: 0 } }));
  const ran = await terminal.run('whoami', '--json');
  expect([ran.code, errorOf(ran).reason]).toEqual([3, 'session_ended']);
}, 60_000);

test('login --tenant: works in another organisation of theirs; --profile keeps both', async () => {
  const [account, other] = [await anAccount(), await aTenant()];
  const { tenantId } = other;
  await admin
    .insertInto('memberships')
    .values({ tenantId, userId: account.userId, roles: ['viewer'] })
    .execute();
  await sql`insert into directory.user_tenants values (${account.userId}, ${tenantId})`.execute(admin);
  const terminal = aTerminal();
  await signIn(terminal, account);
  const { code } = await signIn(terminal, account, '--profile', 'other', '--tenant', tenantId);
  expect(code).toBe(0);
  expect(await terminal.json('whoami', '--profile', 'other')).toMatchObject({ tenantId });
  expect(await terminal.json('whoami')).toMatchObject({ tenantId: account.tenantId });
}, 60_000);

test('commands that run at once renew a token together: one asks, all go on', async () => {
  const account = await anAccount();
  const terminal = aTerminal();
  await signIn(terminal, account);
  const before = await keptBy(terminal);
  await writeFile(credentials(terminal), JSON.stringify({ default: { ...before.default, expiresAt: 0 } }));
  let renewals = 0;
  site.api.app.server.on('request', ({ url }: { url?: string }) => {
    if (url === '/pools/customer/token') renewals++;
  });
  const all = await Promise.all(Array.from({ length: 4 }, () => terminal.run('whoami')));
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(renewals).toBe(1);
  const after = await keptBy(terminal);
  expect(after.default.refreshToken).not.toBe(before.default.refreshToken);
  expect(await terminal.json('whoami')).toMatchObject({ email: account.email });
}, 60_000);

test('a lock that a killed command left is not waited for without end', async () => {
  const account = await anAccount();
  const terminal = aTerminal();
  await signIn(terminal, account);
  const { default: kept } = await keptBy(terminal);
  await writeFile(credentials(terminal), JSON.stringify({ default: { ...kept, expiresAt: 0 } }));
  const lock = `${credentials(terminal)}.lock`;
  await writeFile(lock, '');
  await utimes(lock, new Date(0), new Date(0));
  expect((await terminal.run('whoami')).code).toBe(0);
}, 60_000);

test('3: somebody who comes back with another state is not taken', async () => {
  const terminal = aTerminal();
  const child = terminal.start(['login', '--no-browser', '--api-url', site.apiUrl, '--json']);
  const outcome = outcomeOf(child);
  const first = await new Promise<string>((line) =>
    child.stderr?.once('data', (chunk: Buffer) => line(chunk.toString())),
  );
  const { signInUrl } = JSON.parse(first) as { signInUrl: string };
  const back = new URL(new URL(signInUrl).searchParams.get('redirect_uri') ?? '');
  back.search = '?code=stolen&state=forged';
  await fetch(back);
  expect((await outcome).code).toBe(3);
}, 60_000);

test('a browser that is signed in already gives a program nothing without a question', async () => {
  const account = await anAccount();
  const page = await site.newPage();
  await page.goto(`${site.example.url}/start/customer`);
  await fillIn(page, { email: account.email, password: account.password });
  await heading(page, 'Signed in');
  const child = aTerminal().start(['login', '--no-browser', '--api-url', site.apiUrl]);
  const url = new URL(await addressIn(child));
  url.searchParams.delete('prompt');
  await page.goto(url.href);
  await heading(page, 'Sign in');
  child.kill('SIGINT');
  expect(await new Promise((done) => child.once('exit', done))).toBe(130);
}, 60_000);

test('2: an address that is not the one the service calls itself by is named', async () => {
  const ran = await aTerminal().run('login', '--json', '--api-url', site.apiUrl.replace('localhost', '127.0.0.1'));
  expect(ran.code).toBe(2);
  expect(errorOf(ran)).toMatchObject({ reason: 'issuer_mismatch', message: expect.stringContaining(site.apiUrl) });
});

test('400: the client comes back to this machine alone', async () => {
  const url = new URL(`${site.apiUrl}/pools/customer/auth`);
  const query = { client_id: 'parley-cli', response_type: 'code', scope: 'openid', code_challenge: 'x'.repeat(43) };
  for (const redirect of [
    'http://evil.example/callback',
    'http://127.0.0.1:5000/other',
    'https://127.0.0.1/callback',
  ]) {
    url.search = new URLSearchParams({ ...query, code_challenge_method: 'S256', redirect_uri: redirect }).toString();
    expect((await fetch(url, { redirect: 'manual' })).status, redirect).toBe(400);
  }
});
