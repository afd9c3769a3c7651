import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { currentCommit, observeMachine, type Machine } from './machine.ts';
import { inWords, type Result } from './result.ts';

const root = resolve(import.meta.dirname, '../..');
/** Every run leaves its figures in `last`; those that docs/figures/benchmarks.md shows are committed. */
export const folders = { last: `${root}/.stack/bench`, published: `${root}/bench/results` };

export interface Run {
  name: string;
  date: string;
  /** `unknown` for figures that are older than these files. */
  commit: string;
  machine: Machine | null;
  seconds: number | null;
  /** What is true of all its figures. */
  note?: string;
  results: Result[];
}

export const today = () => new Date().toISOString().slice(0, 10);

export async function measureRun(name: string, measure: () => Promise<Result[]>): Promise<Run> {
  const [machine, startedAt, date] = [observeMachine(), performance.now(), today()];
  const results = await measure();
  for (const one of results) console.log(inWords(one));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return { name, date, commit: currentCommit(), machine: machine(), seconds, results };
}

export function save(run: Run, folder: string): void {
  const file = `${folder}/${run.name}.json`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
}

export const publishedRuns = (): Run[] =>
  readdirSync(folders.published).map((file) => JSON.parse(readFileSync(`${folders.published}/${file}`, 'utf8')) as Run);
