import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { aKey, aTenant, listen } from '../harness.ts';
import { anActionCall, anEvent, aSecret, signed } from './signed.ts';

// The package as published, installed in an empty project.

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../../..');
const source = join(root, 'packages/sdk');
const bin = (name: string) => join(root, 'node_modules/.bin', name);
const folder = mkdtempSync(join(tmpdir(), 'parley-sdk-'));
const installed = join(folder, 'node_modules/@parley/sdk');
let packed: string[] = [];

beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: source,
  });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  packed = files.map(({ path }) => path);
  await run('tar', ['xf', filename], { cwd: folder });
  mkdirSync(join(folder, 'node_modules/@parley'), { recursive: true });
  cpSync(join(folder, 'package'), installed, { recursive: true });
  for (const name of ['express', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  for (const [, name = '', code = ''] of readFileSync(join(source, 'README.md'), 'utf8').matchAll(
    /^```js file=(\S+)\n([\s\S]*?)^```$/gm,
  ))
    writeFileSync(join(folder, name), code);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('publishes only the build, the licence and the readme', () => {
  const others = packed.filter((path) => !/^dist\/([\w-]+\/)?[\w-]+\.(js|d\.ts)$/.test(path));
  expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

test('has no dependencies and does not use Node APIs', () => {
  const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
  const code = files
    .filter((file) => file.endsWith('.js'))
    .map((file) => [file, readFileSync(join(installed, 'dist', file), 'utf8')]);
  expect(code.length).toBeGreaterThan(10);
  for (const [file, text = ''] of code) {
    const bare = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    expect(bare, file).not.toMatch(/from '(?!\.\.?\/)|\b(require|Buffer|process|__dirname)\b|node:/);
  }
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
});

const workerGlobals = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'Headers',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'atob',
  'clearTimeout',
  'console',
  'crypto',
  'setTimeout',
] as const;

test('runs with only the globals of web workers', async () => {
  const entry = join(folder, 'worker.mjs');
  writeFileSync(
    entry,
    `import { createParley } from '@parley/sdk';
     import { actionHandler } from '@parley/sdk/actions';
     import { createReceiver } from '@parley/sdk/receiver';
     globalThis.handle = createReceiver({ secrets: SECRET, actions: actionHandler({ my_order: () => ({ output: {} }) }) });
     globalThis.me = () => createParley({ apiUrl: 'https://x.example', keyId: 'k', key: 's', fetch: async () => Response.json({ tenantId: 'ten_1' }) }).getMe();`,
  );
  await run(bin('esbuild'), [entry, '--bundle', '--format=iife', `--outfile=${folder}/worker.js`, '--log-level=error']);
  const SECRET = aSecret();
  const realm = createContext({
    SECRET,
    ...Object.fromEntries(workerGlobals.map((name) => [name, globalThis[name]])),
  }) as {
    handle(request: Request): Promise<Response>;
    me(): Promise<unknown>;
  };
  runInContext(readFileSync(join(folder, 'worker.js'), 'utf8'), realm);
  const call = signed(anActionCall(), { secrets: [SECRET] });
  const response = await realm.handle(new Request('https://x.example', { method: 'POST', ...call }));
  expect([response.status, await response.json()]).toEqual([200, { output: {} }]);
  const forged = signed(anEvent(), { secrets: [aSecret()] });
  expect((await realm.handle(new Request('https://x.example', { method: 'POST', ...forged }))).status).toBe(401);
  expect(await realm.me()).toEqual({ tenantId: 'ten_1' });
});

test('the code in the readme type-checks in strict mode', async () => {
  writeFileSync(
    join(folder, 'types.mts'),
    `import type { Bot, Parley } from '@parley/sdk';
     import { each } from '@parley/sdk';
     import type { ParleyEvent } from '@parley/sdk/webhooks';
     declare const parley: Parley;
     for await (const one of each(parley.listBots)) one satisfies Bot;
     for await (const one of each(parley.listActions, { path: { id: 'bot_1' } })) one.name satisfies string;
     // @ts-expect-error the path is required
     each(parley.listActions);
     // @ts-expect-error this list has no such cursor
     each(parley.listEvents, {});
     // @ts-expect-error a misspelt field
     await parley.createBot({ body: { nmae: 'Shop' } });
     export function of(event: ParleyEvent): string {
       switch (event.type) {
         case 'conversation.created': return event.data.object.id;
         case 'webhook.failing': return event.data.failing.problem;
         case 'action.invoke': return event.action;
         // @ts-expect-error there is no such type
         case 'conversation.exploded': return '';
         default: return event.id;
       }
     }`,
  );
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
  const target = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--allowJs', '--checkJs'];
  const files = ['call.mjs', 'server.mjs', 'types.mts'];
  const { stdout } = await run(bin('tsc'), [...strict, ...target, ...files], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});

test('the first example in the readme runs against the API', async () => {
  const tenant = await aTenant();
  const key = await aKey(tenant, { permissions: ['bot.view', 'bot.manage'] });
  const env = {
    PARLEY_API: await listen(),
    PARLEY_KEY_ID: key.id,
    PARLEY_KEY: key.secret,
  };
  const { stdout } = await run(process.execPath, ['call.mjs'], { cwd: folder, env });
  expect(stdout).toContain('Shop\n');
  expect(stdout).toMatch(/VALIDATION_ERROR invalid_\w+ .* req_\w{26}\n$/s);
});

test('the second example in the readme handles an action and an event', async () => {
  const [port, secret] = [await freePort(), aSecret()];
  const env = { PARLEY_SECRET: secret, PORT: String(port) };
  const server = spawn(process.execPath, ['server.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let output = '';
    server.stdout.on('data', (text: Buffer) => (output += text.toString()));
    await expect.poll(() => output, { timeout: 20_000 }).toContain('ready');
    const post = (call: { body: string; headers: Record<string, string> }) =>
      fetch(`http://127.0.0.1:${port}/parley`, { method: 'POST', ...call });
    const response = await post(signed(anActionCall(), { secrets: [secret] }));
    expect(await response.json()).toMatchObject({ display: 'Your order A-1001 is on its way to you.' });
    expect((await post(signed(anEvent(), { secrets: [aSecret()] }))).status).toBe(401);
    expect((await post(signed(anEvent(), { secrets: [secret] }))).status).toBe(200);
    await expect.poll(() => output).toContain('New conversation: conv_1');
  } finally {
    server.kill();
  }
});
