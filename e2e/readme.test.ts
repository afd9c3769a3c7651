import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { anActionCall, anEvent, aSecret, signed } from '../apps/server/test/sdk/signed.ts';
import { repository } from '../tools/demo/processes.ts';
import { badges, draw } from '../tools/screenshots/badges.ts';
import { freePort } from '../tools/stack/index.ts';
import { demo } from './browser.ts';
import { commands, embedSnippet, snippets } from './readme.ts';

// The commands and snippets of the README. `readme.full.test.ts` runs the rest: clone, install and start the demo.

const run = promisify(execFile);
const folder = join(repository, '.stack/readme');
mkdirSync(folder, { recursive: true });

test('every command of the README is run by a test', () => {
  expect(commands).toEqual({
    blocks: [
      'git clone <this repository> parley && cd parley', // these three: readme.full.test.ts
      'npm ci',
      'npm run demo',
      'npm run demo:cli -- events --limit 5',
    ],
    quoted: [
      'apt-get install postgresql redis-server', // .ci/prepare.sh
      'npm run demo -- --empty', // readme.full.test.ts
      'npm run demo:code',
    ],
  });
});

test('the commands for a running demo print a two-factor code and the demo’s events', async () => {
  const file = join(folder, 'demo.json');
  writeFileSync(file, JSON.stringify(demo));
  const env = { ...process.env, DEMO_FILE: file };
  const command = async (line: string) => {
    const [npm = '', ...args] = line.split(' ');
    return (await run(npm, args, { cwd: repository, env })).stdout;
  };
  expect(await command('npm run demo:code')).toMatch(/^\d{6} \(expires in \d+ s\)$/m);
  expect(await command('npm run demo:cli -- events --limit 5')).toMatch(/bot\.published {2}evt_/);
});

test('the embed snippet has the attributes that the portal shows', async () => {
  const response = await fetch(demo.siteUrl);
  const used = /<script[^>]+chatbot-widget\.js[^>]*>/.exec(await response.text())?.[0] ?? '';
  const attributes = (html: string) => [...html.matchAll(/\b(data-public-key|data-bot-id|src|async)\b/g)].map(String);
  expect(attributes(embedSnippet).toSorted()).toEqual([...new Set(attributes(used))].toSorted());
});

/** Runs a snippet of the README as a server until the test ends. */
async function serve(name: string) {
  const file = join(folder, name);
  writeFileSync(file, snippets.get(name) ?? '');
  onTestFinished(() => rmSync(file, { force: true }));
  const [port, secret] = [await freePort(), aSecret()];
  const env = { PATH: process.env['PATH'], PARLEY_SECRET: secret, PORT: String(port) };
  const server = spawn(process.execPath, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill());
  let output = '';
  server.stdout.on('data', (text: Buffer) => (output += text.toString()));
  const post = (call: { body: string; headers: Record<string, string> }) =>
    fetch(`http://127.0.0.1:${port}/parley`, { method: 'POST', ...call });
  await expect.poll(() => post({ body: '', headers: {} }).catch(() => undefined)).toBeDefined();
  return { post, secret, output: () => output };
}

test('the webhook snippet accepts a signed event and returns 401 for a forged one', async () => {
  const { post, secret, output } = await serve('webhook.mjs');
  expect((await post(signed(anEvent(), { secrets: [aSecret()] }))).status).toBe(401);
  expect((await post(signed(anEvent(), { secrets: [secret] }))).status).toBe(200);
  await expect.poll(output).toBe('conversation.created\n');
});

test('the action snippet answers a signed call', async () => {
  const { post, secret } = await serve('action.mjs');
  const response = await post(signed(anActionCall({ action: 'order_status' }), { secrets: [secret] }));
  expect(await response.json()).toMatchObject({ display: 'Order A-1001 is on its way.' });
});

test('the badges match package.json and the changelog', () => {
  for (const badge of badges())
    expect(readFileSync(join(repository, `docs/images/badge-${badge.name}.svg`), 'utf8')).toBe(draw(badge));
});
