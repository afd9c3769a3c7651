import { countOf, seedFrom } from '../../../../tools/testing/size.ts';

/** Reproducible random faults: FAULT_SEED repeats a run, FAULT_ROUNDS makes it longer. */
export const rounds = countOf('FAULT_ROUNDS', { sample: 3, full: 100 });
export const seed = seedFrom('FAULT_SEED');

export type Random = ReturnType<typeof randomFrom>;

/** mulberry32: small, and the same on every machine. */
export function randomFrom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  /** An integer, both ends included. */
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    /** From 0 to below 1. */
    next,
    between,
    chance: (probability: number) => next() < probability,
    pick: <T>(items: readonly T[]): T => {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
