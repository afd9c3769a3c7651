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
interface SavedCredentials {
  default: { accessToken: string; refreshToken: string; expiresAt: number };
}
const savedBy = async (terminal: Terminal) =>
  JSON.parse(await readFile(credentials(terminal), 'utf8')) as SavedCredentials;

const signInUrlIn = (child: ChildProcess) =>
  new Promise<string>((found) => {
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [url] = /https?:\/\/\S+/.exec(output) ?? [];
      if (url && output.includes(`${url}\n`)) found(url);
    });
  });

async function signIn(terminal: Terminal, { email, password }: TestAccount, ...more: string[]) {
  const child = terminal.start(['login', '--no-browser', '--api-url', site.apiUrl, ...more]);
  const outcome = outcomeOf(child);
  const page = await site.newPage();
  await page.goto(await signInUrlIn(child));
  await fillIn(page, { email, password });
  await heading(page, 'Signed in');
  expect(new URL(page.url()).hostname).toBe('127.0.0.1');
  return outcome;
}

test('login signs in through the hosted page, stores private credentials, and logout revokes them', async () => {
  const account = await anAccount();
  const terminal = aTerminal();
  const { code, stdout } = await signIn(terminal, account);
  expect(code).toBe(0);
  expect(stdout).toContain(account.email);
  expect((await stat(credentials(terminal))).mode & 0o777).toBe(0o600);
  expect(await terminal.json('whoami')).toMatchObject({ email: account.email, tenantId: account.tenantId });

  const saved = await readFile(credentials(terminal), 'utf8');
  await terminal.json('logout');
  expect((await terminal.run('whoami')).code).toBe(3);
  await writeFile(credentials(terminal), saved); // an earlier copy must not work
  const { default: copy } = await savedBy(terminal);
  await writeFile(credentials(terminal), JSON.stringify({ default: { ...copy, expiresAt: 0 } }));
  const result = await terminal.run('whoami', '--json');
  expect([result.code, errorOf(result).reason]).toEqual([3, 'session_ended']);
}, 60_000);

test('login --tenant works in another organisation, and --profile keeps both', async () => {
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

/** Signs in once for the tests that only need an expired token. */
let signedIn: Promise<{ account: TestAccount; terminal: Terminal }> | undefined;
const aSignedInTerminal = () =>
  (signedIn ??= (async () => {
    const [account, terminal] = [await anAccount(), aTerminal()];
    await signIn(terminal, account);
    return { account, terminal };
  })());

test('concurrent commands refresh a token once', async () => {
  const { account, terminal } = await aSignedInTerminal();
  const before = await savedBy(terminal);
  await writeFile(credentials(terminal), JSON.stringify({ default: { ...before.default, expiresAt: 0 } }));
  let renewals = 0;
  site.api.app.server.on('request', ({ url }: { url?: string }) => {
    if (url === '/pools/customer/token') renewals++;
  });
  const all = await Promise.all(Array.from({ length: 4 }, () => terminal.run('whoami')));
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(renewals).toBe(1);
  const after = await savedBy(terminal);
  expect(after.default.refreshToken).not.toBe(before.default.refreshToken);
  expect(await terminal.json('whoami')).toMatchObject({ email: account.email });
}, 60_000);

test('ignores the stale lock of a killed command', async () => {
  const { terminal } = await aSignedInTerminal();
  const { default: saved } = await savedBy(terminal);
  await writeFile(credentials(terminal), JSON.stringify({ default: { ...saved, expiresAt: 0 } }));
  const lock = `${credentials(terminal)}.lock`;
  await writeFile(lock, '');
  await utimes(lock, new Date(0), new Date(0));
  expect((await terminal.run('whoami')).code).toBe(0);
}, 60_000);

test('exits with 3 when the callback has another state', async () => {
  const terminal = aTerminal();
  const child = terminal.start(['login', '--no-browser', '--api-url', site.apiUrl, '--json']);
  const outcome = outcomeOf(child);
  const first = await new Promise<string>((line) =>
    child.stderr?.once('data', (chunk: Buffer) => line(chunk.toString())),
  );
  const { signInUrl } = JSON.parse(first) as { signInUrl: string };
  const callbackUrl = new URL(new URL(signInUrl).searchParams.get('redirect_uri') ?? '');
  callbackUrl.search = '?code=stolen&state=forged';
  await fetch(callbackUrl);
  expect((await outcome).code).toBe(3);
}, 60_000);

test('a browser that is already signed in gives a program nothing without a prompt', async () => {
  const account = await anAccount();
  const page = await site.newPage();
  await page.goto(`${site.example.url}/start/customer`);
  await fillIn(page, { email: account.email, password: account.password });
  await heading(page, 'Signed in');
  const child = aTerminal().start(['login', '--no-browser', '--api-url', site.apiUrl]);
  const url = new URL(await signInUrlIn(child));
  url.searchParams.delete('prompt');
  await page.goto(url.href);
  await heading(page, 'Sign in');
  child.kill('SIGINT');
  expect(await new Promise((done) => child.once('exit', done))).toBe(130);
}, 60_000);

test('exits with 2 and names the issuer’s URL when another one is given', async () => {
  const result = await aTerminal().run('login', '--json', '--api-url', site.apiUrl.replace('localhost', '127.0.0.1'));
  expect(result.code).toBe(2);
  expect(errorOf(result)).toMatchObject({ reason: 'issuer_mismatch', message: expect.stringContaining(site.apiUrl) });
});

test('returns 400: the client is only redirected to this machine', async () => {
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
