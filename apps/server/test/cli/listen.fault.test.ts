import type { ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from '@parley/sdk/webhooks';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../../tools/stack/index.ts';
import { startChild, type Child } from '../faults/child.ts';
import { randomFrom, rounds, seed } from '../faults/random.ts';
import { dataErased } from '../../src/features/conversations/conversations.events.ts';
import { emit } from '../../src/platform/events.ts';
import { aTenant, inside, settings } from '../harness.ts';
import { aTerminalOf } from './fixture.ts';

// Kills everything between an event and the developer's own server in turn: the API, `parley listen`, and that server.

const many = rounds * 10;
const random = randomFrom(seed);
const port = await freePort();
const apiUrl = `http://127.0.0.1:${port}`;
let api: Child | undefined;
const startApi = async () => {
  api = startChild('src/api.ts', settings({ LOG_LEVEL: 'info', PORT: String(port) }));
  await api.ready;
};
await startApi();

/** The developer's own server: it may be cut off in the middle of a response, and restarts on the same port. */
const localPort = await freePort();
const received: number[] = [];
const problems: string[] = [];
let secret = '';
let local: Server | undefined;
function startLocal() {
  local = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const event = await verifyWebhook({ body, headers: request.headers, secrets: secret });
      received.push((event as unknown as { data: { object: { messages: number } } }).data.object.messages);
      await sleep(random.between(0, 4));
      response.writeHead(200).end('ok');
    })().catch((error: unknown) => {
      if (local?.listening) problems.push(String(error));
      response.destroy();
    });
  }).listen(localPort);
}
startLocal();

const tenant = await aTenant({ plan: 'team' });
const testEnvironment = await (async () => {
  const { data } = (await tenant.get('/environments')).json<{ data: { id: string; name: string }[] }>();
  return data.find(({ name }) => name === 'test')?.id ?? '';
})();
const terminal = await aTerminalOf(tenant, apiUrl, [
  'tenant.view',
  'webhook.view',
  'webhook.manage',
  'conversation.view',
]);
/** An event type that the API knows too: it checks what the listener's key may read. */
const happen = (n: number) => {
  const object = { receiptId: `receipt-${n}`, conversations: 0, messages: n };
  return inside(tenant.tenantId, (ctx) =>
    emit(ctx, dataErased, object.receiptId, { object }, { environmentId: testEnvironment }),
  );
};
const forwardTo = `127.0.0.1:${localPort}/parley`;
let listening: ChildProcess | undefined;
const startListening = () => {
  listening = terminal.start(['listen', '--forward-to', forwardTo, '--json']);
  const output: string[] = [];
  for (const stream of [listening.stdout, listening.stderr]) stream?.on('data', (text) => output.push(String(text)));
  const mine = listening;
  mine.once('exit', (code, signal) => {
    if (signal !== 'SIGKILL')
      problems.push(`parley listen ended with ${code ?? signal}: ${output.join('').slice(-500)}`);
  });
};

afterAll(() => {
  listening?.kill('SIGKILL');
  api?.signal('SIGKILL');
  local?.closeAllConnections();
  local?.close();
});

const faults = {
  'the API': async () => {
    api?.signal('SIGKILL');
    await sleep(random.between(0, 300));
    await startApi();
  },
  'parley listen': async () => {
    listening?.kill('SIGKILL');
    await sleep(random.between(0, 300));
    startListening();
  },
  'the local server': async () => {
    local?.closeAllConnections();
    await new Promise<void>((closed) => local?.close(() => closed()));
    await sleep(random.between(100, 1_000));
    startLocal();
  },
};

test(
  `delivers ${many} events in order without a loss while the API, parley listen and the local server are killed in turn`,
  async () => {
    secret = (await terminal.json<{ secret: string }>('listen', '--forward-to', forwardTo, '--print-secret')).secret;
    startListening();
    console.log(`listen: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const names = Object.keys(faults) as (keyof typeof faults)[];
    const kills = Math.max(names.length, Math.floor(rounds / 5));
    const startedAt = Date.now();
    let emitted = 0;
    const emitting = (async () => {
      // Some before anyone listens, the rest during the kills.
      for (; emitted < many; emitted++) {
        await happen(emitted + 1);
        if (emitted % 10 === 0) await sleep(random.between(0, 40));
      }
    })();
    for (let kill = 0; kill < kills; kill++) {
      const target = Math.floor(((kill + 1) / (kills + 1)) * many);
      await expect.poll(() => received.at(-1) ?? 0, { timeout: 60_000 }).toBeGreaterThanOrEqual(target);
      await faults[names[kill % names.length] ?? 'the API']();
    }
    await emitting;
    await expect.poll(() => received.at(-1), { timeout: 90_000 }).toBe(many);
    const repeats = received.length - new Set(received).size;
    console.log(
      `listen: ${many} events in ${Math.round((Date.now() - startedAt) / 1_000)} s, ${kills} kills, ${repeats} repeated, 0 missed, 0 out of order`,
    );
    expect(problems).toEqual([]);
    expect(new Set(received).size).toBe(many);
    // An event without a response is repeated before any later one: each is the last one or the next.
    const outOfOrder = received.filter((n, at) => at > 0 && ![0, 1].includes(n - (received[at - 1] ?? 0)));
    expect(outOfOrder).toEqual([]);
  },
  60_000 + many * 300,
);
