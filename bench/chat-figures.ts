import { setTimeout as sleep } from 'node:timers/promises';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import type { ModelServer } from '../tools/model/index.ts';
import { freePort, type Stack } from '../tools/stack/index.ts';
import { agent, anIp, call, openSession, type Target } from './chat-client.ts';
import { compare, type Comparison } from './figures/comparison.ts';
import { result, type Result } from './figures/result.ts';
import { median, msOf } from './figures/stats.ts';
import { compareRoutes, loadRoute } from './load.ts';
import { built, type OnEnd } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 8);

interface ChatDeps {
  settings: Record<string, string>;
  target: Target;
  stack: Stack;
  model: ModelServer;
}

export async function chatFigures({ settings, target, stack, model }: ChatDeps): Promise<Result[]> {
  const api = runEntry(built.api, settings);
  const started: (() => unknown)[] = [api.stop, runEntry(built.worker, settings).stop];
  const onEnd: OnEnd = (stop) => started.push(stop);
  try {
    await waitFor(`${target.apiUrl}/health/ready`);
    await waitForService(stack, 'Conversation');
    const sessions = await openedSessions({ ...target, api }, { duration: 2, onEnd });
    const turns = await extractiveTurns(target, stack, { settings, perRound: 40, onEnd });
    return [
      await compare(sessions.byRate, rounds),
      await compare(sessions.byCpu, rounds),
      await compare(sessions.byHand, rounds),
      await compare(turns, rounds),
      await firstToken(target, model),
    ];
  } finally {
    agent.destroy();
    await Promise.all(started.map((stop) => stop()));
  }
}

export async function waitForService(stack: Stack, service: string) {
  for (let attempts = 0; attempts < 300; attempts++) {
    const services = await fetch(`${stack.restate.adminUrl}/services`).then((response) => response.text());
    if (services.includes(`"${service}"`)) return;
    await sleep(100);
  }
  throw new Error(`${service} was not registered`);
}

/** Opening a session: key, origin, limit, bot and two tokens, compared with signing one. */
export async function openedSessions(
  target: Target & { api: { pid: number | undefined } },
  { duration, onEnd, env = {} }: { duration: number; onEnd: OnEnd; env?: Record<string, string> },
) {
  const { publicKey, botId, site, apiUrl, api } = target;
  const port = await freePort();
  const { sessionToken } = await openSession(target);
  const claims = Buffer.from(sessionToken.split('.')[1] ?? '', 'base64url').toString();
  const bare = runEntry('bench/bare-session.ts', { ...env, PORT: String(port), BARE_CLAIMS: claims });
  onEnd(bare.stop);
  const bareUrl = `http://127.0.0.1:${port}`;
  for (let attempts = 0; attempts < 300; attempts++) {
    const isUp = await call('POST', `${bareUrl}/hand`, { body: {} }).catch(() => undefined);
    if (isUp) break;
    await sleep(100);
  }
  const body = JSON.stringify({ publicKey, botId, visitorId: 'bench' });
  const headers = { 'content-type': 'application/json', origin: site };
  const opening = {
    method: 'POST',
    body,
    setupRequest: (request: object) => ({ ...request, headers: { ...headers, 'x-forwarded-for': anIp() } }),
  } as const;
  const load = (pid: number | undefined, url: string) =>
    loadRoute(pid, { url, connections: 20, duration, requests: [opening] });
  const ours = () => load(api.pid, `${apiUrl}/widget/sessions/anonymous`);
  const peer = () => load(bare.pid, `${bareUrl}/library`);
  for (let n = 0; n < 3; n++) for (const measure of [ours, peer]) await measure(); // warm
  return {
    ...compareRoutes(
      {
        name: 'opening a widget session (key, page origin, rate limit, bot, two tokens)',
        unit: 'per second',
        peerName: 'a bare Fastify route that signs the token with `jose`',
      },
      { ours, peer },
    ),
    byHand: {
      name: 'the same',
      unit: 'per second',
      peerName: 'one that signs by hand, as Parley does',
      ours: async () => (await ours()).rate,
      peer: async () => (await load(bare.pid, `${bareUrl}/hand`)).rate,
    },
  };
}

const questions = [
  'how long do I have to send it back',
  'what does delivery cost',
  'when is the shop open',
  'how do I store the battery in winter',
];
/** A few questions in one conversation, as a visitor asks them. */
const turnsEach = 8;

/** A turn without a model, from the visitor's request to the reply, compared with an object call with as many steps. */
export async function extractiveTurns(
  target: Target,
  stack: Stack,
  { settings, perRound, onEnd }: { settings: Record<string, string>; perRound: number; onEnd: OnEnd },
): Promise<Comparison> {
  const bare = runEntry('bench/bare-worker.ts', { ...settings, WORKER_PORT: String(await freePort()) });
  onEnd(bare.stop);
  await waitForService(stack, 'Bare');
  const steps = 1; // a turn without a model is one step
  let session = await openSession(target);
  let sent = 0;
  const turn = async () => {
    if (++sent % turnsEach === 0) session = await openSession(target);
    const { headers, sessionToken } = session;
    const message = questions[Math.floor(Math.random() * questions.length)];
    return msOf(async () => {
      const url = `${target.apiUrl}/widget/chatbots/${target.botId}/message`;
      const response = await call('POST', url, { headers, body: { sessionToken, message } });
      if (!response.includes('"status":"done"')) throw new Error(response);
    });
  };
  let count = 0;
  const objectCall = () =>
    msOf(() => call('POST', `${stack.restate.ingressUrl}/Bare/k${count++}/run`, { body: { steps } }));
  const medianOf = (one: () => Promise<number>) => async () => {
    const times: number[] = [];
    for (let n = 0; n < perRound; n++) times.push(await one());
    return median(times);
  };
  for (let n = 0; n < 30; n++) await Promise.all([turn(), objectCall()]); // warm
  return {
    name: 'a full turn without a model, from the visitor’s request to the answer (p50)',
    unit: 'ms',
    peerName: `a Restate object call with as many journaled steps (${steps})`,
    goal: { atMost: 1.8 },
    ours: medianOf(turn),
    peer: medianOf(objectCall),
  };
}

/** From the visitor's request to the first token, compared with the model server itself. */
async function firstToken(target: Target, model: ModelServer): Promise<Result> {
  const modelTarget = { ...target, ...target.modelBot };
  model.script = () => ({ tokens: ['One', 'two', 'three', 'four', 'five'], everyMs: 5, firstAfterMs: 20 });
  const direct = () => {
    const body = { model: 'demo', stream: true, messages: [{ role: 'user', content: 'hello' }] };
    const onData = (text: string) => text.includes('"content"');
    return msOf(() => call('POST', `${model.url}/chat/completions`, { body, onData }));
  };
  const ours = async () => {
    const { headers, sessionToken } = await openSession(modelTarget);
    return msOf(() =>
      call('POST', `${target.apiUrl}/widget/chatbots/${modelTarget.botId}/message`, {
        headers: { ...headers, accept: 'text/event-stream' },
        body: { sessionToken, message: 'what does delivery cost' },
        onData: (text) => text.includes('event: reply.delta'),
      }),
    );
  };
  for (let n = 0; n < 20; n++) await Promise.all([ours(), direct()]); // warm
  const [times, directTimes]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds * 25; n++) {
    times.push(await ours());
    directTimes.push(await direct());
  }
  const [total, itself] = [median(times), median(directTimes)];
  return result({
    name: 'what Parley adds until the first streamed token (p50)',
    value: total - itself,
    unit: 'ms',
    goal: { atMost: 25 },
    rounds: rounds * 25,
    note: `${total.toFixed(1)} ms, of which the model server itself takes ${itself.toFixed(1)} ms`,
  });
}
