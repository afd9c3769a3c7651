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
import { aSecret, callsLike, type Call } from './verify-calls.ts';

// The samples of a receiver in six languages, each started by the command in its first line. What the real worker sends
// over HTTPS is handed to all of them as it came, and what somebody made of it as well. Per commit two of the languages: the
// others are not on every machine, and change seldom.

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
const isThere = (program: Program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

const running: ChildProcess[] = [];
afterAll(() => {
  for (const { pid, exitCode } of running) if (pid && exitCode === null) process.kill(-pid, 'SIGKILL'); // the whole group: `go run` has a child of its own
});

/** Answers with the status that the sample gives a call. */
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
const made = await tenant.post('/webhooks', { url: receiver.url, eventTypes: ['test.*'] });
const { webhook, secret } = made.json<CreatedWebhook>();
/** Of another endpoint that leads to the same place. The comma at the end is a slip that must not let everybody in. */
const otherSecret = aSecret();
const posts = new Map(
  await Promise.all(
    programs
      .filter(isThere)
      .map(async (program) => [program, await start(program, [otherSecret, secret, ''], dir)] as const),
  ),
);

/** What each said to the calls that came, in their order. */
const heard: { call: Call; said: Record<string, number> }[] = [];
receiver.answer = ({ headers: given, body }, response) => {
  const own = Object.entries(given).filter(([name]) => !/^(host|connection|content-length)$/.test(name));
  const headers = Object.fromEntries(own) as Call['headers'];
  const ask = [...posts].map(async ([program, post]) => [program, await post({ headers, body })] as const);
  void Promise.all(ask).then((answers) => {
    heard.push({ call: { headers, body }, said: Object.fromEntries(answers) });
    response.writeHead(Math.max(...answers.map(([, status]) => status))).end();
  });
};
const allSay = (status: number) => Object.fromEntries([...posts.keys()].map((program) => [program, status]));
async function heardNext() {
  const before = heard.length;
  await vi.waitUntil(() => heard.length > before, { timeout: 15_000 });
  return heard[before];
}

test('200: what the worker sends is taken in every language: events, an action, and both secrets during a rotation', async () => {
  for (const about of [{ environmentId: tenant.environmentId }, {}]) {
    const next = heardNext();
    await emitTestEvent(tenant, 1, about);
    const { said, call } = (await next) ?? {};
    expect(said).toEqual(allSay(200));
    expect(call?.headers['x-service-environment-id']).toBe(tenant.environmentId);
  }
  const action = await tenant.post(`/bots/${tenant.botId}/actions`, { ...lookUp, webhookId: webhook.id });
  const { id } = action.json<{ action: { id: string } }>().action;
  await tenant.post(`/actions/${id}/try`, { input: { orderId: 'A-1001' } });
  expect(heard.at(-1)).toMatchObject({ call: { headers: { 'x-service-action-id': id } }, said: allSay(200) });

  await tenant.post(`/webhooks/${webhook.id}/rotate-secret`, { overlapSeconds: 3_600 });
  const next = heardNext();
  await emitTestEvent(tenant, 2, { environmentId: tenant.environmentId });
  expect(await next).toMatchObject({
    call: { headers: { 'x-service-signature': expect.stringMatching(/^v1=\w{64},v1=\w{64}$/) as string } },
    said: allSay(200),
  });
});

test('401: our own test of receivers finds nothing in any language', async () => {
  const before = heard.length;
  await tenant.post(`/webhooks/${webhook.id}/test`, { mode: 'security' });
  expect(heard.slice(before).map(({ said }) => said)).toEqual([200, 200, 200, 401, 401, 401].map(allSay));
});

test.for(programs)('200, 400 and 401: %s takes what is genuine and refuses what is not', async (program, { skip }) => {
  const post = posts.get(program);
  skip(!post && !process.env['CI'], `no ${program} on this machine, so its sample is not tried`);
  const [genuine] = heard;
  if (!post || !genuine) throw new Error(`no ${program} on this machine, or nothing came before`);
  const deserved: Record<string, number> = {};
  const said: Record<string, number> = {};
  for (const [name, [status, call]] of Object.entries(callsLike(genuine.call, secret, otherSecret))) {
    deserved[name] = status;
    said[name] = await post(call);
  }
  expect(said).toEqual(deserved);
});
