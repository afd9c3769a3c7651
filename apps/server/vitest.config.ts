import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { resultsReporter } from '../../tools/testing/reporter.ts';
import { isFull } from '../../tools/testing/size.ts';

/** What measures time has the machine to itself, after all others. `npm run test:alone` runs nothing else. */
const alone = 'test/**/*.alone.test.ts';
/** A database, API and Restate to themselves, since they change settings, kill something or read across tenants. */
const isolated = '**/*.{isolated,fault}.test.ts';
/** Too long for every change: part of `.ci/full`, or by name with `TEST_SIZE=full`. */
const tooLong = isFull ? [] : ['**/*.full.test.ts'];

const cpuTime = '../../tools/testing/cpu-time.ts';
const project = (
  label: string,
  include: string[],
  { exclude = [], isShared = false, after = false }: { exclude?: string[]; isShared?: boolean; after?: boolean },
) => ({
  extends: true as const,
  test: {
    name: { label, color: 'blue' as const },
    include,
    exclude: [...exclude, ...tooLong],
    provide: { isShared },
    setupFiles: isShared ? [cpuTime] : [cpuTime, 'test/fresh-modules.ts'],
    ...(after && { maxWorkers: 1, sequence: { groupOrder: 1 } }),
  },
});

export default defineConfig({
  test: {
    projects: [
      project('isolated', [isolated], { exclude: [alone] }),
      project('shared', ['{src,test}/**/*.test.ts'], { exclude: [alone, isolated], isShared: true }),
      project('alone', [alone], { after: true }),
    ],
    isolate: false, // the files of a worker share what is loaded, which takes longer than most tests
    globalSetup: 'test/global-setup.ts',
    maxWorkers: 2 + availableParallelism(), // half of a test is waiting
    pool: 'forks', // a test may kill its own connections and processes
    testTimeout: 120_000, // limits cost nothing when all is well, and a machine may lend most of itself to others
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default', resultsReporter('server')],
  },
});
