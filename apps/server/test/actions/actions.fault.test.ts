import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { randomFrom, rounds, seed } from '../faults/random.ts';
import type { Kind } from './fault-bot.ts';
import { aFaultStack } from './fault-stack.ts';
import { aPatientVisitor, type Visitor } from './patient-visitor.ts';
import { compareAll, nothingIsOpen } from './truth.ts';

// Everything that a run stands on is killed at random while visitors have things done: the worker, the API, Restate and
// PostgreSQL. The tenant's system keeps a ledger of its own, answers late, wrongly or not at all, and is asked in the end.

const random = randomFrom(seed);
const { apiUrl, bot, root, tenantSystem, killing, starting, wipe, cut, areReady } = await aFaultStack('actions', 2_000);

const perMode = Math.max(6, rounds);
const some = Math.ceil(2 + perMode / 10);
const atOnce = perMode >= 100 ? 24 : 16;
const wanted: Record<Kind, number> = {
  idempotent: perMode,
  reconcile: perMode,
  at_most_once: perMode,
  read: some,
  workflow: some,
};
/** Each order is one of its own, also when the test is tried again: the tenant’s ledger has those of both. */
let orders = 0;
const all = Object.values(wanted).reduce((sum, n) => sum + n, 0);

const faults: Record<string, () => Promise<unknown>> = {
  ...Object.fromEntries(
    (['worker', 'api', 'restate', 'postgres'] as const).map((part) => [
      part,
      async () => {
        await killing[part]();
        await sleep(random.between(0, 500));
        await starting[part]();
      },
    ]),
  ),
  'every connection': cut,
};

/** All of each kind, shuffled. */
function shuffled(): Kind[] {
  const left = { ...wanted };
  return Array.from({ length: all }, () => {
    const kind = random.pick((Object.keys(left) as Kind[]).flatMap((one) => Array<Kind>(left[one]).fill(one)));
    left[kind]--;
    return kind;
  });
}

test(
  `${perMode} runs of each effect mode, while worker, API, Restate and PostgreSQL are killed: one effect each, never two, and a true end for every visitor`,
  { timeout: 600_000 + all * 3_000 },
  async () => {
    console.log(`actions: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    tenantSystem.misbehave(random, 0.3);
    let isOver = false;
    const killed: Record<string, number> = {};
    const visitors: Visitor[] = [];
    const wipeAt = new Set([all >> 2, all >> 1]);
    const destroying = (async () => {
      for (let awayMs = 0; !isOver;) {
        await sleep(awayMs + random.between(1_000, 4_000)); // well for longer than it was away, on any machine
        if (isOver) break;
        const isWipe = [...wipeAt].some((place) => visitors.length >= place && wipeAt.delete(place));
        const name = isWipe ? 'restate wiped' : random.pick(Object.keys(faults));
        killed[name] = (killed[name] ?? 0) + 1;
        const began = Date.now();
        await (isWipe ? wipe() : faults[name]?.());
        await areReady();
        awayMs = Date.now() - began;
      }
    })();

    const kindsInTurn = shuffled();
    let begun = 0;
    const kills = () => Object.values(killed).reduce((sum, n) => sum + n, 0);
    const fewest = 3; // a slow machine may be busy for long with the first of them
    const visit = async () => {
      while (begun < all || (kills() < fewest && begun < 4 * all)) {
        const kind = kindsInTurn[begun++ % all] ?? 'read';
        const visitor = await aPatientVisitor(apiUrl, bot, { kind, n: orders++ });
        if (kind !== 'read') await visitor.confirm();
        await visitor.end();
        visitors.push(visitor);
      }
    };
    const began = Date.now();
    const seconds = () => Math.round((Date.now() - began) / 1_000);
    try {
      await Promise.all(Array.from({ length: atOnce }, visit));
    } finally {
      isOver = true;
      await destroying;
    }
    const visited = seconds();
    await areReady();
    await nothingIsOpen(root, 240_000);

    const { tally, exhausted } = await compareAll(root, tenantSystem, visitors);
    console.log(
      `actions: ${begun} runs in ${visited} s, nothing open after ${seconds()} s, each told once and truly; killed ${JSON.stringify(killed)}; the tenant’s system was called ${JSON.stringify(tenantSystem.counts)}; ended ${JSON.stringify(tally)}, ${exhausted} of them after every try that there is`,
    );
    expect(kills()).toBeGreaterThanOrEqual(fewest);
    expect(exhausted, 'given up, though they might have been found out').toBeLessThanOrEqual(
      Math.max(2, Math.ceil(perMode / 20)),
    );
  },
);
