import type { Measures } from '../../load/measures.ts';
import type { LoadResult } from '../../load/run.ts';
import { failures } from '../../load/verdict.ts';
import { seconds } from '../drill/table.ts';

const columns = [
  'step',
  'time',
  'requests',
  'failed',
  '503',
  '429',
  'streams reopened',
  'messages',
  'deliveries',
  'repeated',
];

/** What happened to requests, messages and deliveries during each step. */
export function openTally(measures: Measures) {
  const count = () => {
    const kinds = (['api', 'widget', 'portal'] as const).map((kind) => measures.phase('steady').outcomes(kind));
    const sum = (pick: (one: (typeof kinds)[number]) => number) => kinds.reduce((total, one) => total + pick(one), 0);
    const { totals } = measures.result();
    return [
      sum(({ ok, limited, unavailable, failed }) => ok + limited + unavailable + failed),
      sum(({ failed }) => failed),
      sum(({ unavailable }) => unavailable),
      sum(({ limited }) => limited),
      totals['streams broken'] ?? 0,
      totals['messages accepted'] ?? 0,
      totals['deliveries'] ?? 0,
      totals['deliveries repeated'] ?? 0,
    ];
  };
  const rows: string[][] = [];
  const format = (name: string, ms: number, counts: readonly number[]) => [name, seconds(ms), ...counts.map(String)];

  return {
    during: async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const before = count();
      const startedAt = Date.now();
      try {
        return await work();
      } finally {
        const after = count();
        rows.push(
          format(
            name,
            Date.now() - startedAt,
            after.map((value, n) => value - (before[n] ?? 0)),
          ),
        );
      }
    },
    /** With the whole run, from the start of the load to the last delivery. */
    table: (): [columns: string[], rows: string[][]] => [
      columns,
      [...rows, format('together', performance.now() - measures.startedAt(), count())],
    ],
  };
}

/** What may not happen. Times are no part of it: the visitors share two cores with all they visit. */
export function problemsOf({ checks, totals, events }: LoadResult, measures: Measures): string[] {
  const lost = checks.filter(({ phase, isMet }) => phase === 'whole run' && isMet === false);
  const refused = (['api', 'widget', 'portal'] as const).flatMap((kind) => {
    const { failed, unavailable, limited } = measures.phase('steady').outcomes(kind);
    return failed + unavailable + limited > 0
      ? [`${kind}: ${failed} failed, ${unavailable} with 503, ${limited} with 429`]
      : [];
  });
  return [
    ...refused,
    ...lost.map(({ name, value }) => `${name}: ${value}`),
    ...failures.filter((name) => totals[name]).map((name) => `${name}: ${totals[name]}`),
    ...(events === undefined ? ['the events could not be compared'] : []),
  ];
}
