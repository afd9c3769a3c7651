// The last line of a CI run: how many tests passed and failed, over all suites.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = '.stack/test-results';
const totals = { passed: 0, failed: 0, skipped: 0 };
for (const file of readdirSync(folder)) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, number>;
  totals.passed += report['numPassedTests'] ?? 0;
  totals.failed += report['numFailedTests'] ?? 0;
  totals.skipped += report['numPendingTests'] ?? 0;
}
console.log(
  `${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`,
);
