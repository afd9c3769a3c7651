import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import type { ModelServer } from '../tools/model/index.ts';
import { freePort, type Stack } from '../tools/stack/index.ts';
import { agent, anIp, built, call, median, openSession, type Target } from './chat-client.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 8);
const verdict = (isMet: boolean) => (isMet ? 'met' : 'NOT MET');

export async function chatBench(settings: Record<string, string>, target: Target, stack: Stack, model: ModelServer) {
  const api = runEntry(built.api, settings);
  const worker = runEntry(built.worker, settings);
  await waitFor(`${target.apiUrl}/health/ready`);
  await waitForService(stack, 'Conversation');
  try {
    await sessions(target);
    await turns(target, settings, stack);
    await firstToken(target, model);
  } finally {
    agent.destroy();
    await Promise.all([api.stop(), worker.stop()]);
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
async function sessions(target: Target) {
  const { publicKey, botId, site, apiUrl } = target;
  const port = await freePort();
  const { sessionToken } = await openSession(target);
  const claims = Buffer.from(sessionToken.split('.')[1] ?? '', 'base64url').toString();
  const bare = runEntry('bench/bare-session.ts', { PORT: String(port), BARE_CLAIMS: claims });
  const bareUrl = `http://127.0.0.1:${port}`;
  for (let attempts = 0; attempts < 300; attempts++) {
    const isUp = await call('POST', `${bareUrl}/hand`, { body: {} }).catch(() => undefined);
    if (isUp) break;
    await sleep(100);
  }
  const body = JSON.stringify({ publicKey, botId, visitorId: 'bench' });
  const rate = async (url: string) => {
    const run = await autocannon({
      url,
      connections: 20,
      duration: 2,
      requests: [
        {
          method: 'POST',
          body,
          setupRequest: (request) => ({
            ...request,
            headers: { 'content-type': 'application/json', origin: site, 'x-forwarded-for': anIp() },
          }),
        },
      ],
    });
    if (run.non2xx > 0) throw new Error(`${run.non2xx} responses of ${url} were not successful`);
    return run.requests.average;
  };
  const ours = () => rate(`${apiUrl}/widget/sessions/anonymous`);
  await ours(); // warm
  const runs: { ours: number; library: number; hand: number }[] = [];
  for (let round = 0; round < rounds; round++)
    runs.push({ ours: await ours(), library: await rate(`${bareUrl}/library`), hand: await rate(`${bareUrl}/hand`) });
  await bare.stop();
  const [library, hand] = (['library', 'hand'] as const).map((variant) =>
    median(runs.map((run) => run.ours / run[variant])),
  );
  const perSecond = (variant: 'ours' | 'library' | 'hand') => Math.round(median(runs.map((run) => run[variant])));
  console.log(
    `session: ${perSecond('ours')}/s, bare route that signs with jose ${perSecond('library')}/s, ratio ${library?.toFixed(2)} (goal 0.60 or more: ${verdict((library ?? 0) >= 0.6)}); that signs by hand, as we do, ${perSecond('hand')}/s, ratio ${hand?.toFixed(2)}`,
  );
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
async function turns(target: Target, settings: Record<string, string>, stack: Stack) {
  const bare = runEntry('bench/bare-worker.ts', { ...settings, WORKER_PORT: String(await freePort()) });
  await waitForService(stack, 'Bare');
  const steps = 1; // a turn without a model is one step
  let session = await openSession(target);
  let sent = 0;
  const ours = async () => {
    if (++sent % turnsEach === 0) session = await openSession(target);
    const { headers, sessionToken } = session;
    const message = questions[Math.floor(Math.random() * questions.length)];
    const startedAt = performance.now();
    const response = await call('POST', `${target.apiUrl}/widget/chatbots/${target.botId}/message`, {
      headers,
      body: { sessionToken, message },
    });
    if (!response.includes('"status":"done"')) throw new Error(response);
    return performance.now() - startedAt;
  };
  let count = 0;
  const bareCall = async () => {
    const startedAt = performance.now();
    await call('POST', `${stack.restate.ingressUrl}/Bare/k${count++}/run`, { body: { steps } });
    return performance.now() - startedAt;
  };
  for (let n = 0; n < 30; n++) await Promise.all([ours(), bareCall()]); // warm
  const [times, bareTimes]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds * 40; n++) {
    times.push(await ours());
    bareTimes.push(await bareCall());
  }
  await bare.stop();
  const ratio = median(times) / median(bareTimes);
  console.log(
    `extractive turn: p50 ${median(times).toFixed(1)} ms, bare object call with ${steps} journaled steps ${median(bareTimes).toFixed(1)} ms, ratio ${ratio.toFixed(2)} (goal 2.00 or less: ${verdict(ratio <= 2)})`,
  );
}

/** From the visitor's request to the first token, compared with the model server itself. */
async function firstToken(target: Target, model: ModelServer) {
  const modelTarget = { ...target, ...target.modelBot };
  model.script = () => ({ tokens: ['One', 'two', 'three', 'four', 'five'], everyMs: 5, firstAfterMs: 20 });
  const direct = async () => {
    const startedAt = performance.now();
    const body = { model: 'demo', stream: true, messages: [{ role: 'user', content: 'hello' }] };
    await call('POST', `${model.url}/chat/completions`, { body, onData: (text) => text.includes('"content"') });
    return performance.now() - startedAt;
  };
  const ours = async () => {
    const { headers, sessionToken } = await openSession(modelTarget);
    const startedAt = performance.now();
    await call('POST', `${target.apiUrl}/widget/chatbots/${modelTarget.botId}/message`, {
      headers: { ...headers, accept: 'text/event-stream' },
      body: { sessionToken, message: 'what does delivery cost' },
      onData: (text) => text.includes('event: reply.delta'),
    });
    return performance.now() - startedAt;
  };
  for (let n = 0; n < 20; n++) await Promise.all([ours(), direct()]);
  const [times, directTimes]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds * 25; n++) {
    times.push(await ours());
    directTimes.push(await direct());
  }
  const added = median(times) - median(directTimes);
  console.log(
    `first word: p50 ${median(times).toFixed(1)} ms, the model server itself ${median(directTimes).toFixed(1)} ms, ${added.toFixed(1)} ms added (goal 30 or less: ${verdict(added <= 30)})`,
  );
}
