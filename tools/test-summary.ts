// The last lines of a CI run: each test that failed, and how many passed and failed, over all suites.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Report {
  numPassedTests?: number;
  numFailedTests?: number;
  numPendingTests?: number;
  testResults?: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

const folder = '.stack/test-results';
const totals = { passed: 0, failed: 0, skipped: 0 };
for (const file of readdirSync(folder)) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Report;
  totals.passed += report.numPassedTests ?? 0;
  totals.failed += report.numFailedTests ?? 0;
  totals.skipped += report.numPendingTests ?? 0;
  for (const suite of report.testResults ?? []) {
    const failed = suite.assertionResults.filter((test) => test.status === 'failed');
    for (const test of failed)
      console.log(`✗ ${suite.name} > ${test.fullName}\n${test.failureMessages.join('\n').slice(0, 2000)}`);
    // A file that could not even be loaded has no tests to blame.
    if (suite.status === 'failed' && failed.length === 0) console.log(`✗ ${suite.name}\n${suite.message}`);
  }
}
console.log(
  `${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`,
);
