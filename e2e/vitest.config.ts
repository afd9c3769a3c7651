import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { resultsReporter } from '../tools/testing/reporter.ts';
import { isFull } from '../tools/testing/size.ts';

/** Vitest starts with the largest files. Those that open every page are small, and would run alone at the end. */
class PagesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const bySize = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => /pages[^/]*\.test\.ts$/.test(moduleId);
    return [...bySize.filter(isLong), ...bySize.filter((file) => !isLong(file))];
  }
}

// End-to-end browser tests of the whole product.
export default defineConfig({
  test: {
    include: ['**/*.test.ts', '../{packages/portal-kit/src,apps/{portal,admin}/app}/**/*.test.ts'],
    exclude: isFull ? [] : ['**/*.full.test.ts', 'pages-phone.test.ts'], // its pages are in pages-desktop.test.ts then
    setupFiles: '../tools/testing/cpu-time.ts',
    globalSetup: 'global-setup.ts',
    sequence: { sequencer: PagesFirst },
    maxWorkers: 4, // half of a test is waiting
    pool: 'forks',
    isolate: false, // the files of a worker share modules and a browser
    // Generous: a busy machine is slow, and a passing test never waits for them.
    testTimeout: isFull ? 600_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', resultsReporter('e2e')],
  },
});
