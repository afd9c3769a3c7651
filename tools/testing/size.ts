// How much a test does: a sample in `.ci/run`, everything in `.ci/full`. Each test defines both sizes in one place.

/** `TEST_SIZE=full`: every combination, every round. */
export const isFull = process.env['TEST_SIZE'] === 'full';

/** A count that the environment may override by name: `FAULT_ROUNDS=500 npm test -- test/faults`. */
export const countOf = (name: string, { sample, full }: { sample: number; full: number }) =>
  Number(process.env[name] ?? (isFull ? full : sample));

/** The sample is the same in every run, so that failures are caused by changes; a full run uses a new seed and prints it. */
export const seedFrom = (name: string) =>
  Number(process.env[name] ?? (isFull ? Math.floor(Math.random() * 2 ** 31) : 1));
