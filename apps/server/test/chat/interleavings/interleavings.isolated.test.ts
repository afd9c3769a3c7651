import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countOf, isFull, seedFrom } from '../../../../../tools/testing/size.ts';
import { aChat } from './chat.ts';
import { aStack } from './stack.ts';
import { interleaving, type Interleaving } from './steps.ts';
import { emptyTally, violationsOf } from './violations.ts';

// `npm run test:interleavings` runs 10,000. INTERLEAVING_SEED repeats a run.

const count = countOf('INTERLEAVINGS', { sample: 150, full: 10_000 });
const seed = seedFrom('INTERLEAVING_SEED');
const concurrent = 12;

const stack = await aStack();
const tally = { ...emptyTally(), steps: 0, interleavings: 0 };

async function violationsAfter({ shop, first, groups }: Interleaving): Promise<string[]> {
  const chat = aChat(stack, shop);
  await chat.step(first);
  for (const group of groups) await Promise.all(group.map(chat.step));
  await chat.settle();
  tally.interleavings++;
  tally.steps += 1 + groups.flat().length;
  return [...chat.problems, ...(await violationsOf(chat.tenantId, chat, tally))];
}

test(
  `no message of the bot follows a claim, and none of a visitor is lost, in ${count} interleavings`,
  { timeout: isFull ? 3_600_000 : 120_000, retry: 0 },
  async () => {
    const startedAt = performance.now();
    const property = fc.asyncProperty(interleaving, async (one) => {
      expect(await violationsAfter(one)).toEqual([]);
    });
    const share = Math.ceil(count / concurrent);
    const runs = Array.from({ length: concurrent }, (_, n) => fc.assert(property, { seed: seed + n, numRuns: share }));
    await Promise.all(runs);
    console.log({ seed, seconds: Math.round((performance.now() - startedAt) / 1_000), ...tally });

    // Without these, a bot that never replies would pass.
    expect(tally.claims).toBeGreaterThan(count / 3);
    expect(tally.cancelledTurns).toBeGreaterThan(count / 5);
    expect(tally.botMessages).toBeGreaterThan(count / 2);
    expect(tally.finishedWhileClaimed).toBeGreaterThan(0);
    expect(tally.releases).toBeGreaterThan(0);
    expect(tally.escalations).toBeGreaterThan(0);
    expect(tally.deltas).toBeGreaterThan(count / 5);
  },
);

test('does not call the model for a turn that a claim has ended', async () => {
  const chat = aChat(stack, 1);
  const base = { isOld: false, delayMs: 0 };
  const called = stack.model.calls.length;
  await chat.step({ kind: 'message', about: 'question', isRepeated: false, ...base });
  await chat.step({ kind: 'start', turn: 0, ...base });
  await chat.step({ kind: 'claim', agent: 0, ...base });
  await chat.step({ kind: 'model', turn: 0, ask: 1, reply: 'answer', isPaused: false, ...base });
  expect(chat.problems).toEqual([]);
  expect(stack.model.calls).toHaveLength(called);
});

test('shows nothing of a reply after a claim, whether or not the worker has heard of it', async () => {
  const base = { isOld: false, delayMs: 0 };
  // Of two signals that stop a call of the model, the stack loses one.
  for (let n = 0; n < 2; n++) {
    const chat = aChat(stack, 1);
    await chat.step({ kind: 'message', about: 'question', isRepeated: false, ...base });
    await chat.step({ kind: 'start', turn: 0, ...base });
    await chat.step({ kind: 'model', turn: 0, ask: 1, reply: 'answer', isPaused: true, ...base });
    await chat.step({ kind: 'claim', agent: 0, ...base });
    await chat.settle();
    expect([...chat.problems, ...(await violationsOf(chat.tenantId, chat, emptyTally()))]).toEqual([]);
  }
});
