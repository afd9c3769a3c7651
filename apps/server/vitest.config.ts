import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    maxWorkers: Math.max(2, availableParallelism()), // much of a test is waiting, also on two cores
    pool: 'forks', // a test may kill its own connections and processes
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: ['default', ['json', { outputFile: '../../.stack/test-results/server.json' }]],
  },
});
