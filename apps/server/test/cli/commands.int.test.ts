import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { aTenant, listen } from '../harness.ts';
import { aTerminal, aTerminalOf, errorOf, outcomeOf } from './fixture.ts';

const apiUrl = await listen();
const tenant = await aTenant();
const terminal = await aTerminalOf(tenant, apiUrl, ['webhook.view', 'webhook.manage', 'bot.view', 'conversation.view']);

test('0: --json puts one line of JSON on stdout and nothing on stderr', async () => {
  const { stdout, ...rest } = await terminal.run('webhooks', 'list', '--json');
  expect(rest).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe('{"data":[]}\n');
});

test('0: an endpoint is made, read, paused, resumed and deleted', async () => {
  const made = await terminal.json<{ webhook: { id: string }; secret: string }>(
    'webhooks',
    'create',
    'https://shop.example/hooks',
    '-e',
    'conversation.*,message.created',
    '--ordered',
  );
  expect(made.secret).toMatch(/^whsec_/);
  const { id } = made.webhook;
  expect(await terminal.json('webhooks', 'get', id)).toMatchObject({
    webhook: { eventTypes: ['conversation.*', 'message.created'], ordering: 'conversation', status: 'active' },
  });
  expect(await terminal.json('webhooks', 'pause', id)).toMatchObject({ webhook: { status: 'paused' } });
  expect(await terminal.json('webhooks', 'resume', id)).toMatchObject({ webhook: { status: 'active' } });
  const { secret } = await terminal.json<{ secret: string }>('webhooks', 'rotate-secret', id, '--overlap', '60');
  expect(secret).not.toBe(made.secret);
  const list = await terminal.run('webhooks', 'list');
  expect(list.stdout).toContain(`${id}  active  0        https://shop.example/hooks`);

  const unasked = await terminal.run('webhooks', 'delete', id, '--json');
  expect([unasked.code, errorOf(unasked).reason]).toEqual([2, 'not_confirmed']);
  await terminal.json('webhooks', 'delete', id, '--yes');
  expect((await terminal.run('webhooks', 'get', id)).code).toBe(4);
});

test.each([
  ['2: an unknown command', ['webhooks', 'nope'], 'unknown_command'],
  ['2: an unknown option', ['webhooks', 'list', '--nope'], 'unknown_option'],
  ['2: a missing argument', ['webhooks', 'get'], 'missing_argument'],
  ['2: a date that is none', ['replay', '--since', 'yesterday'], 'invalid_argument'],
  ['2: an address that is none', ['whoami', '--api-url', 'shop'], 'invalid_url'],
  ['2: neither a delivery nor a range', ['replay'], 'delivery_or_range_required'],
  ['2: a folder without a bot', ['bots', 'diff'], 'bot_file_missing'],
])('%s is wrong usage', async (_name, args, reason) => {
  const ran = await terminal.run(...args, '--json');
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(errorOf(ran)).toMatchObject({ exitCode: 2, reason });
});

test('3: nobody is signed in, and the next step is named', async () => {
  const ran = await aTerminal().run('whoami', '--json');
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(errorOf(ran)).toMatchObject({ reason: 'not_signed_in', next: expect.stringContaining('parley login') });
});

test('3: a key that is wrong, and one that may not, with the request id', async () => {
  const forged = aTerminal({ PARLEY_API_URL: apiUrl, PARLEY_KEY_ID: 'key_01', PARLEY_KEY: 'sk_forged' });
  expect((await forged.run('webhooks', 'list')).code).toBe(3);
  const ran = await terminal.run('keys', 'list', '--json');
  expect([ran.code, errorOf(ran).reason]).toEqual([3, 'permission_missing']);
  expect(errorOf(ran).requestId).toMatch(/\S{10}/);
});

test('3: a token is not sent to another address than the one it was made at', async () => {
  const signedIn = aTerminal();
  await signedIn.signIn(apiUrl, tenant.token);
  expect(await signedIn.json('whoami')).toMatchObject({ tenantId: tenant.tenantId, email: tenant.email });
  const ran = await signedIn.run('whoami', '--api-url', 'http://127.0.0.1:1', '--json');
  expect([ran.code, errorOf(ran).reason]).toEqual([3, 'not_signed_in']);
});

test('5: what the service refuses is said in its words, field by field', async () => {
  const ran = await terminal.run('webhooks', 'create', 'ftp://shop.example');
  expect(ran).toMatchObject({ code: 5, stdout: '' });
  expect(ran.stderr).toMatch(/^✗ .+\n {2}\/url: .+\n/);
});

test('6: a service that is away, and something else that answers in its place', async () => {
  const far = aTerminal({ PARLEY_API_URL: 'http://127.0.0.1:1', PARLEY_KEY_ID: 'key_01', PARLEY_KEY: 'sk_x' });
  expect((await far.run('whoami')).code).toBe(6);
  const another = createServer((_request, response) => response.writeHead(404).end('<h1>Nothing here</h1>'));
  await new Promise<void>((listening) => another.listen(0, '127.0.0.1', listening));
  const elsewhere = `http://127.0.0.1:${(another.address() as AddressInfo).port}`;
  expect((await terminal.run('whoami', '--api-url', elsewhere)).code).toBe(6);
  another.close();
});

test('130: interrupted while it follows', async () => {
  const child = terminal.start(['events', '--follow']);
  child.stderr?.once('data', () => child.kill('SIGINT'));
  expect(await outcomeOf(child)).toMatchObject({ code: 130, stdout: '' });
});

test('0: a pipe that is closed early is no failure', async () => {
  const child = terminal.start(['webhooks', '--help']);
  child.stdout?.destroy();
  expect(await new Promise((done) => child.once('exit', done))).toBe(0);
});

test('keys: somebody who may makes, rotates and revokes one', async () => {
  const signedIn = aTerminal();
  await signedIn.signIn(apiUrl, tenant.token);
  const made = await signedIn.json<{ apiKey: { id: string }; secret: string }>(
    'keys',
    'create',
    'shop',
    '-p',
    'webhook.view',
    '--permission',
    'bot.view',
    '--expires',
    '2090-01-01',
  );
  const { id } = made.apiKey;
  const withIt = aTerminal({ PARLEY_API_URL: apiUrl, PARLEY_KEY_ID: id, PARLEY_KEY: made.secret });
  expect(await withIt.json('whoami')).toMatchObject({ permissions: ['bot.view', 'webhook.view'] });
  const { secret } = await signedIn.json<{ secret: string }>('keys', 'rotate', id, '--overlap', '0');
  expect(secret).not.toBe(made.secret);
  await signedIn.json('keys', 'revoke', id, '--yes');
  const { stdout } = await signedIn.run('keys', 'list');
  expect(stdout).toMatch(new RegExp(`${id}  secret_server  revoked`));
});

test('init: writes key and endpoint into .env beside what is there, and touches nothing without --force', async () => {
  const signedIn = aTerminal();
  await signedIn.signIn(apiUrl, tenant.token);
  const file = join(signedIn.dir, '.env');
  await writeFile(file, 'PORT=3000\n');
  const made = await signedIn.json<{ webhookId: string; keyId: string }>(
    'init',
    '--webhook-url',
    'https://shop.example/parley',
  );
  const lines = await readFile(file, 'utf8');
  expect(lines).toMatch(/^PORT=3000\n\nPARLEY_API_URL=http/);
  const env = Object.fromEntries(lines.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2))) as Record<
    string,
    string
  >;
  expect(env).toMatchObject({ PARLEY_BOT_ID: tenant.botId, PARLEY_WEBHOOK_ID: made.webhookId });
  expect(env['PARLEY_WEBHOOK_SECRET']).toMatch(/^whsec_/);
  expect(await aTerminal(env).json('whoami')).toMatchObject({ actor: { type: 'api_key', id: made.keyId } });

  const again = await signedIn.run('init', '--json');
  expect([again.code, errorOf(again).reason]).toEqual([5, 'env_already_configured']);
  expect(await readFile(file, 'utf8')).toBe(lines);
  await signedIn.json('init', '--force');
  expect(await readFile(file, 'utf8')).toMatch(
    /^PORT=3000\n\nPARLEY_API_URL=\S+\nPARLEY_TENANT_ID=\S+\n[^]*PARLEY_KEY=/,
  );
});

test('init: asks which bot, where somebody can answer; else says how to', async () => {
  const [two, signedIn] = [await aTenant(), aTerminal()];
  const { bot } = (await two.post('/bots', { name: 'Second' })).json<{ bot: { id: string } }>();
  await signedIn.signIn(apiUrl, two.token);
  const unasked = await signedIn.run('init', '--json');
  expect([unasked.code, errorOf(unasked).reason]).toEqual([2, 'multiple_bots']);
  const asked = await signedIn.watched(['init'], '1\n');
  expect(asked.code).toBe(0);
  expect(asked.screen).toMatch(/1 {2}Second .*\n2 {2}Bot /);
  expect(await readFile(join(signedIn.dir, '.env'), 'utf8')).toContain(`PARLEY_BOT_ID=${bot.id}`);
});

test('what cannot be undone is asked for, and done only after a yes', async () => {
  const { webhook } = await terminal.json<{ webhook: { id: string } }>('webhooks', 'create', 'https://shop.example/x');
  expect(await terminal.watched(['webhooks', 'delete', webhook.id], 'n\n')).toMatchObject({
    code: 1,
    screen: expect.stringContaining('Nothing was changed.'),
  });
  expect((await terminal.watched(['webhooks', 'delete', webhook.id], 'y\n')).code).toBe(0);
  expect((await terminal.run('webhooks', 'get', webhook.id)).code).toBe(4);
});

test('colours where somebody looks, none with --no-color', async () => {
  const escape = '\u001b[';
  expect((await terminal.watched(['whoami'])).screen).toContain(escape);
  expect((await terminal.watched(['whoami', '--no-color'])).screen).not.toContain(escape);
  expect((await terminal.run('whoami')).stdout).not.toContain(escape);
});

test('init: what was made is kept also when the next thing is refused', async () => {
  const signedIn = aTerminal();
  await signedIn.signIn(apiUrl, tenant.token);
  const ran = await signedIn.run('init', '--webhook-url', 'ftp://shop.example');
  expect(ran.code).toBe(5);
  expect(await readFile(join(signedIn.dir, '.env'), 'utf8')).toContain('PARLEY_KEY=');
  expect((await stat(join(signedIn.dir, '.env'))).mode & 0o777).toBe(0o600);
});

test('events: lists what happened, and goes on after a cursor', async () => {
  await tenant.post(`/bots/${tenant.botId}/versions`, {});
  const { stdout } = await terminal.run('events', '--json', '-n', '1');
  const [first, last] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  expect(first).toMatchObject({ tenantId: tenant.tenantId });
  const { stdout: rest } = await terminal.run('events', '--json', '--after', last?.['nextCursor'] ?? '');
  expect(rest).not.toContain(first?.['id']);
});

test.each(['bash', 'zsh', 'fish'])('completion %s: a script comes, and knows the commands', async (shell) => {
  const { stdout, code } = await terminal.run('completion', shell);
  expect(code).toBe(0);
  expect(stdout).toContain('complete');
  const offered = await terminal.run('complete', '--', 'webhooks', 'ro');
  expect(offered.stdout).toContain('rotate-secret');
});

test('completion bash: sources twice without a word', async () => {
  const { stdout } = await terminal.run('completion', 'bash');
  const file = join(terminal.dir, 'completion.bash');
  await writeFile(file, stdout);
  const sourced = await promisify(execFile)('bash', ['-ec', `source ${file}; source ${file}; complete -p parley`]);
  expect(sourced.stderr).toBe('');
  expect(sourced.stdout).toContain('parley');
});
