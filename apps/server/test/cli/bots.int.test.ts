import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { cancel, lookUp } from '../actions/fixture.ts';
import { aTenant, type TestTenant, listen } from '../harness.ts';
import { plantWebhook } from '../rules/hooks.ts';
import { aTerminal, errorOf, type Terminal } from './fixture.ts';

const apiUrl = await listen();

/** A bot with an object of each kind, and a developer who has pulled it. */
async function aDeveloper() {
  const tenant = await aTenant();
  const [webhookId = ''] = await plantWebhook(tenant);
  const at = `/bots/${tenant.botId}`;
  const make = async (path: string, body: object) => {
    const response = await tenant.post(`${at}/${path}`, body);
    expect(response.statusCode, response.body).toBe(201);
    return response.json<{ action: { id: string } }>();
  };
  const { action } = await make('actions', { ...lookUp, webhookId });
  const steps = [{ name: 'first', actionId: action.id, input: { orderId: { from: '/input/orderId' } } }];
  await make('actions', { ...cancel, name: 'in_steps', webhookId: null, steps });
  await make('knowledge-sources', { kind: 'text', name: 'Opening hours', text: '# Hours\n\nNine to five.' });
  await make('knowledge-sources', { kind: 'text', name: 'Opening hours!', text: '---\nname: not a head\n---\n' });
  const pairs = [
    { question: 'Do you deliver?', answer: 'Yes.\n\n## To everywhere\n\\## and back' },
    { question: 'How long?', answer: 'Two days.' },
  ];
  await make('knowledge-sources', { kind: 'qa', name: 'Often asked', pairs, schedule: 'daily', language: 'en' });
  await make('knowledge-sources', { kind: 'sitemap', name: 'Site', url: 'https://shop.example/', exclude: ['/x'] });
  const terminal = aTerminal({}, { isQuick: true });
  await terminal.signIn(apiUrl, tenant.token);
  await terminal.json('bots', 'pull', tenant.botId);
  return { tenant, terminal, at };
}

/** A proxy before the service: `before` runs before each call arrives, until the first change. */
async function aProxy(before: (request: IncomingMessage) => Promise<void>): Promise<string> {
  let isChanged = false;
  const server = createServer((request, outgoing) => {
    void (async () => {
      const body = await text(request);
      if (!isChanged) await before(request);
      if (request.method === 'PATCH') isChanged = true;
      const headers = { authorization: String(request.headers.authorization), 'content-type': 'application/json' };
      const method = request.method ?? 'GET';
      const response = await fetch(apiUrl + request.url, { method, headers, ...(body && { body }) });
      outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text());
    })();
  });
  server.unref();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const fileOf =
  ({ dir }: Terminal) =>
  (path: string) => ({
    read: () => readFile(join(dir, path), 'utf8'),
    write: (text: string) => writeFile(join(dir, path), text),
  });
const botOf = async (tenant: TestTenant) =>
  (await tenant.get(`/bots/${tenant.botId}`)).json<{ bot: { revision: number; draft: Record<string, unknown> } }>().bot;
const filesOf = async (dir: string) => {
  const names = (await readdir(dir, { recursive: true })).filter((name) => /\.(md|json)$/.test(name));
  const botFiles = names.filter((name) => !name.startsWith('config')).sort();
  return Object.fromEntries(
    await Promise.all(botFiles.map(async (name) => [name, await readFile(join(dir, name), 'utf8')])),
  );
};

test('pull and push change nothing on either side, and a second pull writes nothing', async () => {
  const { tenant, terminal } = await aDeveloper();
  const [files, bot] = [await filesOf(terminal.dir), await botOf(tenant)];
  expect(Object.keys(files)).toEqual([
    'actions/in_steps.json',
    'actions/order_status.json',
    'instructions.md',
    'knowledge.json',
    'knowledge/often-asked.md',
    'knowledge/opening-hours-2.md',
    'knowledge/opening-hours.md',
    'parley.bot.json',
    'parley.lock.json',
  ]);
  expect(await terminal.runProcess('bots', 'diff')).toMatchObject({ code: 0, stdout: 'No differences.\n' });
  expect(await terminal.json('bots', 'push')).toMatchObject({ changes: [], pushed: [] });
  expect(await terminal.json('bots', 'pull')).toMatchObject({ written: [] });
  expect(await filesOf(terminal.dir)).toEqual(files);
  expect(await botOf(tenant)).toEqual(bot);
});

test('ignores key order and line endings', async () => {
  const { terminal } = await aDeveloper();
  const file = fileOf(terminal);
  const bot = JSON.parse(await file('parley.bot.json').read()) as object;
  await file('parley.bot.json').write(JSON.stringify(Object.fromEntries(Object.entries(bot).toReversed())));
  const hours = await file('knowledge/opening-hours.md').read();
  await file('knowledge/opening-hours.md').write(`${hours.replaceAll('\n', '\r\n')}\r\n`);
  expect((await terminal.run('bots', 'diff')).code).toBe(0);
});

test('exits with 1 on diff, and push applies all differences and nothing else', async () => {
  const { tenant, terminal, at } = await aDeveloper();
  const file = fileOf(terminal);
  const before = await botOf(tenant);
  await file('instructions.md').write('Be brief.\n');
  await file('knowledge/opening-hours.md').write(
    (await file('knowledge/opening-hours.md').read()).replace('five', 'six'),
  );
  await file('knowledge/returns.md').write('Thirty days.\n');
  const lookUpFile = JSON.parse(await file('actions/order_status.json').read()) as object;
  await file('actions/order_status.json').write(JSON.stringify({ ...lookUpFile, title: 'Where it is' }));
  const step = { name: 'first', action: 'find_payload', input: { orderId: { from: '/input/orderId' } } };
  await file('actions/all_at_once.json').write(JSON.stringify({ ...cancel, name: undefined, steps: [step] }));
  await file('actions/find_payload.json').write(JSON.stringify(lookUpFile));
  await rm(join(terminal.dir, 'knowledge/often-asked.md'));
  await file('knowledge.json').write('{}');

  const diff = await terminal.runProcess('bots', 'diff');
  expect(diff.code).toBe(1);
  expect(diff.stdout).toContain('+Be brief.');
  expect(diff.stdout).toContain('-Nine to five.\n+Nine to six.');

  const withoutYes = await terminal.run('bots', 'push', '--json');
  expect([withoutYes.code, errorOf(withoutYes).reason]).toEqual([2, 'not_confirmed']);
  expect(await botOf(tenant)).toEqual(before);
  const { pushed } = await terminal.json<{ pushed: string[] }>('bots', 'push', '--yes');
  expect(pushed.toSorted()).toEqual([
    'actions/all_at_once.json',
    'actions/find_payload.json',
    'actions/order_status.json',
    'instructions.md',
    'knowledge.json#site',
    'knowledge/often-asked.md',
    'knowledge/opening-hours.md',
    'knowledge/returns.md',
  ]);
  const after = await botOf(tenant);
  expect(after).toEqual({
    ...before,
    revision: before.revision + 1,
    draft: { ...before.draft, instructions: 'Be brief.' },
  });
  const sources = (await tenant.get(`${at}/knowledge-sources`)).json<{ data: { name: string }[] }>().data;
  expect(sources.map(({ name }) => name).toSorted()).toEqual(['Opening hours', 'Opening hours!', 'returns']);
  expect((await terminal.run('bots', 'diff')).stdout).toBe('No differences.\n');
});

test('exits with 5 on a conflict without changing either side; --force overwrites', async () => {
  const { tenant, terminal, at } = await aDeveloper();
  const file = fileOf(terminal);
  await file('instructions.md').write('Mine.\n');
  await file('knowledge/returns.md').write('Thirty days.\n');
  const { revision } = await botOf(tenant);
  await tenant.patch(`${at}/draft`, { revision, draft: { instructions: 'Theirs.', greeting: 'Hello!' } });

  for (const command of ['push', 'pull']) {
    const result = await terminal.run('bots', command, '--json');
    expect([result.code, errorOf(result).reason]).toEqual([5, 'conflict']);
    expect(errorOf(result).message).toContain('instructions.md');
  }
  expect(await file('instructions.md').read()).toBe('Mine.\n');
  expect((await tenant.get(`${at}/knowledge-sources`)).json<{ data: object[] }>().data).toHaveLength(4);

  await terminal.json('bots', 'push', '--force');
  const { draft } = await botOf(tenant);
  expect(draft).toMatchObject({ instructions: 'Mine.', greeting: 'Hello!' }); // changed remotely only, so kept
  expect(await terminal.json('bots', 'pull')).toMatchObject({ written: ['parley.bot.json'] });
  expect(await file('parley.bot.json').read()).toContain('Hello!');
});

test('exits with 5 and writes nothing when someone else changes the draft first', async () => {
  const { tenant, terminal, at } = await aDeveloper();
  const file = fileOf(terminal);
  await file('instructions.md').write('Mine.\n');
  await file('knowledge/returns.md').write('Thirty days.\n');
  const proxyUrl = await aProxy(async ({ method, url }) => {
    if (method !== 'PATCH' || !url?.endsWith('/draft')) return;
    const { revision } = await botOf(tenant);
    await tenant.patch(`${at}/draft`, { revision, draft: { greeting: 'Faster' } });
  });
  await terminal.signIn(proxyUrl, tenant.token);
  const result = await terminal.run('bots', 'push', '--json');
  expect([result.code, errorOf(result).reason]).toEqual([5, 'draft_changed']);
  expect((await botOf(tenant)).draft).toMatchObject({ greeting: 'Faster', instructions: '' });
  expect((await tenant.get(`${at}/knowledge-sources`)).json<{ data: object[] }>().data).toHaveLength(4);
  expect(await file('instructions.md').read()).toBe('Mine.\n');
  expect(await terminal.json('bots', 'push')).toMatchObject({ pushed: ['instructions.md', 'knowledge/returns.md'] });
});

test('pull keeps local changes and removes what was removed remotely', async () => {
  const { tenant, terminal, at } = await aDeveloper();
  const file = fileOf(terminal);
  await file('instructions.md').write('Mine.\n');
  const sources = (await tenant.get(`${at}/knowledge-sources`)).json<{ data: { id: string; name: string }[] }>().data;
  const removedId = sources.find(({ name }) => name === 'Often asked')?.id ?? '';
  await fetch(`${apiUrl}/knowledge-sources/${removedId}`, { method: 'DELETE', headers: tenant.headers });
  expect(await terminal.json('bots', 'pull')).toMatchObject({
    written: [],
    removed: ['knowledge/often-asked.md'],
    kept: ['instructions.md'],
  });
  expect(await readdir(join(terminal.dir, 'knowledge'))).not.toContain('often-asked.md');
  expect(await file('instructions.md').read()).toBe('Mine.\n');
});

test('push --force --yes with an outdated lock, as in CI, creates nothing twice', async () => {
  const { tenant, terminal, at } = await aDeveloper();
  const file = fileOf(terminal);
  const oldLock = await file('parley.lock.json').read();
  await file('knowledge/returns.md').write('---\nname: Sending back\n---\nThirty days.\n');
  await file('actions/find_payload.json').write(await file('actions/order_status.json').read());
  await terminal.json('bots', 'push', '--force', '--yes');
  const count = async (path: string) => (await tenant.get(`${at}/${path}`)).json<{ data: object[] }>().data.length;
  expect([await count('knowledge-sources'), await count('actions')]).toEqual([5, 3]);
  await file('parley.lock.json').write(oldLock);
  expect(await terminal.json('bots', 'push', '--force', '--yes')).toMatchObject({ changes: [] });
  await file('knowledge/returns.md').write('---\nname: Sending back\n---\nSixty days.\n');
  expect(await terminal.json('bots', 'push', '--force', '--yes')).toMatchObject({ pushed: ['knowledge/returns.md'] });
  expect([await count('knowledge-sources'), await count('actions')]).toEqual([5, 3]);
});

test('records what was pushed before an error, so that the next push continues from there', async () => {
  const { tenant, terminal } = await aDeveloper();
  const file = fileOf(terminal);
  await file('instructions.md').write('Be brief.\n');
  await file('actions/wrong.json').write('{"title":"No endpoint"}');
  const result = await terminal.run('bots', 'push', '--json');
  expect(result.code).toBe(5);
  expect((await botOf(tenant)).draft).toMatchObject({ instructions: 'Be brief.' });
  await rm(join(terminal.dir, 'actions/wrong.json'));
  expect(await terminal.json('bots', 'push')).toMatchObject({ changes: [] });
});

test('publish --deploy deploys to test, deploy rolls back, and a misspelt environment publishes nothing', async () => {
  const { tenant, terminal, at } = await aDeveloper();
  const wrong = await terminal.run('bots', 'publish', '--deploy', 'tset', '--json');
  expect([wrong.code, errorOf(wrong).next]).toEqual([4, 'Available environments: live, test.']);
  expect((await tenant.get(`${at}/versions`)).json<{ data: object[] }>().data).toEqual([]);

  const first = await terminal.json<{ version: { id: string; number: number } }>('bots', 'publish', '--deploy', 'test');
  expect(first).toMatchObject({ version: { number: 1 }, deployment: { versionId: first.version.id } });
  await fileOf(terminal)('instructions.md').write('Be brief.\n');
  await terminal.json('bots', 'push');
  await terminal.json('bots', 'publish', '--notes', 'brief');
  expect(await terminal.json('bots', 'deploy', 'test')).toMatchObject({ deployment: { number: 2 } });
  expect(await terminal.json('bots', 'deploy', 'test', '1')).toMatchObject({
    deployment: { versionId: first.version.id },
  });
  expect((await terminal.run('bots', 'deploy', 'test', '9')).code).toBe(4);
});

test('exits with 2: a folder contains one bot', async () => {
  const { terminal } = await aDeveloper();
  await mkdir(join(terminal.dir, 'other'));
  const result = await terminal.run('bots', 'pull', 'bot_01h45ytscbebyvny4gc8cr8ma2', '--json');
  expect([result.code, errorOf(result).reason]).toEqual([2, 'bot_mismatch']);
});
