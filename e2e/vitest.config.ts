import { defineConfig } from 'vitest/config';
import { reportOf } from '../tools/test-reports.ts';

// Browser stories through the whole product, as people live them.
export default defineConfig({
  test: {
    include: ['**/*.test.ts', '../{packages/portal-kit/src,apps/{portal,admin}/app}/**/*.test.ts'],
    globalSetup: 'global-setup.ts',
    maxWorkers: 3, // much of a story is waiting
    pool: 'forks',
    testTimeout: Number(process.env['FAULT_ROUNDS'] ?? 1) > 2 ? 600_000 : 120_000,
    hookTimeout: 120_000,
    reporters: ['default', ['json', { outputFile: reportOf('e2e') }]],
  },
});
