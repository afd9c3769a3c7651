// `npm run drill:alerts`: the whole product under light load with a real Prometheus and Alertmanager. Causes one fault after
// another, and checks that its alerts fire and end, and no others. Exits with 1 if something failed, 2 if it could not run.
import { setTimeout as sleep } from 'node:timers/promises';
import { faults } from './faults/index.ts';
import { startMonitoring } from './monitoring.ts';
import { readOptions, usage, type DrillOptions } from './options.ts';
import { describePanels, evaluatePanels } from './panels.ts';
import { startProduct } from './product.ts';
import { saveResults, savedResults, tableOf } from './report.ts';
import { runFaults, startSteadily, type DrillContext, type FaultResult } from './run-fault.ts';
import { staySilent } from './silent.ts';
import { startTraffic } from './traffic.ts';
import { watchAlerts } from './watch.ts';

/** An hour of a rule takes six minutes. */
const factor = 10;
const shortened = { factor, scrapeSeconds: 5 };
const asTheyAre = { factor: 1, scrapeSeconds: 15 };

const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

async function drill({ faults: chosen, hasPanels, silentMinutes, isBuilt }: DrillOptions, onStop: OnStop) {
  const product = await startProduct({ isBuilt, log });
  onStop(product.stop);
  const traffic = startTraffic(product);
  onStop(traffic.stop);
  log('Starting Prometheus, Alertmanager and exporters…');
  const monitoring = await startMonitoring(product, silentMinutes === undefined ? shortened : asTheyAre);
  onStop(monitoring.stop);
  const watch = watchAlerts(monitoring);
  onStop(watch.stop);
  const context: DrillContext = { product, traffic, monitoring, watch, log };
  await monitoring.waitForTargets();
  if (silentMinutes !== undefined) {
    const fired = await staySilent(context, silentMinutes);
    const panels = await evaluatePanels(monitoring, 10);
    log(describePanels(panels));
    return fired.length === 0 && panels.silent.length === 0;
  }
  log('A minute of steady load…');
  await startSteadily(context);
  let isFine = true;
  if (hasPanels) {
    await sleep(60_000);
    const panels = await evaluatePanels(monitoring, 2);
    log(describePanels(panels));
    isFine = panels.silent.length === 0;
  }
  const lacking = chosen.flatMap(({ name, lacks }) => {
    const lack = lacks?.(product);
    return lack === undefined ? [] : [[name, lack] as const];
  });
  for (const [name, lack] of lacking) log(`Left out: ${name}, because this machine lacks ${lack}`);
  const runnable = chosen.filter(({ name }) => !lacking.some(([left]) => left === name));
  const slow = runnable.filter(({ isSlow }) => isSlow);
  const groups = [...runnable.filter((fault) => !slow.includes(fault)).map((fault) => [fault]), slow];
  const results: FaultResult[] = [];
  for (const group of groups.filter(({ length }) => length > 0)) {
    results.push(...(await runFaults(context, group)));
    saveResults(results);
  }
  console.log(`\n${tableOf(results)}\n`);
  return isFine && results.every(({ problems }) => problems.length === 0);
}
type OnStop = (stop: () => unknown) => void;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), faults);
  if (options.isList) {
    for (const { name, cause } of faults) console.log(`${name}: ${cause}`);
    return 0;
  }
  if (options.isTable) {
    console.log(tableOf(savedResults()));
    return 0;
  }
  const stops: (() => unknown)[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).toReversed()) await Promise.resolve(stop()).catch(() => {});
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => void stopAll().finally(() => process.exit(2)));
  try {
    return (await drill(options, (stop) => stops.push(stop))) ? 0 : 1;
  } finally {
    await stopAll();
  }
}

process.exit(
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? (error.stack ?? error.message) : error);
    console.error(`\n${usage}`);
    return 2;
  }),
);
