import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

// The results of a run in `.stack/test-results`: a file for each suite, another for retries, and the phases.

export const resultsDir = resolve(import.meta.dirname, '../../.stack/test-results');

export const suites = ['server', 'e2e'] as const;
export type SuiteName = (typeof suites)[number];

export interface FileResult {
  /** From the root of the repository. */
  file: string;
  status: 'passed' | 'failed';
  wallMs: number;
  /** User and system time of the file's process and of its ended children. */
  cpuMs: number;
  passed: number;
  failed: number;
  skipped: number;
  /** The tests that failed. A file that could not be loaded has an entry without a name. */
  failures: { name: string; message: string }[];
}

export const isRetry = process.env['TEST_RETRY'] !== undefined;
export const resultsFile = (suite: SuiteName, ofRetry = isRetry) =>
  resolve(resultsDir, `${suite}${ofRetry ? '-retry' : ''}.json`);

function read(file: string): FileResult[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FileResult[]) : [];
}

/** Every file of every suite: its result, and the result of its first attempt if it was retried. */
export function readResults() {
  const files = new Map<string, { suite: SuiteName; last: FileResult; first?: FileResult }>();
  for (const suite of suites) {
    for (const last of read(resultsFile(suite, false))) files.set(last.file, { suite, last });
    for (const last of read(resultsFile(suite, true))) {
      const first = files.get(last.file)?.last;
      files.set(last.file, { suite, last, ...(first && { first }) });
    }
  }
  return [...files.values()];
}

export interface Phase {
  name: string;
  wallMs: number;
  /** Of the whole machine, all cores. */
  cpuMs: number;
  stealMs: number;
}

/** Written by `.ci/phases.sh`, a line for each phase: name, and milliseconds of wall time, CPU and steal. */
export function readPhases(): Phase[] {
  const file = resolve(resultsDir, 'phases.tsv');
  if (!existsSync(file)) return [];
  const rows = readFileSync(file, 'utf8').trim().split('\n');
  return rows.map((row) => {
    const [name = '', wallMs, cpuMs, stealMs] = row.split('\t');
    return { name, wallMs: Number(wallMs), cpuMs: Number(cpuMs), stealMs: Number(stealMs) };
  });
}

/** Peak memory, sampled by `.ci/phases.sh`. */
export function readPeakMemoryMb(): number {
  const file = resolve(resultsDir, 'peak-memory-mb');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}
