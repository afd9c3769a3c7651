import { mock } from 'node:test';

const realNow = Date.now();
mock.timers.enable({ apis: ['Date'], now: realNow });

/** This process's clock, moved. Only `Date` is mocked: timers and the database are not. */
export const clock = {
  /** When the process started, by the real clock. */
  realNow,
  set: (time: number) => mock.timers.setTime(time),
  advance: (ms: number) => mock.timers.setTime(Date.now() + ms),
  stop: () => mock.timers.reset(),
};

/** Random numbers that are the same on each start (mulberry32). */
export function randomFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (min: number, max: number) => Math.floor(min + next() * (max - min + 1)),
    chance: (share: number) => next() < share,
    pick: <T>(items: readonly T[]): T => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
export type Random = ReturnType<typeof randomFrom>;
