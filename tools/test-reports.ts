import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

// What the suites leave behind: a report each, and another where some of its files were tried again by themselves.

interface Suite {
  name: string;
  status: string;
  message: string;
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
}

const suites = ['server', 'server-alone', 'e2e'] as const;
type Name = (typeof suites)[number];

const fileOf = (name: Name, isAgain: boolean) =>
  resolve(import.meta.dirname, `../.stack/test-results/${name}${isAgain ? '-again' : ''}.json`);
/** Where a run is to write its report. */
export const reportOf = (name: Name) => fileOf(name, process.env['TESTS_AGAIN'] !== undefined);

function read(file: string): Suite[] {
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as { testResults?: Suite[] }).testResults ?? [];
}

/** Every file by its path: how it ended, and how the first time if it was tried again. */
export function readReports() {
  const files = new Map<string, { last: Suite; first?: Suite }>();
  for (const name of suites) {
    for (const last of read(fileOf(name, false))) files.set(last.name, { last });
    for (const last of read(fileOf(name, true))) {
      const first = files.get(last.name)?.last;
      files.set(last.name, { last, ...(first && { first }) });
    }
  }
  return files;
}

/** The tests of a file that failed. One that could not even be loaded has none to blame. */
export const failedIn = ({ assertionResults }: Suite) => assertionResults.filter(({ status }) => status === 'failed');
