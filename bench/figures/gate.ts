import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { quick } from '../quick.ts';
import {
  checkRatios,
  lastAccepted,
  maxRounds,
  tolerance,
  worsening,
  type AcceptedRun,
  type Verdict,
} from './history.ts';
import { currentCommit, machineKind } from './machine.ts';
import { formatRatio } from './result.ts';
import { today } from './runs.ts';

const historyFile = resolve(import.meta.dirname, '../history.jsonl');

/** Returns the exit code: 1 if a ratio is worse than the last accepted one. */
export async function checkQuick(slowedPercent?: number): Promise<number> {
  const accepted = lastAccepted(existsSync(historyFile) ? readFileSync(historyFile, 'utf8') : '', machineKind());
  const verdicts = await quick((checks) => checkRatios(checks, accepted), slowedPercent);
  if (!accepted) {
    console.log(
      `No ratios are accepted for ${machineKind()} yet. To compare later runs with this commit: npm run bench -- --accept`,
    );
    return 0;
  }
  console.log(`\nCompared with ${accepted.commit} of ${accepted.date}:`);
  for (const verdict of verdicts) console.log(`  ${sentenceOf(verdict)}`);
  return verdicts.some(({ isWorse }) => isWorse) ? 1 : 0;
}

function sentenceOf({ name, ratios, accepted, isWorse }: Verdict): string {
  const measured = ratios.map(formatRatio).join(', ');
  if (accepted === undefined) return `${name}: ${measured}; not accepted yet`;
  const worst = Math.round(100 * worsening(ratios.at(-1) ?? Number.NaN, accepted));
  const change = worst > 0 ? `${worst} % worse` : `${-worst} % better`;
  const limit = `more than ${100 * tolerance} % worse in ${maxRounds} rounds`;
  return `${name}: ${measured}, accepted ${formatRatio(accepted)}, ${isWorse ? `FAILED: ${limit}` : change}`;
}

/** Measures three rounds of all and appends their medians. */
export async function acceptQuick(): Promise<void> {
  const verdicts = await quick((checks) => checkRatios(checks, undefined, { isExact: true }));
  const ratios = Object.fromEntries(verdicts.map(({ name, ratio }) => [name, ratio]));
  const line: AcceptedRun = { date: today(), commit: currentCommit(), machine: machineKind(), ratios };
  appendFileSync(historyFile, `${JSON.stringify(line)}\n`);
  console.log(`Accepted in bench/history.jsonl: ${JSON.stringify(line)}`);
}
