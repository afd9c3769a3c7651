import { defineConfig } from 'vitest/config';

// The drill's steps run in order, in one process. `deploy/drill/run` starts it inside the empty machine.
export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: ['drill.ts'],
    pool: 'forks',
    maxWorkers: 1,
    bail: 1,
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000, interval: 200 } },
    reporters: ['verbose'],
    disableConsoleIntercept: true,
  },
});
