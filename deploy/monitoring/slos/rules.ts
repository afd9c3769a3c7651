import type { Slo } from './slos.ts';
import { runbookOf } from '../runbooks.ts';

/**
 * Multi-window, multi-burn-rate alerts (Google's SRE workbook, chapter 5): the long window says that a relevant part of the
 * budget is gone, the short one that it still goes. A burn rate of 1 spends the budget in exactly 30 days.
 */
const alerts = [
  {
    severity: 'critical',
    windows: [
      { long: '1h', short: '5m', burnRate: 14.4 }, // 2 % of the budget in an hour
      { long: '6h', short: '30m', burnRate: 6 }, // 5 % in six hours
    ],
  },
  {
    severity: 'warning',
    windows: [
      { long: '1d', short: '2h', burnRate: 3 }, // 10 % in a day
      { long: '3d', short: '6h', burnRate: 1 }, // 10 % in three days
    ],
  },
] as const;
const windows = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'];
const secondsIn: Record<string, number> = { '1h': 3_600, '6h': 21_600, '1d': 86_400, '3d': 259_200 };

/** Below this number of bad events, a small deployment would be woken by one unlucky request. */
const minErrors = 10;

const labelOf = ({ id }: Slo) => `{slo="${id}"}`;
const round = (value: number) => Number(value.toPrecision(6));

const recordsOf = (slo: Slo) => [
  { record: 'parley:slo_objective:ratio', expr: `vector(${slo.objective})`, labels: { slo: slo.id } },
  { record: 'parley:slo_requests:rate5m', expr: slo.requests, labels: { slo: slo.id } },
  { record: 'parley:slo_errors:rate5m', expr: slo.errors, labels: { slo: slo.id } },
];

const ratioOver = (window: string) =>
  `avg_over_time(parley:slo_errors:rate5m[${window}]) / avg_over_time(parley:slo_requests:rate5m[${window}])`;

const alertsOf = (slo: Slo) =>
  alerts.map(({ severity, windows: pairs }) => ({
    alert: slo.alert,
    expr: pairs
      .map(({ long, short, burnRate }) => {
        const limit = round(burnRate * (1 - slo.objective));
        return [
          `(parley:slo_errors:ratio_rate${long}${labelOf(slo)} > ${limit}`,
          `  and parley:slo_errors:ratio_rate${short}${labelOf(slo)} > ${limit}`,
          `  and avg_over_time(parley:slo_errors:rate5m${labelOf(slo)}[${long}]) * ${secondsIn[long]} >= ${minErrors})`,
        ].join('\n');
      })
      .join('\nor\n'),
    labels: { severity },
    annotations: {
      summary: `{{ $value | humanizePercentage }} of ${slo.bad}; the objective allows ${round(100 * (1 - slo.objective))} %.`,
      runbook_url: runbookOf(slo.alert),
    },
  }));

/** What rules/slos.yml contains. */
export const sloRules = (slos: readonly Slo[]) => ({
  groups: [
    { name: 'parley-slo-events', interval: '30s', rules: slos.flatMap(recordsOf) },
    {
      name: 'parley-slo-ratios',
      interval: '30s',
      rules: windows.map((window) => ({ record: `parley:slo_errors:ratio_rate${window}`, expr: ratioOver(window) })),
    },
    {
      name: 'parley-slo-budgets',
      interval: '5m',
      rules: [
        {
          record: 'parley:slo_budget_remaining:ratio',
          expr: `1 - (${ratioOver('30d')}) / (1 - parley:slo_objective:ratio)`,
        },
      ],
    },
    { name: 'parley-slo-alerts', rules: slos.flatMap(alertsOf) },
  ],
});
