import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** What measures time wants the machine for itself: `npm run test:alone`, after all others. */
const alone = 'test/**/*.alone.test.ts';
const isAlone = process.env['TESTS'] === 'alone';

export default defineConfig({
  test: {
    include: isAlone ? [alone] : ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: isAlone ? [] : [alone],
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/fresh-modules.ts',
    isolate: false, // see there
    maxWorkers: 1 + availableParallelism(), // much of a test is waiting
    pool: 'forks', // a test may kill its own connections and processes
    retry: 1, // dozens of servers share two cores: what fails twice is broken, and what fails once is named in the report
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: ['default', ['json', { outputFile: `../../.stack/test-results/server${isAlone ? '-alone' : ''}.json` }]],
  },
});
