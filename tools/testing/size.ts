// How much a test does: a sample in `.ci/run`, everything in `.ci/full`. Each test names both sizes in one place.

/** `TEST_SIZE=full`: every combination, every round. */
export const isFull = process.env['TEST_SIZE'] === 'full';

/** How many of something. The environment may also set one by name: `FAULT_ROUNDS=500 npm test -- test/faults`. */
export const countOf = (name: string, { sample, full }: { sample: number; full: number }) =>
  Number(process.env[name] ?? (isFull ? full : sample));

/** The sample is the same in every run, so that what fails is the change; a full run takes another seed each time and prints it. */
export const seedFrom = (name: string) =>
  Number(process.env[name] ?? (isFull ? Math.floor(Math.random() * 2 ** 31) : 1));
