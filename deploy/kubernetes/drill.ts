// Installs the chart on a real cluster, and rolls, scales, drains, evicts and kills under load. Started by `run`, next to the
// nodes of the cluster. Exits with 1 if a request failed or work was lost.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLedger } from '../../load/receiver.ts';
import { describeRun, saveReport } from '../../load/report.ts';
import { serversOf } from '../../load/resources.ts';
import { measuresFor, runLoad } from '../../load/run.ts';
import { seedTenants } from '../../load/seed.ts';
import { summarize } from '../../load/summary.ts';
import { waitFor } from '../../tools/demo/processes.ts';
import { aStopwatch, printTable } from '../drill/table.ts';
import { buildRenderer, removeRenderer } from '../helm/test/render.ts';
import { apply, namespace, saveState, waitUntil } from './kubectl.ts';
import { openInstallation, pidsWhere } from './steps.ts';
import { apiUrl, portalUrl, siteUrl, startSurroundings } from './surroundings.ts';
import { openTally, problemsOf } from './tally.ts';

const [version = '', next = ''] = process.argv.slice(2);
/** Visitors' messages per second. Two cores also run the visitors, the databases and the cluster. */
const size = Number(process.env['DRILL_SIZE'] ?? 2);
const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

const folder = resolve('.stack/kubernetes/run');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

type Surroundings = Awaited<ReturnType<typeof startSurroundings>>;
type Installation = ReturnType<typeof openInstallation>;
const watch = aStopwatch();

async function install({ secrets }: Surroundings, installation: Installation): Promise<void> {
  await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
  await apply(secrets);
  await installation.upgrade({ version });
  await waitFor(`${apiUrl}/health/ready`);
  await waitFor(`${portalUrl}/health/ready`);
  console.log((await installation.cli(version, 'check')).stdout);
}

const kubernetes = [
  'etcd',
  'containerd',
  'kubelet',
  'kube-apiserver',
  'kube-controller',
  'kube-scheduler',
  'kube-proxy',
];
const named = (names: readonly string[]) => () =>
  pidsWhere((pid) => names.includes(readFileSync(`/proc/${pid}/comm`, 'utf8').trim()));

/** Starts the load, and returns what ends it. */
async function startLoad({ settings, receiver, stack }: Surroundings) {
  const tenants = await seedTenants(settings, { count: 20, siteUrl, receiverUrl: receiver.url });
  // It ends earlier, after the last step.
  const options = { profile: 'steady', size, minutes: 60, tenants: tenants.length, seed: 1 } as const;
  const measures = measuresFor(options);
  const ledger = openLedger(measures, receiver);
  ledger.expect(tenants);
  const over = new AbortController();
  const local = {
    Kubernetes: named(kubernetes),
    HAProxy: named(['haproxy']),
    ...serversOf(stack.dir),
    'load generator': () => [process.pid],
  };
  const target = { apiUrl, portalUrl, siteUrl, tenants, metrics: {} };
  const createdAt = measures.startedAt();
  const running = runLoad({
    options,
    target,
    observed: { local, metrics: {} },
    ledger,
    measures,
    log,
    signal: over.signal,
  });
  running.catch(() => over.abort());
  await waitUntil('the load has started', async () => over.signal.aborted || measures.startedAt() !== createdAt);
  return {
    measures,
    stop: async () => {
      const minutes = (performance.now() - measures.startedAt()) / 60_000;
      over.abort();
      const result = await running;
      const run = summarize(options, { ...result, plan: { ...result.plan, minutes } }, measures);
      saveReport(resolve(folder, 'load'), run);
      console.log(`\n${describeRun(run)}`);
      return result;
    },
  };
}

async function drill(surroundings: Surroundings): Promise<string[]> {
  const installation = openInstallation(surroundings.values, surroundings.stack.restate.adminUrl);
  await watch.step('install', () => install(surroundings, installation));
  const { measures, stop } = await startLoad(surroundings);
  const tally = openTally(measures);
  const step = <T>(name: string, work: () => Promise<T>) => tally.during(name, () => watch.step(name, work));
  try {
    await step('nothing, for a minute', () => sleep(60_000));
    await step(`roll ${version} to ${next}`, () => installation.roll(version, next));
    await step(`roll back to ${version}`, () => installation.rollBack(next, version));
    await step('scale the API to 3 and back', () => installation.scale('api'));
    await step('scale the workers to 3 and back', () => installation.scale('worker'));
    let waits = 0;
    for (const node of ['node-2', 'node-1']) waits += await step(`drain ${node}`, () => installation.drain(node));
    for (const component of ['api', 'worker', 'portal'])
      await step(`delete a pod of ${component}`, () => installation.deleteOne(component));
    await step('kill -9 a worker', () => installation.kill('worker'));
    await step('nothing, for half a minute', () => sleep(30_000));
    console.log(`drill: evictions that had to wait for a disruption budget: ${waits}`);
  } finally {
    await saveState(folder);
  }
  const result = await stop();
  printTable('Under load', ...tally.table());
  return problemsOf(result, measures);
}

buildRenderer();
const surroundings = await startSurroundings(folder);
try {
  const problems = await drill(surroundings);
  for (const problem of problems) console.error(`drill: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  removeRenderer();
  await surroundings.stop();
  process.exit();
}
