import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { as, aTenant } from '../harness.ts';
import { lookUp } from '../actions/fixture.ts';
import { aWebhookStack, emitTestEvent, type CreatedWebhook } from '../webhooks/fixture.ts';
import { aSecret, variationsOf, type Call } from './verify-calls.ts';

// The receiver samples in six languages, each started by the command in its first line. All of them get what the real
// worker sends over HTTPS, and variations of it. Per commit two of the languages: the others are not installed everywhere,
// and rarely change.

vi.setConfig({ testTimeout: 60_000 });

const folder = resolve(import.meta.dirname, '../../../../docs/samples/verify');
const files = {
  node: 'verify.mjs',
  python3: 'verify.py',
  go: 'verify.go',
  ruby: 'verify.rb',
  php: 'verify.php',
  java: 'Verify.java',
};
type Program = keyof typeof files;
const programs = (Object.keys(files) as Program[]).slice(0, isFull ? undefined : 2);
const isInstalled = (program: Program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

const running: ChildProcess[] = [];
afterAll(() => {
  for (const { pid, exitCode } of running) if (pid && exitCode === null) process.kill(-pid, 'SIGKILL'); // the whole group: `go run` starts a child process
});

/** Returns the status that the sample gives to a call. */
async function start(program: Program, secrets: readonly string[], dir: string) {
  const file = join(folder, files[program]);
  const port = String(await freePort());
  const command = (/Start it with: (.*)/.exec(readFileSync(file, 'utf8'))?.[1] ?? '')
    .replace('whsec_…', `'${secrets.join(',')}'`)
    .replace('8080', port);
  const log = openSync(join(dir, `${program}.log`), 'a');
  const child = spawn('sh', ['-c', command], { cwd: folder, detached: true, stdio: ['ignore', log, log] });
  running.push(child);
  const post = async ({ headers, body }: Call) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`${command}\n${readFileSync(join(dir, `${program}.log`), 'utf8').slice(-2_000)}`);
    const isUp = await post({ headers: {}, body: '' }).catch(() => undefined);
    if (isUp) return post;
    await sleep(100);
  }
}

const { api, receiver, dir } = await aWebhookStack();
const person = await aTenant();
const tenant = { ...person, ...as(person.headers, api.app) };
const created = await tenant.post('/webhooks', { url: receiver.url, eventTypes: ['test.*'] });
const { webhook, secret } = created.json<CreatedWebhook>();
/** Of another endpoint with the same URL. The empty last secret is a typo that must not accept every call. */
const otherSecret = aSecret();
const posts = new Map(
  await Promise.all(
    programs
      .filter(isInstalled)
      .map(async (program) => [program, await start(program, [otherSecret, secret, ''], dir)] as const),
  ),
);

/** The status of each sample for the received calls, in order. */
const received: { call: Call; statuses: Record<string, number> }[] = [];
receiver.respond = ({ headers: allHeaders, body }, response) => {
  const own = Object.entries(allHeaders).filter(([name]) => !/^(host|connection|content-length)$/.test(name));
  const headers = Object.fromEntries(own) as Call['headers'];
  const posting = [...posts].map(async ([program, post]) => [program, await post({ headers, body })] as const);
  void Promise.all(posting).then((results) => {
    received.push({ call: { headers, body }, statuses: Object.fromEntries(results) });
    response.writeHead(Math.max(...results.map(([, status]) => status))).end();
  });
};
const allReturn = (status: number) => Object.fromEntries([...posts.keys()].map((program) => [program, status]));
async function nextReceived() {
  const before = received.length;
  await vi.waitUntil(() => received.length > before, { timeout: 15_000 });
  return received[before];
}

test('every language accepts what the worker sends: events, an action, and both secrets during a rotation', async () => {
  for (const about of [{ environmentId: tenant.environmentId }, {}]) {
    const next = nextReceived();
    await emitTestEvent(tenant, 1, about);
    const { statuses, call } = (await next) ?? {};
    expect(statuses).toEqual(allReturn(200));
    expect(call?.headers['x-service-environment-id']).toBe(tenant.environmentId);
  }
  const action = await tenant.post(`/bots/${tenant.botId}/actions`, { ...lookUp, webhookId: webhook.id });
  const { id } = action.json<{ action: { id: string } }>().action;
  await tenant.post(`/actions/${id}/try`, { input: { orderId: 'A-1001' } });
  expect(received.at(-1)).toMatchObject({ call: { headers: { 'x-service-action-id': id } }, statuses: allReturn(200) });

  await tenant.post(`/webhooks/${webhook.id}/rotate-secret`, { overlapSeconds: 3_600 });
  const next = nextReceived();
  await emitTestEvent(tenant, 2, { environmentId: tenant.environmentId });
  expect(await next).toMatchObject({
    call: { headers: { 'x-service-signature': expect.stringMatching(/^v1=\w{64},v1=\w{64}$/) as string } },
    statuses: allReturn(200),
  });
});

test('the security self-test passes in every language', async () => {
  const before = received.length;
  await tenant.post(`/webhooks/${webhook.id}/test`, { mode: 'security' });
  expect(received.slice(before).map(({ statuses }) => statuses)).toEqual([200, 200, 200, 401, 401, 401].map(allReturn));
});

test.for(programs)('%s accepts genuine calls and returns 400 or 401 to others', async (program, { skip }) => {
  const post = posts.get(program);
  skip(!post && !process.env['CI'], `no ${program} on this machine, so its sample is not tested`);
  const [genuine] = received;
  if (!post || !genuine) throw new Error(`no ${program} on this machine, or no call was received`);
  const expected: Record<string, number> = {};
  const statuses: Record<string, number> = {};
  for (const [name, [status, call]] of Object.entries(variationsOf(genuine.call, secret, otherSecret))) {
    expected[name] = status;
    statuses[name] = await post(call);
  }
  expect(statuses).toEqual(expected);
});
