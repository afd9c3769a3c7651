// npm run test:alerts: every alert fires at its fault and at no other, and all are silent before it, by `promtool test rules`.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { faults, type Fault } from './faults.ts';
import { faultAt, lasting, steady } from './steady.ts';

const rulesFolder = resolve(import.meta.dirname, '../rules');
const rules = readdirSync(rulesFolder).map((name) => join(rulesFolder, name));

/** The steady state with the fault. A prefix that matches no series adds one. */
function seriesOf({ change, after }: Fault) {
  const all = { ...steady };
  for (const [prefix, values] of Object.entries(change)) {
    const matching = Object.keys(all).filter((series) => series.startsWith(prefix));
    if (matching.length > 1) throw new Error(`${prefix} matches ${matching.join(' and ')}`);
    all[matching[0] ?? prefix] = values;
  }
  return Object.entries(all).map(([series, values]) => ({ series, values: lasting(values, after) }));
}

const firing = (minute: number, alerts: readonly string[]) => ({
  expr: 'max by (alertname, severity) (ALERTS{alertstate="firing"})',
  eval_time: `${minute}m`,
  exp_samples: alerts.map((name) => {
    const [alertname, severity] = name.split(' ');
    return { labels: `{alertname="${alertname}", severity="${severity}"}`, value: 1 };
  }),
});

const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
try {
  const file = join(folder, 'alerts.test.yml');
  writeFileSync(
    file,
    stringify({
      rule_files: rules,
      evaluation_interval: '1m',
      tests: faults.map((fault) => ({
        name: fault.name,
        interval: '1m',
        input_series: seriesOf(fault),
        promql_expr_test: [firing(faultAt - 1, []), firing(faultAt + fault.after, fault.fires)],
      })),
    }),
  );
  const check = (program: string, ...args: string[]) =>
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  check('promtool', 'check', 'rules', ...rules);
  check('promtool', 'check', 'config', '--syntax-only', resolve(rulesFolder, '../prometheus.yml'));
  check('amtool', 'check-config', resolve(rulesFolder, '../alertmanager.yml'));
  const { status } = spawnSync('promtool', ['test', 'rules', file], { stdio: 'inherit' });
  console.log(`${faults.length} faults`);
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
