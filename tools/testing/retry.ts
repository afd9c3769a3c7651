// Runs the failed files of a suite again: one after the other, with nothing in parallel.
// node tools/testing/retry.ts npm run test:e2e
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { readResults } from './results.ts';

/** More failures than this are not caused by a lack of CPU. */
const maxFiles = 40;
const [command = 'npm', ...rest] = process.argv.slice(2);
const failed = readResults().flatMap(({ last, first }) => (last.status === 'failed' && !first ? [last.file] : []));
if (failed.length === 0 || failed.length > maxFiles) process.exit(1);
console.log(`\n${failed.length} failed, and are retried alone:\n${failed.join('\n')}`);
const paths = failed.map((file) => resolve(import.meta.dirname, '../..', file));
const { status } = spawnSync(command, [...rest, '--', '--maxWorkers=1', ...paths], {
  stdio: 'inherit',
  env: { ...process.env, TEST_RETRY: '1' },
});
process.exit(status ?? 1);
