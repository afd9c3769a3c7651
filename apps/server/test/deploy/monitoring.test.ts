import { globSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { alertsOf } from '../../../../deploy/monitoring/drill/fault.ts';
import { faults as realFaults, leftOut } from '../../../../deploy/monitoring/drill/faults/index.ts';
import { shortenRules } from '../../../../deploy/monitoring/drill/shortened.ts';
import { slos } from '../../../../deploy/monitoring/slos/slos.ts';
import { dashboards } from '../../../../deploy/monitoring/grafana/index.ts';
import { faults } from '../../../../deploy/monitoring/tests/faults.ts';
import { documentedMetrics, undocumentedIn } from './documented-metrics.ts';

// `npm run test:alerts` has Prometheus evaluate the rules; these need no Prometheus.

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}
const root = resolve(import.meta.dirname, '../../../..');
const read = (file: string) => readFileSync(resolve(root, file), 'utf8');
const rules = readdirSync(resolve(root, 'deploy/monitoring/rules')).flatMap((name) =>
  (parse(read(`deploy/monitoring/rules/${name}`)) as { groups: { rules: Partial<Alert>[] }[] }).groups.flatMap(
    (group) => group.rules,
  ),
);
const alerts = rules.filter((rule): rule is Alert => rule.alert !== undefined);

test('every alert has a severity, a summary and a runbook section that exists, and every section an alert', () => {
  const sections = [...read('docs/runbooks/alerts.md').matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);
  for (const { alert, labels, annotations } of alerts) {
    expect(['critical', 'warning'], alert).toContain(labels.severity);
    expect(annotations.summary, alert).toMatch(/^.{20,}\.$/);
    expect(annotations.runbook_url).toBe(`https://runbooks.example.com/alerts.md#${alert.toLowerCase()}`);
    expect(sections).toContain(alert);
  }
  expect(sections.filter((section) => !alerts.some(({ alert }) => alert === section))).toEqual([]);
});

test('every alert has a fault that fires it', () => {
  const fired = new Set(faults.flatMap(({ fires }) => fires));
  expect(new Set(alerts.map(({ alert, labels }) => `${alert} ${labels.severity}`))).toEqual(fired);
});

test('the drill causes a fault for every alert but those that it names', () => {
  const fired = new Set(realFaults.flatMap(alertsOf).map((name) => name.split(' ')[0]));
  expect(new Set(alerts.map(({ alert }) => alert))).toEqual(new Set([...fired, ...leftOut]));
});

test('rules of the drill have shorter windows, and the thresholds of the others', () => {
  const rule = {
    alert: 'A',
    for: '6h',
    expr: 'max_over_time(sum(lanes)[6h:1m]) > 600 and avg_over_time(errors{route!~"/cdn/.*"}[1h]) * 3600 >= 10',
  };
  const { groups } = shortenRules(stringify({ groups: [{ name: 'g', interval: '30s', rules: [rule] }] }), 10);
  expect(groups).toEqual([
    {
      name: 'g',
      interval: '3000ms',
      rules: [
        {
          alert: 'A',
          for: '2160000ms',
          expr: 'max_over_time(sum(lanes)[2160000ms:6000ms]) > 600 and avg_over_time(errors{route!~"/cdn/.*"}[360000ms]) * 360 >= 10',
        },
      ],
    },
  ]);
});

test('the document of the objectives has their targets', () => {
  const rows = read('docs/operators/slos.md').split('\n');
  for (const { id, objective } of slos) {
    const row = rows.find((line) => line.includes(`| \`${id}\` |`));
    expect(row).toContain(`| ${Number((100 * objective).toFixed(4))} % |`);
  }
});

test('the threshold of an objective is the limit of a bucket', () => {
  const sources = globSync('apps/server/src/**/*.ts', { cwd: root }).map(read);
  for (const { id, bucket } of slos.filter((one) => one.bucket)) {
    const declared = sources.map((source) => bucketsOf(source, bucket?.histogram ?? '')).find((buckets) => buckets);
    expect(declared, id).toContain(bucket?.seconds);
  }
});

/** The limits of a histogram, where it is declared, or the list above it. */
function bucketsOf(source: string, histogram: string): number[] | undefined {
  const at = source.indexOf(`name: '${histogram}'`);
  if (at === -1) return undefined;
  const list = /buckets: \[([^\]]*)\]/.exec(source.slice(at)) ?? /buckets = \[([^\]]*)\]/.exec(source);
  return list?.[1]?.split(',').map(Number);
}

test('rules and dashboards use metrics as the page on metrics documents them', () => {
  const documented = documentedMetrics(read('docs/operators/metrics.md'));
  const panels = dashboards.flatMap(({ rows }) => rows.flatMap((row) => row.panels));
  const expressions = [
    ...rules.map(({ expr = '' }) => expr),
    ...panels.flatMap(({ queries }) => Object.values(queries)),
  ];
  const wrong = new Set(expressions.flatMap((expression) => undocumentedIn(expression, documented)));
  expect([...wrong].toSorted()).toEqual([]);
});
