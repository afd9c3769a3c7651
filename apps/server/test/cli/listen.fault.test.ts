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

// Everything between an event and the developer's own server dies in turn: the API, `parley listen`, and that server.

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

/** The developer's own server: it may be cut off in the middle of an answer, and comes back at the same place. */
const localPort = await freePort();
const arrived: number[] = [];
const problems: string[] = [];
let secret = '';
let local: Server | undefined;
function startLocal() {
  local = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const event = await verifyWebhook({ body, headers: request.headers, secrets: secret });
      arrived.push((event as unknown as { data: { object: { messages: number } } }).data.object.messages);
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
/** An event that the API knows as well: it is asked what the listener's key may read. */
const happen = (n: number) => {
  const object = { receiptId: `receipt-${n}`, conversations: 0, messages: n };
  return inside(tenant.tenantId, (ctx) =>
    emit(ctx, dataErased, object.receiptId, { object }, { environmentId: testEnvironment }),
  );
};
const address = `127.0.0.1:${localPort}/parley`;
let listening: ChildProcess | undefined;
const startListening = () => {
  listening = terminal.start(['listen', '--forward-to', address, '--json']);
  const said: string[] = [];
  for (const stream of [listening.stdout, listening.stderr]) stream?.on('data', (text) => said.push(String(text)));
  const mine = listening;
  mine.once('exit', (code, signal) => {
    if (signal !== 'SIGKILL') problems.push(`parley listen ended with ${code ?? signal}: ${said.join('').slice(-500)}`);
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
  `${many} events, while the API, parley listen and the local server are killed in turn: nothing is missed, nothing is out of order`,
  async () => {
    secret = (await terminal.json<{ secret: string }>('listen', '--forward-to', address, '--print-secret')).secret;
    startListening();
    console.log(`listen: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const names = Object.keys(faults) as (keyof typeof faults)[];
    const kills = Math.max(6, Math.floor(rounds / 5));
    const began = Date.now();
    let told = 0;
    const telling = (async () => {
      // Some before anybody has a connection, the rest while things die.
      for (; told < many; told++) {
        await happen(told + 1);
        if (told % 10 === 0) await sleep(random.between(0, 40));
      }
    })();
    for (let kill = 0; kill < kills; kill++) {
      const due = Math.floor(((kill + 1) / (kills + 1)) * many);
      await expect.poll(() => arrived.at(-1) ?? 0, { timeout: 60_000 }).toBeGreaterThanOrEqual(due);
      await faults[names[kill % names.length] ?? 'the API']();
    }
    await telling;
    await expect.poll(() => arrived.at(-1), { timeout: 90_000 }).toBe(many);
    const repeats = arrived.length - new Set(arrived).size;
    console.log(
      `listen: ${many} events in ${Math.round((Date.now() - began) / 1_000)} s, ${kills} kills, ${repeats} came twice, 0 missed, 0 out of order`,
    );
    expect(problems).toEqual([]);
    expect(new Set(arrived).size).toBe(many);
    // One that nobody answered comes again, before anything younger: each is the last one or the next.
    const astray = arrived.filter((n, at) => at > 0 && ![0, 1].includes(n - (arrived[at - 1] ?? 0)));
    expect(astray).toEqual([]);
  },
  60_000 + many * 300,
);
