// Loaded into a child process with `--import`: what would wait for half a minute or longer waits a thirtieth of that.
const real = globalThis.setTimeout;
const isLong = (ms: number) => ms >= 30_000;
globalThis.setTimeout = ((run: () => void, ms = 0, ...rest: []) =>
  real(run, isLong(ms) ? ms / 30 : ms, ...rest)) as typeof setTimeout;
