// The last lines of a CI run: what passed only by itself, each test that failed, and how many of each, over all suites.
import { failedIn, readReports } from './test-reports.ts';

const totals: Record<string, number> = { passed: 0, failed: 0, skipped: 0 };
for (const { last, first } of readReports().values()) {
  for (const { status } of last.assertionResults) {
    const kind = status === 'passed' || status === 'failed' ? status : 'skipped';
    totals[kind] = (totals[kind] ?? 0) + 1;
  }
  const failed = failedIn(last);
  for (const test of failed)
    console.log(`✗ ${last.name} > ${test.fullName}\n${test.failureMessages.join('\n').slice(0, 2000)}`);
  if (last.status === 'failed' && failed.length === 0) {
    totals['failed'] = (totals['failed'] ?? 0) + 1;
    console.log(`✗ ${last.name}\n${last.message}`);
  }
  if (first && last.status !== 'failed') {
    console.log(`~ ${last.name}: passed by itself, and failed beside others`);
    for (const test of failedIn(first)) console.log(`  ${test.fullName}: ${test.failureMessages[0]?.split('\n')[0]}`);
  }
}
const { passed, failed, skipped } = totals;
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
