import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { api, settings } from '../harness.ts';
import { aBot, aTenant, aVisitor, page } from './fixture.ts';
import { readEvents } from './stream-reader.ts';

const port = String(await freePort());
const base = `http://127.0.0.1:${port}`;
const child = fork(join(import.meta.dirname, 'stream-memory-child.ts'), {
  env: { ...process.env, ...settings({ PORT: port }) },
});
afterAll(() => child.kill('SIGKILL'));

async function heapBytes(): Promise<number> {
  child.send('measure');
  const [bytes] = (await once(child, 'message')) as [number];
  return bytes;
}

const follow = (conversationId: string, headers: Record<string, string>) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(`${base}/widget/conversations/${conversationId}/events?after=0`, {
      agent: false,
      headers: { ...headers, accept: 'text/event-stream' },
    });
    sent.once('error', reject).once('response', (response) => {
      response.on('error', () => {});
      response.once('data', () => resolve(response));
    });
    sent.end();
  });

/** A visitor's conversation with this many streams, each of which has sent its first event. */
async function openStreams(bot: Awaited<ReturnType<typeof aBot>>, count: number) {
  const { sessionToken, headers } = await aVisitor(api.app, bot);
  const sent = await readEvents(`${base}/widget/chatbots/${bot.botId}/message`, {
    method: 'POST',
    headers: { origin: page, 'content-type': 'application/json' },
    body: JSON.stringify({ sessionToken, message: 'When do you open?' }),
  });
  const { data } = await sent.waitFor(({ event }) => event === 'message.accepted');
  sent.leave();
  const conversationId = String(data['conversationId']);
  return Promise.all(Array.from({ length: count }, () => follow(conversationId, headers)));
}

test('an idle stream keeps at most 18 KB of heap', { timeout: 180_000 }, async () => {
  const isUp = () =>
    fetch(`${base}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp, { timeout: 60_000 }).toBe(true);
  const bot = await aBot(await aTenant());
  const streams = await openStreams(bot, 100); // fills caches and compiles what streams use
  const before = await heapBytes();
  for (let n = 0; n < 2; n++) streams.push(...(await openStreams(bot, 100)));
  const kilobytes = ((await heapBytes()) - before) / 200 / 1_024;
  expect(streams.filter(({ complete, destroyed }) => complete || destroyed)).toEqual([]);
  expect(kilobytes).toBeGreaterThan(1); // otherwise nothing was measured
  expect(kilobytes).toBeLessThan(18);
});
