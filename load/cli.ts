// `npm run load -- --profile steady`: visitors, staff and backends of many tenants, against its own stack or any
// deployment. Exits with 1 if an objective was not met, 2 if the run could not be made. docs/operators/capacity.md
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver, type Receiver } from '../tools/receiver/index.ts';
import { largestMet, nextSize, type Tried } from './find.ts';
import { readOptions, usage, type LoadOptions } from './options.ts';
import { openLedger } from './receiver.ts';
import { describeRun, number, saveReport, saveRun, table } from './report.ts';
import { measuresFor, runLoad } from './run.ts';
import { profileOf } from './profiles.ts';
import type { Observed } from './resources.ts';
import { startOwnStack } from './stack.ts';
import { hasFailed, summarize, type LoadRun } from './summary.ts';
import { readTarget, type Target } from './target.ts';

const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
const aborting = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => aborting.abort());
const ends: (() => Promise<unknown>)[] = [];
const stopAll = async () => {
  for (const end of ends.splice(0).toReversed()) await end().catch(() => {});
};

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const given = options.config === undefined ? undefined : readTarget(options.config, options.url);
  const receiver = await startReceiver({ ...given?.receiver, keep: 0 });
  ends.push(receiver.stop);
  const deployment = given
    ? { target: given, observed: { local: {}, metrics: given.metrics, metricsToken: given.metricsToken } }
    : await startDeployment(options, receiver);
  if (options.isFinding) return find(options, { receiver, ...deployment });
  const { run, windows } = await runOnce(options, { receiver, ...deployment });
  saveReport(options.out, run, { windows });
  console.log(`\n${describeRun(run)}\n\nSaved as ${options.out}.md and ${options.out}.json`);
  if (options.isSaved) {
    saveRun(`load/results/${options.profile}.json`, run);
    spawnSync('npm', ['run', '--silent', 'gen:figures'], { stdio: 'inherit' });
  }
  return hasFailed(run) || aborting.signal.aborted ? 1 : 0;
}

async function startDeployment(options: LoadOptions, receiver: Receiver) {
  // Deliveries of what the seeds emit arrive before the first run.
  const onSeeded = openLedger(measuresFor(options), receiver).expect;
  const { target, observed, stop } = await startOwnStack({ ...options, receiver, onSeeded, log });
  ends.push(stop);
  return { target, observed };
}

interface Deployment {
  receiver: Receiver;
  target: Target;
  observed: Observed;
}

async function runOnce(options: LoadOptions, { receiver, target, observed }: Deployment) {
  const { minutes } = profileOf(options.profile, options.minutes);
  // Whatever hangs, the run ends, and takes what it started with it.
  const deadline = setTimeout(
    () => {
      console.error('The run did not end by itself.');
      void stopAll().finally(() => process.exit(2));
    },
    (minutes + 20) * 60_000,
  );
  const measures = measuresFor(options);
  const ledger = openLedger(measures, receiver);
  ledger.expect(target.tenants);
  log(`Load: ${options.profile}, ${options.size} messages a second, ${minutes} minutes…`);
  const result = await runLoad({ options, target, observed, ledger, measures, log, signal: aborting.signal });
  clearTimeout(deadline);
  return {
    run: summarize({ ...options, tenants: target.tenants.length }, result, measures),
    windows: result.windows,
  };
}

/** Short runs of different sizes, until the largest one that meets all objectives is known. */
async function find(options: LoadOptions, deployment: Deployment): Promise<number> {
  const tried: (Tried & { run: LoadRun })[] = [];
  for (let size = nextSize(options.size, tried); size !== undefined; size = nextSize(options.size, tried)) {
    const { run } = await runOnce({ ...options, size, seed: options.seed + tried.length }, deployment);
    if (aborting.signal.aborted) return 1;
    tried.push({ size, isMet: !hasFailed(run), run });
    saveReport(`${options.out}-${size}`, run);
    const missed = run.checks.filter(({ isMet }) => isMet === false);
    log(
      `${size} a second: ${missed.length === 0 ? 'met' : missed.map(({ name, value }) => `${name}: ${value}`).join('; ')}`,
    );
    await sleep(15_000, undefined, { signal: aborting.signal }).catch(() => {}); // what it left to do is not the next one's
  }
  const names = Object.keys(tried[0]?.run.parts ?? {});
  const rows = tried
    .toSorted((a, b) => a.size - b.size)
    .map(({ size, isMet, run }) => [
      String(size),
      isMet ? 'met' : '**not met**',
      ...['firstToken', 'firstAttempt', 'signIn'].map((timing) =>
        number(run.phases[0]?.times[timing as 'firstToken']?.p95 ?? Number.NaN),
      ),
      ...names.map((name) => run.parts[name]?.cores.toFixed(2) ?? '–'),
    ]);
  console.log(
    `\n${table(['Size', 'Objectives', 'First token, p95 ms', 'First attempt, p95 ms', 'Sign-in, p95 ms', ...names.map((name) => `${name}, cores`)], rows)}`,
  );
  const largest = largestMet(tried);
  console.log(
    largest === undefined ? '\nNo size met all objectives.' : `\nThe largest size that met all objectives: ${largest}`,
  );
  return largest === undefined ? 1 : 0;
}

const exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${usage}`);
  return 2;
});
await stopAll();
process.exit(exitCode);
