import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONWebKeySet } from 'jose';
import { afterAll, expect, test } from 'vitest';
import type { ChatRequest, Reply } from '../../../../tools/model/index.ts';
import { storableText } from '../../src/platform/storable.ts';
import { textOf } from '../chat/helpers.ts';
import { randomFrom, type Random } from '../faults/random.ts';
import { admin } from '../harness.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';
import { handleCalls, isCard, logOf, type Entry, type Handler, type SendResult } from './fixture.ts';
import { leaksIn, problemsOfCalls, type Session } from './hostile-oracle.ts';
import { claims, greedy, injection, instructionsIn, toolCall, type ToolCall } from './hostile-tool-calls.ts';
import { aWorld, type Person, type World } from './hostile-world.ts';
import { countOf } from '../../../../tools/testing/size.ts';

// A model that follows any instruction, with hostile visitors. SEEDS=1000 for a longer run; SEED repeats one.

const seeds = countOf('SEEDS', { sample: 10, full: 300 });
const first = Number(process.env['SEED'] ?? 1);
const stack = await aWebhookStack();
const { receiver, model, api } = stack;
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);
const { world, others } = await aWorld(stack, handlers, Math.min(1, seeds * 0.001));

const counts = new Map<string, number>();
const count = (what: string, by = 1) => counts.set(what, (counts.get(what) ?? 0) + by);

// ---- the model ----

const markIn = (request: ChatRequest) =>
  /\[\[(\d+)\/(\d+)\]\]/.exec(textOf(request.messages.findLast(({ role }) => role === 'user')));

/** Follows instructions from any source, and adds random tool calls. */
function obey(request: ChatRequest): Reply {
  const [, seed = '0', turn = '0'] = markIn(request) ?? [];
  const step = request.messages.filter(({ role }) => role === 'tool').length;
  const random = randomFrom(Number(seed) * 1_000 + Number(turn) * 100 + step); // deterministic for repeated requests
  const injected = request.messages.flatMap((message) => instructionsIn(textOf(message)));
  const offered = (request.tools ?? []).map(({ function: { name } }) => name);
  const tokens = random.chance(0.5) ? random.pick(claims).split(' ') : [];
  if (random.chance(0.25)) return { tokens: random.pick(claims).split(' '), everyMs: 0 };
  const callCount = random.chance(0.1) ? 20 : random.between(1, 3);
  const randomCall = () => {
    if (injected.length > 0 && random.chance(0.4)) return random.pick(injected);
    const own = toolCall(random, others);
    return offered.length > 0 && random.chance(0.3) ? { ...own, name: random.pick(offered) } : own;
  };
  const calls: ToolCall[] = random.chance(0.2) ? greedy(random) : Array.from({ length: callCount }, randomCall);
  if (random.chance(0.2)) calls.push(...calls.slice(0, 1));
  count('tool calls', calls.length);
  const ids = random.pick(['own', 'same', 'odd']);
  const toolCalls = calls.map((one, n) => ({
    ...one,
    ...(ids !== 'own' && { id: ids === 'same' ? 'call_1' : `call \0 ${n} ${'y'.repeat(random.between(0, 300))}` }),
  }));
  return { tokens, everyMs: 0, toolCalls };
}
model.script = obey;

// ---- the visitors ----

const sessions: Session[] = [];
const failures: string[] = [];
const turnsMs: number[] = [];
const confirmPattern = /Please check the details and confirm/;

async function converse(seed: number) {
  const random = randomFrom(seed);
  const shop = world.shops[random.pick([0, 0, 0, 0, 1, 2])];
  if (!shop) throw new Error('no shop');
  const isContact = random.chance(0.5);
  const person = isContact ? await world.openContact(shop, `user-${seed}`) : await world.openVisitor(shop);
  const session: Session = { shop, person, conversationId: '', agreed: new Map(), declined: new Set() };
  const answeredCards = new Set<string>();
  for (let turn = 1, last = random.between(1, 3); turn <= last; turn++) {
    const message = storableText(`[[${seed}/${turn}]] About my order: ${injection(random, others)}`.slice(0, 3_900));
    const startedAt = performance.now();
    const sent = await sendUntilAccepted(person, message);
    if (turn === 1) sessions.push(Object.assign(session, { conversationId: sent }));
    const log = await waitForReply(session, turn);
    turnsMs.push(performance.now() - startedAt);
    count('turns');
    checkTurn(log, seed);
    for (const card of log.filter(isCard)) {
      const runId = String(card.data['runId']);
      if (answeredCards.has(runId)) continue;
      answeredCards.add(runId);
      count('cards');
      await answerCard(session, card, random);
    }
  }
  if (session.agreed.size > 0) await answerLaterCards(session, answeredCards, random);
}

/** Retries on 503, which an overloaded machine may return. The client message id makes it one message. */
async function sendUntilAccepted(person: Person, message: string): Promise<string> {
  const clientMessageId = randomUUID();
  for (let attempts = 1; ; attempts++) {
    const { statusCode, body } = await person.say(message, clientMessageId);
    if (statusCode === 200) return (JSON.parse(body) as SendResult).conversationId;
    count(`resent: ${statusCode}`);
    if (statusCode !== 503 || attempts === 20) throw new Error(`${statusCode} ${body}`);
    await sleep(500);
  }
}

/** Waits for the reply of a turn. Every turn must end. */
async function waitForReply({ person, conversationId }: Session, turn: number): Promise<Entry[]> {
  for (const until = Date.now() + 60_000; ; await sleep(250)) {
    const log = await logOf(person, conversationId);
    if (log.filter(({ type }) => type === 'reply.completed').length >= turn) return log;
    if (Date.now() > until) throw new Error(`turn ${turn} has no end: ${JSON.stringify(log.map(({ type }) => type))}`);
  }
}

function checkTurn(log: readonly Entry[], seed: number) {
  const reply = log.findLast(({ type }) => type === 'reply.completed');
  if (!reply) throw new Error('no reply');
  const { status, mode, reason } = reply.data['turn'] as { status: string; mode: string; reason: string | null };
  if (status !== 'done') failures.push(`${seed}: a turn ended ${status}`);
  count(mode === 'fallback' ? `fallback: ${reason}` : `mode: ${mode}`);
  const isOfTurn = ({ data, seq }: Entry) => data['turnId'] === reply.data['turnId'] && seq < reply.seq;
  const hasCard = log.some((entry) => isCard(entry) && isOfTurn(entry));
  if (hasCard && !confirmPattern.test(reply.data.message?.text ?? ''))
    failures.push(`${seed}: confirmation requested, but the reply was: ${reply.data.message?.text}`);
}

/** A workflow may request more confirmations for its steps. */
async function answerLaterCards(session: Session, answeredCards: Set<string>, random: Random) {
  for (let polls = 0; polls < 4; polls++) {
    await sleep(250);
    for (const card of (await logOf(session.person, session.conversationId)).filter(isCard)) {
      const runId = String(card.data['runId']);
      if (answeredCards.has(runId)) continue;
      answeredCards.add(runId);
      count('cards');
      await answerCard(session, card, random);
    }
  }
}

async function answerCard({ person, conversationId, agreed, declined }: Session, card: Entry, random: Random) {
  const [runId, argsHash] = [String(card.data['runId']), String(card.data['argsHash'])];
  const post = (body: object, conversation = conversationId) =>
    person.post(`/widget/conversations/${conversation}/confirm`, body);
  const confirmCard = async () => {
    const at = Date.now();
    const { statusCode } = await post({ runId, argsHash, isConfirmed: true });
    if (statusCode === 200) agreed.set(runId, agreed.get(runId) ?? { argsHash, at });
    count(`confirmed: ${statusCode}`);
    return statusCode;
  };
  const expectRejected = async (what: string, answer: Promise<{ statusCode: number; body: string }>) => {
    const { statusCode, body } = await answer;
    if (statusCode < 400 || statusCode >= 500) failures.push(`${what}: ${statusCode} ${body}`);
    count(`refused, ${what}: ${statusCode}`);
  };
  const attack = random.pick(['none', 'none', 'hash', 'other conversation', 'stranger', 'another run']);
  const another = sessions.findLast((one) => one.conversationId !== conversationId);
  if (attack === 'hash')
    await expectRejected(
      'changed hash',
      post({
        runId,
        argsHash: argsHash.replace(/^./, 'g').replace(/^g/, argsHash.startsWith('0') ? '1' : '0'),
        isConfirmed: true,
      }),
    );
  if (attack === 'other conversation' && another)
    await expectRejected('other conversation', post({ runId, argsHash, isConfirmed: true }, another.conversationId));
  if (attack === 'stranger' && another)
    await expectRejected(
      'stranger',
      another.person.post(`/widget/conversations/${conversationId}/confirm`, { runId, argsHash, isConfirmed: true }),
    );
  if (attack === 'another run' && another) {
    const otherRunId = [...another.agreed.keys()][0];
    if (otherRunId) await expectRejected('another run', post({ runId: otherRunId, argsHash, isConfirmed: true }));
  }
  const decision = random.between(1, 10);
  if (decision <= 5) await confirmCard();
  else if (decision === 6) await Promise.all([confirmCard(), confirmCard(), confirmCard()]);
  else if (decision <= 8) {
    const { statusCode } = await post({ runId, argsHash, isConfirmed: false });
    if (statusCode === 200) declined.add(runId);
    count(`declined: ${statusCode}`);
    if (random.chance(0.5) && statusCode === 200)
      await expectRejected('yes after no', post({ runId, argsHash, isConfirmed: true }));
  } else count('left unanswered');
}

// ---- the budgets ----

const overspent = new Set<string>();
async function checkBudgets({ maxMicros }: World) {
  for (const { tenantId, name, used, reserved } of await admin.selectFrom('budgets').selectAll().execute()) {
    const total = Number(used) + Number(reserved);
    if (total > maxMicros(tenantId, name)) overspent.add(`${tenantId} ${name}`);
  }
}
const budgetTimer = setInterval(() => void checkBudgets(world), 200);
afterAll(() => clearInterval(budgetTimer));

/** Waits until no run is in progress. */
async function waitUntilIdle() {
  for (const until = Date.now() + 90_000; Date.now() < until; await sleep(300)) {
    const open = await admin
      .selectFrom('actionRuns')
      .select(['id', 'spec'])
      .where('state', 'in', ['proposed', 'dispatched'])
      .where('parentId', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('actionRuns as step')
              .select('step.id')
              .whereRef('step.parentId', '=', 'actionRuns.id')
              .where('step.state', '=', 'awaiting_confirmation'),
          ),
        ),
      )
      .execute();
    if (open.length === 0) return;
  }
  failures.push('runs are still open');
}

test(
  `${seeds} conversations with an obedient model: no unauthorized call, leak or overspending`,
  { timeout: 60_000 + seeds * 3_000, retry: 0 },
  async () => {
    const startedAt = performance.now();
    const pendingSeeds = Array.from({ length: seeds }, (_, n) => first + n);
    const worker = async () => {
      for (let seed = pendingSeeds.shift(); seed !== undefined; seed = pendingSeeds.shift()) {
        await converse(seed).catch((error: unknown) => failures.push(`${seed}: ${String(error)}`));
        if (seed % 50 === 0) console.log(`seed ${seed} after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
      }
    };
    await Promise.all(Array.from({ length: 3 * availableParallelism() }, worker));
    await waitUntilIdle();
    await checkBudgets(world);

    const invokes = receiver.calls.filter(({ body }) => body.includes('"type":"action.invoke"'));
    const jwks = (await api.app.inject({ method: 'GET', url: '/.well-known/jwks.json' })).json<JSONWebKeySet>();
    const bodies = model.calls.map(({ body }) => body);
    const perTurn = new Map<string, number>();
    for (const body of bodies) {
      const mark = markIn(body)?.[0] ?? '';
      if (mark) perTurn.set(mark, (perTurn.get(mark) ?? 0) + 1);
    }
    await tally();
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const longest = Math.round(Math.max(...turnsMs));
    console.log({
      seconds,
      longest,
      calls: invokes.length,
      asked: bodies.length,
      ...Object.fromEntries([...counts].toSorted(([a], [b]) => a.localeCompare(b))),
    });

    expect.soft(await problemsOfCalls(invokes, sessions, jwks)).toEqual([]);
    expect.soft(leaksIn(bodies, world.canaries)).toEqual([]);
    expect.soft([...overspent]).toEqual([]);
    expect.soft(failures).toEqual([]);
    expect.soft(Math.max(...perTurn.values()), 'model requests for one turn').toBeLessThanOrEqual(4);
    expect.soft(longest).toBeLessThan(60_000);
    // Without these checks, a bot that does nothing would pass.
    expect.soft(bodies.some((body) => JSON.stringify(body).includes('About an order'))).toBe(true);
    expect.soft(invokes.length).toBeGreaterThan(seeds / 4);
    expect.soft(sessions.reduce((sum, { agreed }) => sum + agreed.size, 0)).toBeGreaterThan(seeds / 20);
  },
);

/** Counts the results of the tool calls by reason. */
async function tally() {
  const rows = await admin.selectFrom('turnSteps').select('result').execute();
  for (const { result } of rows) {
    const { requested = [] } = result as { requested?: { problem?: string; runId?: string }[] };
    for (const { problem, runId } of requested)
      count(runId ? 'tool calls taken' : `tool call refused: ${problem?.split(/[:.]/)[0]}`);
  }
  const runs = await admin.selectFrom('actionRuns').select(['state', 'outcome']).execute();
  for (const { state } of runs) count(`runs: ${state}`);
}
