// The last lines of a run: where the time went, failures, retries, and the totals of all suites.
import { readPeakMemoryMb, readPhases, readResults, suites } from './results.ts';

const seconds = (ms: number) => (ms / 1_000).toFixed(ms < 10_000 ? 1 : 0);
const table = (rows: (string | number)[][]) => {
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => String(row[column]).length))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, n) => (n === 0 ? String(cell).padEnd(widths[n] ?? 0) : String(cell).padStart(widths[n] ?? 0)))
        .join('  '),
    );
};

const results = readResults();
const phases = readPhases();
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

if (phases.length > 0) {
  const total = {
    name: 'total',
    wallMs: sum(phases.map(({ wallMs }) => wallMs)),
    cpuMs: sum(phases.map(({ cpuMs }) => cpuMs)),
    stealMs: sum(phases.map(({ stealMs }) => stealMs)),
  };
  console.log('\nPhases, in seconds; CPU and steal of the whole machine');
  table([
    ['phase', 'wall time', 'CPU', 'steal'],
    ...[...phases, total].map(({ name, wallMs, cpuMs, stealMs }) => [
      name,
      seconds(wallMs),
      seconds(cpuMs),
      seconds(stealMs),
    ]),
  ]);
  const share = total.stealMs / Math.max(1, total.cpuMs + total.stealMs);
  console.log(`steal: ${(100 * share).toFixed(1)} % of the CPU time wanted; peak memory: ${readPeakMemoryMb()} MiB`);
}

console.log('\nThe 20 slowest files, in seconds; CPU is that of the test process');
table([
  ['file', 'wall time', 'CPU', 'tests'],
  ...results
    .toSorted((a, b) => b.last.wallMs - a.last.wallMs)
    .slice(0, 20)
    .map(({ last: { file, wallMs, cpuMs, passed, failed } }) => [
      file,
      seconds(wallMs),
      seconds(cpuMs),
      passed + failed,
    ]),
]);

console.log('\nSuites, in seconds summed over their files');
table([
  ['suite', 'files', 'wall time', 'CPU', 'tests'],
  ...suites.map((name) => {
    const files = results.filter(({ suite }) => suite === name).map(({ last }) => last);
    return [
      name,
      files.length,
      seconds(sum(files.map(({ wallMs }) => wallMs))),
      seconds(sum(files.map(({ cpuMs }) => cpuMs))),
      sum(files.map(({ passed, failed }) => passed + failed)),
    ];
  }),
]);

console.log();
const print = (mark: string, file: string, failures: { name: string; message: string }[]) => {
  for (const { name, message } of failures) console.log(`${mark} ${file} > ${name || '(outside a test)'}\n${message}`);
};
for (const { last, first } of results) {
  print('✗', last.file, last.failures);
  if (first && last.status === 'passed') {
    console.log(`~ ${last.file} passed when retried alone. Its first attempt failed:`);
    print(' ', last.file, first.failures);
  }
}

const total = (kind: 'passed' | 'failed' | 'skipped') => sum(results.map(({ last }) => last[kind]));
const retried = results.filter(({ first }) => first).length;
console.log(`${retried} ${retried === 1 ? 'file' : 'files'} needed a retry`);
console.log(
  `${total('passed')} passed, ${total('failed')} failed${total('skipped') ? `, ${total('skipped')} skipped` : ''}`,
);
