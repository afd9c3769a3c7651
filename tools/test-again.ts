// Tries the files of a suite that failed once more: one after the other, with nothing beside them, each anew.
// node tools/test-again.ts npm run test:e2e
import { spawnSync } from 'node:child_process';
import { readReports } from './test-reports.ts';

/** More than this is no matter of a busy machine. */
const most = 40;
const [command = 'npm', ...rest] = process.argv.slice(2);
const failed = [...readReports().values()].flatMap(({ last, first }) =>
  last.status === 'failed' && !first ? [last.name] : [],
);
if (failed.length === 0 || failed.length > most) process.exit(1);
console.log(`\n${failed.length} failed, and are tried once more by themselves:\n${failed.join('\n')}`);
const { status } = spawnSync(command, [...rest, '--', '--maxWorkers=1', ...failed], {
  stdio: 'inherit',
  env: { ...process.env, TESTS_AGAIN: '1' },
});
process.exit(status ?? 1);
