import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDeployments } from '../apps/server/src/platform/deployments.ts';
import { keepRegistered } from '../apps/server/src/platform/registration.ts';
import { createLog } from '../apps/server/src/platform/telemetry.ts';
import { freePort, stackDir, startRestate } from '../tools/stack/index.ts';
import { cpuMsOf } from './cpu.ts';
import { withDatabase } from './database.ts';
import { result, type Result } from './figures/result.ts';
import type { WorkerReport } from './sweeper-worker.ts';

const timers = Number(process.env['BENCH_TIMERS'] ?? 200_000);

/**
 * Restate was started without its data: how long until two workers have called for every open timer again, each once?
 * The timers are cleared when they are handled, as turns do when they are done.
 */
export const sweeper = (): Promise<Result[]> =>
  withDatabase(async ({ admin, appUrl }) => {
    const dir = stackDir(`bench-sweeper-${process.pid}`);
    const restate = await startRestate(join(dir, 'restate'), { partitions: 4 });
    const port = await freePort();
    const workers = await startWorkers({
      APP_URL: appUrl,
      INGRESS_URL: restate.ingressUrl,
      IDENTITY_KEY: restate.identityKey,
      WORKER_PORT: String(port),
    });
    const registered = keepRegistered({
      deployments: openDeployments(restate.adminUrl),
      workerUrl: `http://127.0.0.1:${port}`,
      services: [], // they are in the other processes
      force: true,
      log: createLog('bench', 'silent'),
    });
    await admin.query(
      `insert into directory.timers (kind, tenant_id, subject_id, due_at)
      select 'turn', 'ten_' || n % 1000, 'conv_' || n || '/turn_' || n, now() - interval '5 minutes' - n * interval '1 ms'
      from generate_series(1, $1::int) as n`,
      [timers],
    );
    await admin.query('analyze directory.timers');
    await waitUntil(async () => (await (await fetch(`${restate.adminUrl}/services`)).text()).includes('Conversation'));

    const calls = new Map<string, number>();
    const reports = new Map<Worker, WorkerReport>();
    const total = (field: 'sent' | 'cpuMs') => [...reports.values()].reduce((sum, report) => sum + report[field], 0);
    for (const worker of workers)
      worker.on('message', (report: WorkerReport) => {
        reports.set(worker, report);
        for (const turnId of report.turnIds) calls.set(turnId, (calls.get(turnId) ?? 0) + 1);
        const subjects = report.turnIds.map((turnId) => `${turnId.replace('turn', 'conv')}/${turnId}`);
        void admin.query(`delete from directory.timers where kind = 'turn' and subject_id = any ($1)`, [subjects]);
      });
    const [startedAt, restateCpuMs] = [performance.now(), cpuMsOf(restate.pid() ?? 0)];
    for (const worker of workers) worker.send('start');
    await waitUntil(async () => calls.size >= timers && total('sent') >= timers);
    const ms = performance.now() - startedAt;
    const [sent, twice] = [total('sent'), [...calls.values()].filter((count) => count > 1).length];
    const perTimer = (cpuMs: number) => `${(cpuMs / timers).toFixed(2)} ms`;
    const name = `${timers.toLocaleString('en')} open timers, after Restate was started without its data, with two workers`;
    const figures = [
      result({
        name: `${name}: all handled`,
        value: ms / 1_000,
        unit: 's',
        goal: { atMost: 180 },
        rounds: 1,
        note: `CPU for each: ${perTimer(total('cpuMs'))} of the workers, ${perTimer(cpuMsOf(restate.pid() ?? 0) - restateCpuMs)} of Restate`,
      }),
      result({ name: 'the same: handled twice', value: twice, unit: 'timers', goal: { atMost: 0 }, rounds: 1 }),
      result({ name: 'the same: sent again', value: sent - timers, unit: 'timers', goal: { atMost: 0 }, rounds: 1 }),
    ];
    for (const worker of workers) worker.process.kill('SIGKILL');
    await registered.stop();
    await restate.stop();
    rmSync(dir, { recursive: true, force: true });
    return figures;
  });

/** Two processes that share a port, so that Restate's connections are distributed among them. */
async function startWorkers(env: Record<string, string>): Promise<Worker[]> {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'sweeper-worker.ts') });
  const workers = [cluster.fork(env), cluster.fork(env)];
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return workers;
}

async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone().catch(() => false))) await sleep(200);
}
