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
/** What depends on the process itself is tested with `runProcess`, `start` and `inTerminal`. */
const quick = { isQuick: true };
const terminal = await aTerminalOf(
  tenant,
  apiUrl,
  ['webhook.view', 'webhook.manage', 'bot.view', 'conversation.view'],
  quick,
);

test('--json prints one line of JSON to stdout and nothing to stderr', async () => {
  const { stdout, ...rest } = await terminal.runProcess('webhooks', 'list', '--json');
  expect(rest).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe('{"data":[]}\n');
});

test('creates, reads, pauses, resumes and deletes an endpoint', async () => {
  const created = await terminal.json<{ webhook: { id: string }; secret: string }>(
    'webhooks',
    'create',
    'https://shop.example/hooks',
    '-e',
    'conversation.*,message.created',
    '--ordered',
  );
  expect(created.secret).toMatch(/^whsec_/);
  const { id } = created.webhook;
  expect(await terminal.json('webhooks', 'get', id)).toMatchObject({
    webhook: { eventTypes: ['conversation.*', 'message.created'], ordering: 'conversation', status: 'active' },
  });
  expect(await terminal.json('webhooks', 'pause', id)).toMatchObject({ webhook: { status: 'paused' } });
  expect(await terminal.json('webhooks', 'resume', id)).toMatchObject({ webhook: { status: 'active' } });
  const { secret } = await terminal.json<{ secret: string }>('webhooks', 'rotate-secret', id, '--overlap', '60');
  expect(secret).not.toBe(created.secret);
  const list = await terminal.run('webhooks', 'list');
  expect(list.stdout).toContain(`${id}  active  0        https://shop.example/hooks`);

  const withoutYes = await terminal.run('webhooks', 'delete', id, '--json');
  expect([withoutYes.code, errorOf(withoutYes).reason]).toEqual([2, 'not_confirmed']);
  await terminal.json('webhooks', 'delete', id, '--yes');
  expect((await terminal.run('webhooks', 'get', id)).code).toBe(4);
});

test.each([
  ['an unknown command', ['webhooks', 'nope'], 'unknown_command'],
  ['an unknown option', ['webhooks', 'list', '--nope'], 'unknown_option'],
  ['a missing argument', ['webhooks', 'get'], 'missing_argument'],
  ['an invalid date', ['replay', '--since', 'yesterday'], 'invalid_argument'],
  ['an invalid URL', ['whoami', '--api-url', 'shop'], 'invalid_url'],
  ['neither a delivery nor a range', ['replay'], 'delivery_or_range_required'],
  ['a folder without a bot', ['bots', 'diff'], 'bot_file_missing'],
])('exits with 2 for %s', async (_name, args, reason) => {
  const result = await terminal.run(...args, '--json');
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(errorOf(result)).toMatchObject({ exitCode: 2, reason });
});

test('exits with 3 and names the next step when not signed in', async () => {
  const result = await aTerminal().runProcess('whoami', '--json');
  expect(result).toMatchObject({ code: 3, stdout: '' });
  expect(errorOf(result)).toMatchObject({ reason: 'not_signed_in', next: expect.stringContaining('parley login') });
});

test('exits with 3 for an invalid key and for a missing permission, with the request id', async () => {
  const forged = aTerminal({ PARLEY_API_URL: apiUrl, PARLEY_KEY_ID: 'key_01', PARLEY_KEY: 'sk_forged' }, quick);
  expect((await forged.run('webhooks', 'list')).code).toBe(3);
  const result = await terminal.run('keys', 'list', '--json');
  expect([result.code, errorOf(result).reason]).toEqual([3, 'permission_missing']);
  expect(errorOf(result).requestId).toMatch(/\S{10}/);
});

test('exits with 3: a token is only sent to the API that issued it', async () => {
  const signedIn = aTerminal({}, quick);
  await signedIn.signIn(apiUrl, tenant.token);
  expect(await signedIn.json('whoami')).toMatchObject({ tenantId: tenant.tenantId, email: tenant.email });
  const result = await signedIn.run('whoami', '--api-url', 'http://127.0.0.1:1', '--json');
  expect([result.code, errorOf(result).reason]).toEqual([3, 'not_signed_in']);
});

test('exits with 5 and prints the API’s validation errors field by field', async () => {
  const result = await terminal.runProcess('webhooks', 'create', 'ftp://shop.example');
  expect(result).toMatchObject({ code: 5, stdout: '' });
  expect(result.stderr).toMatch(/^✗ .+\n {2}\/url: .+\n/);
});

test('exits with 6 when the API is unreachable or another server responds', async () => {
  const unreachable = aTerminal(
    { PARLEY_API_URL: 'http://127.0.0.1:1', PARLEY_KEY_ID: 'key_01', PARLEY_KEY: 'sk_x' },
    quick,
  );
  expect((await unreachable.run('whoami')).code).toBe(6);
  const otherServer = createServer((_request, response) => response.writeHead(404).end('<h1>Nothing here</h1>'));
  await new Promise<void>((listening) => otherServer.listen(0, '127.0.0.1', listening));
  const otherUrl = `http://127.0.0.1:${(otherServer.address() as AddressInfo).port}`;
  expect((await terminal.run('whoami', '--api-url', otherUrl)).code).toBe(6);
  otherServer.close();
});

test('exits with 130 when interrupted while following', async () => {
  const child = terminal.start(['events', '--follow']);
  child.stderr?.once('data', () => child.kill('SIGINT'));
  expect(await outcomeOf(child)).toMatchObject({ code: 130, stdout: '' });
});

test('exits with 0 when a pipe is closed early', async () => {
  const child = terminal.start(['webhooks', '--help']);
  child.stdout?.destroy();
  expect(await new Promise((done) => child.once('exit', done))).toBe(0);
});

test('keys: creates, rotates and revokes a key', async () => {
  const signedIn = aTerminal({}, quick);
  await signedIn.signIn(apiUrl, tenant.token);
  const created = await signedIn.json<{ apiKey: { id: string }; secret: string }>(
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
  const { id } = created.apiKey;
  const withIt = aTerminal({ PARLEY_API_URL: apiUrl, PARLEY_KEY_ID: id, PARLEY_KEY: created.secret }, quick);
  expect(await withIt.json('whoami')).toMatchObject({ permissions: ['bot.view', 'webhook.view'] });
  const { secret } = await signedIn.json<{ secret: string }>('keys', 'rotate', id, '--overlap', '0');
  expect(secret).not.toBe(created.secret);
  await signedIn.json('keys', 'revoke', id, '--yes');
  const { stdout } = await signedIn.run('keys', 'list');
  expect(stdout).toMatch(new RegExp(`${id}  secret_server  revoked`));
});

test('init: adds key and endpoint to .env, and changes nothing in a configured file without --force', async () => {
  const signedIn = aTerminal({}, quick);
  await signedIn.signIn(apiUrl, tenant.token);
  const file = join(signedIn.dir, '.env');
  await writeFile(file, 'PORT=3000\n');
  const created = await signedIn.json<{ webhookId: string; keyId: string }>(
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
  expect(env).toMatchObject({ PARLEY_BOT_ID: tenant.botId, PARLEY_WEBHOOK_ID: created.webhookId });
  expect(env['PARLEY_WEBHOOK_SECRET']).toMatch(/^whsec_/);
  expect(await aTerminal(env, quick).json('whoami')).toMatchObject({ actor: { type: 'api_key', id: created.keyId } });

  const again = await signedIn.run('init', '--json');
  expect([again.code, errorOf(again).reason]).toEqual([5, 'env_already_configured']);
  expect(await readFile(file, 'utf8')).toBe(lines);
  await signedIn.json('init', '--force');
  expect(await readFile(file, 'utf8')).toMatch(
    /^PORT=3000\n\nPARLEY_API_URL=\S+\nPARLEY_TENANT_ID=\S+\n[^]*PARLEY_KEY=/,
  );
});

test('init: prompts for the bot in a terminal, and otherwise exits with 2', async () => {
  const [two, signedIn] = [await aTenant(), aTerminal({}, quick)];
  const { bot } = (await two.post('/bots', { name: 'Second' })).json<{ bot: { id: string } }>();
  await signedIn.signIn(apiUrl, two.token);
  const withoutYes = await signedIn.run('init', '--json');
  expect([withoutYes.code, errorOf(withoutYes).reason]).toEqual([2, 'multiple_bots']);
  const prompted = await signedIn.inTerminal(['init'], '1\n');
  expect(prompted.code).toBe(0);
  expect(prompted.screen).toMatch(/1 {2}Second .*\n2 {2}Bot /);
  expect(await readFile(join(signedIn.dir, '.env'), 'utf8')).toContain(`PARLEY_BOT_ID=${bot.id}`);
});

test('confirms irreversible commands', async () => {
  const { webhook } = await terminal.json<{ webhook: { id: string } }>('webhooks', 'create', 'https://shop.example/x');
  expect(await terminal.inTerminal(['webhooks', 'delete', webhook.id], 'n\n')).toMatchObject({
    code: 1,
    screen: expect.stringContaining('Nothing was changed.'),
  });
  expect((await terminal.inTerminal(['webhooks', 'delete', webhook.id], 'y\n')).code).toBe(0);
  expect((await terminal.run('webhooks', 'get', webhook.id)).code).toBe(4);
});

test('prints colours in a terminal, and none with --no-color', async () => {
  const escape = '\u001b[';
  expect((await terminal.inTerminal(['whoami'])).screen).toContain(escape);
  expect((await terminal.inTerminal(['whoami', '--no-color'])).screen).not.toContain(escape);
  expect((await terminal.runProcess('whoami')).stdout).not.toContain(escape);
});

test('init: keeps what was created when the next step is rejected', async () => {
  const signedIn = aTerminal({}, quick);
  await signedIn.signIn(apiUrl, tenant.token);
  const result = await signedIn.run('init', '--webhook-url', 'ftp://shop.example');
  expect(result.code).toBe(5);
  expect(await readFile(join(signedIn.dir, '.env'), 'utf8')).toContain('PARLEY_KEY=');
  expect((await stat(join(signedIn.dir, '.env'))).mode & 0o777).toBe(0o600);
});

test('events: lists events and continues after a cursor', async () => {
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

test.each(['bash', 'zsh', 'fish'])('completion %s: prints a script', async (shell) => {
  const { stdout, code } = await terminal.run('completion', shell);
  expect(code).toBe(0);
  expect(stdout).toContain('complete');
});

test('complete: lists the commands that start with what was typed', async () => {
  const offered = await terminal.runProcess('complete', '--', 'webhooks', 'ro');
  expect(offered.stdout).toContain('rotate-secret');
});

test('completion bash: can be sourced twice without output', async () => {
  const { stdout } = await terminal.run('completion', 'bash');
  const file = join(terminal.dir, 'completion.bash');
  await writeFile(file, stdout);
  const sourced = await promisify(execFile)('bash', ['-ec', `source ${file}; source ${file}; complete -p parley`]);
  expect(sourced.stderr).toBe('');
  expect(sourced.stdout).toContain('parley');
});
