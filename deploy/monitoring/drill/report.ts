import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { FaultResult } from './run-fault.ts';

const file = resolve(import.meta.dirname, '../../../.stack/alerts/results.json');

export const savedResults = (): FaultResult[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FaultResult[]) : [];

/** Results of single faults are kept, so that the table has all of them. */
export function saveResults(results: readonly FaultResult[]): void {
  const others = savedResults().filter(({ name }) => !results.some((one) => one.name === name));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify([...others, ...results], null, 2)}\n`);
}

const columns = ['Fault', 'Alert', 'Fires after', 'Notified after', 'Over after', 'Also fired'];
const seconds = (value: number | undefined) => (value === undefined ? '–' : `${value.toFixed(1)} s`);

const alertName = (alert: string) => `\`${alert.split(' ')[0]}\``;

function consequencesOf({ consequences, silenced }: FaultResult): string {
  const names = [...new Set(consequences.map(alertName))];
  return [...names, ...(silenced > 0 ? [`${silenced} silenced`] : [])].join(', ') || '–';
}

/** As Markdown, a row for each alert. */
export function tableOf(results: readonly FaultResult[]): string {
  const rows = results.flatMap((result) =>
    result.alerts.map(({ alert, fired, notified, resolved, lingers }, n) => [
      n > 0 ? '' : [result.cause, ...result.problems.map((problem) => `**${problem}**`)].join('; '),
      `${alertName(alert)}, ${alert.split(' ')[1]}`,
      fired === undefined ? '**did not fire**' : seconds(fired),
      notified ? `${seconds(notified.seconds)}, ${notified.receiver}` : 'silenced by its cause',
      lingers ? 'not waited for' : seconds(resolved),
      n > 0 ? '' : consequencesOf(result),
    ]),
  );
  return [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
