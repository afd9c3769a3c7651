import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { randomFrom, rounds, seed } from '../faults/random.ts';
import type { Kind } from './fault-bot.ts';
import { aFaultStack, type Component } from './fault-stack.ts';
import type { Invocation } from './fixture.ts';
import { aPatientVisitor, type Visitor } from './patient-visitor.ts';
import { compareAll, waitUntilIdle } from './truth.ts';

// Kills components while visitors run actions. The tenant's backend records its own effects, which are compared at the end.

const timeoutMs = 5_000;
const stack = await aFaultStack('actions', timeoutMs);
const { apiUrl, bot, root, proxy, tenantSystem, children, restate, killing, starting, areReady } = stack;

// ---- at chosen points: a run of each effect mode, and a workflow at each step and compensation, is brought to the same point
// of a call. The points cover all gaps between two durable writes. ----

/** The action whose call is interrupted, and how many confirmations precede it. */
const targets = [
  { kind: 'idempotent', at: 'cancel_order', before: 0 },
  { kind: 'reconcile', at: 'book_courier', before: 0 },
  { kind: 'at_most_once', at: 'send_voucher', before: 0 },
  { kind: 'workflow', at: 'reserve', before: 1 },
  { kind: 'workflow', at: 'charge', before: 2 },
  { kind: 'workflow', at: 'release', before: 2 },
] satisfies Target[];

interface Target {
  kind: Kind;
  at: string;
  before: number;
}
type TargetedVisitor = Visitor & Target;
const visitors: Visitor[] = [];
let roundCount = 0; // also counts incomplete rounds

/** Starts a visitor for each target, up to the confirmation of its call. */
async function startRound(): Promise<TargetedVisitor[]> {
  const round = roundCount++;
  const targeted = await Promise.all(
    targets.map(async (target, index) => {
      // The charge of orders whose number ends with 0 is rejected, so the reservation is released.
      const n = 20 * round + (target.at === 'release' ? 0 : 1 + index);
      const visitor = await aPatientVisitor(apiUrl, bot, { kind: target.kind, n });
      for (let agreed = 0; agreed < target.before; agreed++) await visitor.confirm();
      await visitor.waitFor('the card', 'confirmation.required', target.before + 1);
      return { ...visitor, ...target };
    }),
  );
  visitors.push(...targeted);
  return targeted;
}

/** Blocks each target's call until all have arrived and `release` is called. */
function createBarrier(targeted: readonly Pick<TargetedVisitor, 'orderId' | 'at'>[]) {
  const arrived = new Set<string>();
  const [allArrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = async ({ action, input }: Invocation) => {
    const orderId = String(input['orderId']);
    if (arrived.has(orderId) || !targeted.some((one) => one.orderId === orderId && one.at === action)) return;
    arrived.add(orderId);
    if (arrived.size === targeted.length) allArrived.resolve();
    await released.promise;
  };
  return { wait, allArrived: allArrived.promise, release: () => released.resolve() };
}

const confirmAll = (targeted: readonly TargetedVisitor[]) => Promise.all(targeted.map((one) => one.confirm()));

/** The run of each target's call. */
async function rowsOf(targeted: readonly TargetedVisitor[]) {
  const { rows } = await sql<{ conversationId: string; name: string; isOpenCall: boolean; isEnded: boolean }>`
    select conversation_id, spec ->> 'name' as name, outcome is not null as is_ended,
      jsonb_array_length(attempts) = 1 and attempts -> 0 ->> 'end' is null as is_open_call
    from action_runs where conversation_id = any(${targeted.map((one) => one.conversationId)})`.execute(root);
  return targeted.map((one) => rows.find((row) => row.conversationId === one.conversationId && row.name === one.at));
}
const until = (what: string, condition: () => Promise<boolean>) =>
  expect.poll(condition, { timeout: 20_000, interval: 20, message: what }).toBe(true);
const allOf = (targeted: readonly TargetedVisitor[], what: 'isOpenCall' | 'isEnded') => async () =>
  (await rowsOf(targeted)).every((row) => row?.[what]);
const callsOf = (targeted: readonly TargetedVisitor[]) =>
  targeted.flatMap((one) => tenantSystem.effectsOf(one.at, one.orderId)).length;

async function kill(component: Component) {
  await killing[component]();
  await sleep(100);
}

/** Each brings the targets to its point and kills the component there. The component is started again afterwards. */
const crashPoints: Record<string, (targeted: TargetedVisitor[], component: Component) => Promise<void>> = {
  async 'confirmed, not yet processed'(targeted, component) {
    children.worker.signal('SIGSTOP'); // so that the event is not processed
    await confirmAll(targeted);
    await Promise.all([kill(component), component === 'worker' ? killing.api() : undefined]);
    children.worker.signal('SIGCONT');
    if (component === 'worker') await starting.api();
    expect(callsOf(targeted)).toBe(0);
  },
  async 'stored, not yet sent'(targeted, component) {
    const compensating = targeted.filter(({ at }) => at === 'release'); // starts without a confirmation, after the charge
    const chargeBarrier = createBarrier(compensating.map((one) => ({ ...one, at: 'charge' })));
    tenantSystem.afterEffect = chargeBarrier.wait;
    await confirmAll(compensating);
    await chargeBarrier.allArrived;
    proxy.block();
    chargeBarrier.release();
    await confirmAll(targeted.filter((one) => !compensating.includes(one)));
    await until('every attempt is stored', allOf(targeted, 'isOpenCall'));
    await kill(component);
    expect(callsOf(targeted)).toBe(0);
    proxy.open();
  },
  async 'sent, not yet carried out'(targeted, component) {
    const barrier = createBarrier(targeted);
    tenantSystem.beforeEffect = barrier.wait;
    await confirmAll(targeted);
    await barrier.allArrived;
    await kill(component);
    expect(callsOf(targeted)).toBe(0);
    barrier.release();
  },
  async 'carried out, no response yet'(targeted, component) {
    const barrier = createBarrier(targeted);
    tenantSystem.afterEffect = barrier.wait;
    await confirmAll(targeted);
    await barrier.allArrived;
    await kill(component);
    expect(callsOf(targeted)).toBe(targeted.length);
    barrier.release();
  },
  async 'response received, not yet stored'(targeted, component) {
    const barrier = createBarrier(targeted);
    tenantSystem.afterEffect = barrier.wait;
    await confirmAll(targeted);
    await barrier.allArrived;
    await root
      .transaction()
      .execute(async (tx) => {
        const ids = targeted.map((one) => one.conversationId);
        await sql`select from conversations where id = any(${ids}) for update`.execute(tx);
        const ownBackend = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        barrier.release();
        const blocked = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
          where ${ownBackend.rows[0]?.pid ?? 0}::int = any(pg_blocking_pids(pid))`;
        await until(
          'all are blocked from storing',
          async () => ((await blocked.execute(tx)).rows[0]?.n ?? 0) >= targeted.length,
        );
        await kill(component);
      })
      .catch((error: unknown) => {
        if (component !== 'postgres') throw error;
      });
  },
  async 'stored, not yet journaled by Restate'(targeted, component) {
    const barrier = createBarrier(targeted);
    tenantSystem.afterEffect = barrier.wait;
    await confirmAll(targeted);
    await barrier.allArrived;
    process.kill(restate.pid() ?? 0, 'SIGSTOP');
    barrier.release();
    await until('every outcome is stored', allOf(targeted, 'isEnded'));
    await Promise.all([kill('worker'), killing.restate()]); // so that unread messages between them are lost
    if (component !== 'restate') await starting.restate();
    if (component !== 'worker') await starting.worker();
    if (component === 'postgres' || component === 'api') await kill(component);
  },
};

/** Whether the outcome of the at_most_once run is known when the worker dies at this point. */
const isOutcomeKnown = (crashPoint: string) => /^confirmed|journaled by Restate$/.test(crashPoint);

const components: readonly Component[] = rounds >= 100 ? ['worker', 'restate', 'postgres', 'api'] : ['worker'];
/** A regular test run covers a third of the points, depending on the seed. */
const selectedPoints = Object.keys(crashPoints).filter((_, n) => rounds >= 100 || n % 3 === seed % 3);
const crashes = components.flatMap((component) => selectedPoints.map((crashPoint) => ({ component, crashPoint })));

test(
  `runs have exactly one effect, compensate and report the true outcome when ${components.join(', ')} is killed at ${selectedPoints.length} points of a call`,
  { timeout: 120_000 + crashes.length * 30_000 },
  async () => {
    const ends: Promise<string>[] = [];
    for (const { component, crashPoint } of crashes) {
      const targeted = await startRound();
      await crashPoints[crashPoint]?.(targeted, component);
      await starting[component]();
      [tenantSystem.beforeEffect, tenantSystem.afterEffect] = [undefined, undefined];
      const outcomes = targeted.map((one) => one.end());
      ends.push(...outcomes);
      // The others may take longer, and the next crash may hit them too.
      const end = await outcomes[2];
      if (component === 'worker')
        expect(end, crashPoint).toMatch(isOutcomeKnown(crashPoint) ? /is done, receipt/ : /^I couldn’t confirm/);
    }
    await Promise.all(ends);
    await waitUntilIdle(root, 90_000);
    const { tally, exhausted } = await compareAll(root, tenantSystem, visitors);
    console.log(
      `actions: FAULT_SEED=${seed} ${crashes.length} crashes at ${selectedPoints.length} points, ${visitors.length} runs; backend calls ${JSON.stringify(tenantSystem.counts)}; outcomes ${JSON.stringify(tally)}`,
    );
    expect(exhausted).toBe(0);
  },
);

test('does not resend a call that was reset but carried out within its deadline', { timeout: 120_000 }, async () => {
  const cut = new Set<string>();
  tenantSystem.behaviorOf = ({ id, type }) =>
    type === 'action.invoke' && cut.size < cut.add(id).size ? 'resets, then runs' : 'normal';
  const writeKinds = ['idempotent', 'reconcile', 'at_most_once', 'workflow'] as const;
  const visitorsStarting = writeKinds.map((kind, index) => aPatientVisitor(apiUrl, bot, { kind, n: 5_001 + index }));
  const started = await Promise.all(visitorsStarting);
  await Promise.all(started.map((visitor) => visitor.end()));
  await sleep(timeoutMs); // by now every reset call has started
  tenantSystem.behaviorOf = () => 'normal';
  await waitUntilIdle(root, 60_000);
  const { tally } = await compareAll(root, tenantSystem, started);
  expect(cut.size).toBe(5); // the workflow's two steps are two calls
  expect(tally).toMatchObject({ reconcile: { 'succeeded succeeded': 1 }, workflow: { 'succeeded succeeded': 1 } });
  expect(started.flatMap(({ orderId }) => tenantSystem.effectsOf('send_voucher', orderId))).toHaveLength(1);
});

// ---- at random points, while the backend responds late, wrongly or not at all ----

const random = randomFrom(seed);
const perMode = rounds;
const fewRuns = Math.ceil(2 + perMode / 10);
const concurrency = perMode >= 100 ? 24 : 4;
const minKills = 3; // a slow machine may need long for the first ones
/** The sample ends with a wipe of Restate, and then lets all runs finish. */
const maxKills = perMode >= 100 ? Infinity : minKills;
const runsByKind: Record<Kind, number> = {
  idempotent: perMode,
  reconcile: perMode,
  at_most_once: perMode,
  read: fewRuns,
  workflow: fewRuns,
};
/** Order numbers are unique, also across tests and their retries, because the backend keeps its records. */
let orders = 10_000;
const all = Object.values(runsByKind).reduce((sum, n) => sum + n, 0);

const faults: Record<string, () => Promise<unknown>> = {
  ...Object.fromEntries(
    (['worker', 'api', 'restate', 'postgres'] as const).map((component) => [
      component,
      async () => {
        await killing[component]();
        await sleep(random.between(0, 500));
        await starting[component]();
      },
    ]),
  ),
  'every connection': stack.terminateConnections,
};

/** All runs of each kind, in random order. */
function shuffled(): Kind[] {
  const remaining = { ...runsByKind };
  return Array.from({ length: all }, () => {
    const kind = random.pick(
      (Object.keys(remaining) as Kind[]).flatMap((one) => Array<Kind>(remaining[one]).fill(one)),
    );
    remaining[kind]--;
    return kind;
  });
}

test(
  `${perMode} runs of each effect mode have exactly one effect and report the true outcome, while worker, API, Restate and PostgreSQL are killed`,
  { timeout: 600_000 + all * 3_000 },
  async () => {
    console.log(`actions: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    tenantSystem.injectFaults(random, 0.3);
    let isDone = false;
    const killCounts: Record<string, number> = {};
    const visitors: Visitor[] = [];
    const wipeAt = new Set([all >> 2, all >> 1]);
    const kills = () => Object.values(killCounts).reduce((sum, n) => sum + n, 0);
    const faultLoop = (async () => {
      for (let downMs = 0; !isDone && kills() < maxKills;) {
        await sleep(downMs + random.between(1_000, 4_000)); // up for longer than it was down, on any machine
        if (isDone) break;
        const isWipeDue = [...wipeAt].some((threshold) => visitors.length >= threshold && wipeAt.delete(threshold));
        const isWipe = isWipeDue || kills() === maxKills - 1;
        const name = isWipe ? 'restate wiped' : random.pick(Object.keys(faults));
        killCounts[name] = (killCounts[name] ?? 0) + 1;
        const startedAt = Date.now();
        await (isWipe ? stack.wipe() : faults[name]?.());
        await areReady();
        downMs = Date.now() - startedAt;
      }
    })();

    const shuffledKinds = shuffled();
    let started = 0;
    const runVisitors = async () => {
      while (started < all || (kills() < minKills && started < 4 * all)) {
        const kind = shuffledKinds[started++ % all] ?? 'read';
        const visitor = await aPatientVisitor(apiUrl, bot, { kind, n: orders++ });
        if (kind !== 'read') await visitor.confirm();
        await visitor.end();
        visitors.push(visitor);
      }
    };
    const startedAt = Date.now();
    const seconds = () => Math.round((Date.now() - startedAt) / 1_000);
    try {
      await Promise.all(Array.from({ length: concurrency }, runVisitors));
    } finally {
      isDone = true;
      await faultLoop;
    }
    const visitorSeconds = seconds();
    await areReady();
    await waitUntilIdle(root, 240_000);

    const { tally, exhausted } = await compareAll(root, tenantSystem, visitors);
    console.log(
      `actions: ${started} runs in ${visitorSeconds} s, idle after ${seconds()} s; killed ${JSON.stringify(killCounts)}; backend calls ${JSON.stringify(tenantSystem.counts)}; outcomes ${JSON.stringify(tally)}, ${exhausted} after all retries`,
    );
    expect(kills()).toBeGreaterThanOrEqual(minKills);
    expect(exhausted, 'ended after all retries although the backend had responded').toBeLessThanOrEqual(
      Math.max(2, Math.ceil(perMode / 20)),
    );
  },
);
