import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { randomFrom, rounds, seed } from '../faults/random.ts';
import type { Kind } from './fault-bot.ts';
import { aFaultStack } from './fault-stack.ts';
import { aPatientVisitor, type Visitor } from './patient-visitor.ts';
import { compareAll, waitUntilIdle } from './truth.ts';

// Kills the worker, the API, Restate and PostgreSQL at random while visitors run actions. The tenant's backend responds late,
// wrongly or not at all, and records its own effects, which are compared at the end.

const random = randomFrom(seed);
const { apiUrl, bot, root, tenantSystem, killing, starting, wipe, terminateConnections, areReady } = await aFaultStack(
  'actions',
  2_000,
);

const perMode = Math.max(6, rounds);
const fewRuns = Math.ceil(2 + perMode / 10);
const concurrency = perMode >= 100 ? 24 : 16;
const runsByKind: Record<Kind, number> = {
  idempotent: perMode,
  reconcile: perMode,
  at_most_once: perMode,
  read: fewRuns,
  workflow: fewRuns,
};
/** Order numbers are unique, also across retries of the test, because the backend keeps its records. */
let orders = 0;
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
  'every connection': terminateConnections,
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
    const faultLoop = (async () => {
      for (let downMs = 0; !isDone;) {
        await sleep(downMs + random.between(1_000, 4_000)); // up for longer than it was down, on any machine
        if (isDone) break;
        const isWipe = [...wipeAt].some((threshold) => visitors.length >= threshold && wipeAt.delete(threshold));
        const name = isWipe ? 'restate wiped' : random.pick(Object.keys(faults));
        killCounts[name] = (killCounts[name] ?? 0) + 1;
        const startedAt = Date.now();
        await (isWipe ? wipe() : faults[name]?.());
        await areReady();
        downMs = Date.now() - startedAt;
      }
    })();

    const shuffledKinds = shuffled();
    let started = 0;
    const kills = () => Object.values(killCounts).reduce((sum, n) => sum + n, 0);
    const minKills = 3; // a slow machine may need long for the first ones
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
