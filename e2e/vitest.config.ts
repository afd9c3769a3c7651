import { defineConfig } from 'vitest/config';
import { resultsReporter } from '../tools/testing/reporter.ts';
import { isFull } from '../tools/testing/size.ts';

// Browser stories through the whole product, as people live them.
export default defineConfig({
  test: {
    include: ['**/*.test.ts', '../{packages/portal-kit/src,apps/{portal,admin}/app}/**/*.test.ts'],
    exclude: isFull ? [] : ['**/*.full.test.ts'],
    setupFiles: '../tools/testing/cpu-time.ts',
    globalSetup: 'global-setup.ts',
    maxWorkers: 3, // much of a story is waiting
    pool: 'forks',
    isolate: false, // the files of a worker share what is loaded, and a browser
    // Limits cost nothing when all is well, and a machine may lend most of itself to others.
    testTimeout: isFull ? 600_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', resultsReporter('e2e')],
  },
});
