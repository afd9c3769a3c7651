import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { kinds, type Timing } from './measures.ts';
import { cpuMsPerMessage, timings, type LoadRun } from './summary.ts';
import type { Check } from './verdict.ts';

export const table = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
  [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
export const number = (value: number, digits = 0) => value.toLocaleString('en', { maximumFractionDigits: digits });
const verdict = ({ isMet }: Check) => (isMet === null ? '–' : isMet ? 'met' : '**not met**');

export const commandOf = ({ options: { profile, size, minutes, tenants, seed } }: LoadRun): string =>
  `npm run load -- --profile ${profile} --size ${size} --minutes ${minutes} --tenants ${tenants} --seed ${seed}`;

/** As Markdown, which is readable in a terminal too. */
export function describeRun(run: LoadRun): string {
  const { checks, parts, lateness, problems } = run;
  return [
    `\`${commandOf(run)}\`, ${run.date}, commit ${run.commit}, ${run.machine}.`,
    table(
      ['Objective', 'Phase', 'Measured', 'Goal', ''],
      checks.map((check) => [check.name, check.phase, check.value, check.objective, verdict(check)]),
    ),
    timesOf(run),
    requestsOf(run),
    table(
      [
        'Process',
        'Cores',
        'CPU for a message',
        'Memory, max',
        'Change per hour',
        'Event loop p99, max',
        'Streams, max',
        'Waiting for a connection, max',
      ],
      Object.entries(parts).map(([name, part]) => [
        name,
        part.cores.toFixed(2),
        `${number(cpuMsPerMessage(run, part), 1)} ms`,
        `${number(part.maxMemoryMb)} MB`,
        part.slope ? `${(100 * part.slope.perHour).toFixed(1)} ± ${(100 * part.slope.margin).toFixed(1)} %` : '–',
        part.eventLoopP99Ms === null ? '–' : `${number(part.eventLoopP99Ms, 1)} ms`,
        part.openStreams === null ? '–' : number(part.openStreams),
        part.databaseWaiting === null ? '–' : number(part.databaseWaiting),
      ]),
    ),
    totalsOf(run),
    `The generator itself was late by ${number(lateness.p50, 1)} ms (p50), ${number(lateness.p99, 1)} ms (p99), ${number(lateness.max)} ms (max). Times are counted from when a request was due, so this is part of them.`,
    ...(Object.keys(problems).length === 0
      ? []
      : [
          table(
            ['Problem', 'Count', 'Example'],
            Object.entries(problems).map(([kind, { count, example }]) => [
              kind,
              number(count),
              example.split('\n')[0] ?? '',
            ]),
          ),
        ]),
  ].join('\n\n');
}

const timesOf = ({ phases }: LoadRun) =>
  table(
    ['Time in ms', 'Phase', 'Count', 'p50', 'p95', 'p99', 'max'],
    (Object.keys(timings) as Timing[]).flatMap((timing) =>
      phases.flatMap(({ name, times }) => {
        const { [timing]: time } = times;
        if (!time) return [];
        const { count, p50, p95, p99, max } = time;
        return [[timings[timing], name, number(count), ...[p50, p95, p99, max].map((value) => number(value))]];
      }),
    ),
  );

const requestsOf = ({ phases }: LoadRun) =>
  table(
    ['Requests', 'Phase', 'ok', '429', '503', 'failed'],
    phases.flatMap(({ name, requests }) =>
      kinds.map((kind) => {
        const { ok, limited, unavailable, failed } = requests[kind];
        return [kind, name, ...[ok, limited, unavailable, failed].map((value) => number(value))];
      }),
    ),
  );

function totalsOf({ options, totals, events, bytes, maxOpenStreams }: LoadRun): string {
  const seconds = options.minutes * 60;
  const each = (sum: number, of: string) => `${number(sum / Math.max(1, totals[of] ?? 0) / 1_024, 1)} KB`;
  return table(
    ['Total', 'Count', 'Per second'],
    [
      ...Object.entries(totals).map(([name, count]) => [name, number(count), number(count / seconds, 2)]),
      [
        'events committed',
        events ? number(events.committed) : 'not measured',
        events ? number(events.committed / seconds, 2) : '',
      ],
      ['event streams open, max', number(maxOpenStreams), ''],
      ['sent to visitors and backends, for each message', each(bytes.api, 'messages accepted'), ''],
      ['sent by the portal, for each sign-in', each(bytes.portal, 'sign-ins'), ''],
      ['sent to endpoints, for each delivery', each(bytes.deliveries, 'deliveries'), ''],
    ],
  );
}

/** As JSON. */
export function saveRun(file: string, run: LoadRun, more: object = {}): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...run, ...more }, null, 2)}\n`);
}

/** To read, and with every window. */
export function saveReport(out: string, run: LoadRun, more: object = {}): void {
  saveRun(`${out}.json`, run, more);
  writeFileSync(`${out}.md`, `${describeRun(run)}\n`);
}
