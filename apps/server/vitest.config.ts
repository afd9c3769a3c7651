import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { reportOf } from '../../tools/test-reports.ts';

/** What measures time wants the machine for itself: `npm run test:alone`, after all others. */
const alone = 'test/**/*.alone.test.ts';
const isAlone = process.env['TESTS'] === 'alone';

const project = (name: string, include: string[], more: object = {}) => ({
  extends: true as const,
  test: { name: { label: name, color: 'blue' as const }, include, ...more },
});

export default defineConfig({
  test: {
    projects: isAlone
      ? [project('alone', [alone])]
      : [
          // Small files, many of them: those of one worker keep the packages that are loaded, and nothing of ours.
          project('beside', ['src/**/*.test.ts'], { isolate: false, setupFiles: 'test/fresh-modules.ts' }),
          project('whole', ['test/**/*.test.ts'], { exclude: [alone] }),
        ],
    globalSetup: 'test/global-setup.ts',
    maxWorkers: 1 + availableParallelism(), // much of a test is waiting
    pool: 'forks', // a test may kill its own connections and processes
    testTimeout: 40_000, // a machine that builds may lend half of itself to others
    hookTimeout: 90_000,
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default', ['json', { outputFile: reportOf(isAlone ? 'server-alone' : 'server') }]],
  },
});
