import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../apps/server/src/platform/db.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import type { Stack } from '../tools/stack/index.ts';
import { agent, call, openSession, type Target } from './chat-client.ts';
import { processesIn, usageOf, type Usage } from './cpu.ts';
import { result, type Result } from './figures/result.ts';
import { median, percentile } from './figures/stats.ts';
import { buildServer, built, connectAdmin, withStack } from './servers.ts';

const rates = (process.env['BENCH_RATES'] ?? '1,10').split(',').map(Number);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 30);

/** What a message of a visitor costs each part of a deployment, at a fixed rate: CPU time, memory and disk. */
export async function sizing(): Promise<Result[]> {
  buildServer();
  const site = 'http://localhost:1';
  const measureAll = async (stack: Stack) => {
    const settings: Record<string, string> = {
      ...(await prepare(stack)),
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'error',
    };
    const target: Target = { apiUrl: settings['PUBLIC_URL'] ?? '', site, ...(await seedDemo(settings, site)) };
    const [api, worker] = [built.api, built.worker].map((entry) => runEntry(entry, settings));
    await waitFor(`${target.apiUrl}/health/ready`);
    const admin = connectAdmin(stack);
    const parts = () => ({
      API: usageOf([api?.pid ?? 0]),
      worker: usageOf([worker?.pid ?? 0]),
      PostgreSQL: usageOf(processesIn(`${stack.dir}/postgres`)),
      Restate: usageOf(processesIn(`${stack.dir}/restate`)),
      Valkey: usageOf(processesIn(`${stack.dir}/valkey`)),
    });
    await send(target, 5, 4); // warm
    const figures: Result[] = [];
    for (const rate of rates) figures.push(await measure(target, rate, { parts, admin }));
    await admin.destroy();
    agent.destroy();
    await Promise.all([api?.stop(), worker?.stop()]);
    return figures;
  };
  return withStack(measureAll, { durable: true });
}

async function measure(
  target: Target,
  rate: number,
  { parts, admin }: { parts: () => Record<string, Usage>; admin: Db },
): Promise<Result> {
  const [before, bytesBefore, startedAt] = [parts(), await databaseBytes(admin), Date.now()];
  const times = await send(target, rate, seconds);
  await sleep(2_000); // events and indexes of the last ones
  const [after, bytes] = [parts(), (await databaseBytes(admin)) - bytesBefore];
  const reached = times.length / ((Date.now() - startedAt - 2_000) / 1_000);
  const costs = Object.entries(after).map(([name, { cpuMs, residentMb }]) => ({
    name,
    residentMb,
    ms: (cpuMs - (before[name]?.cpuMs ?? 0)) / times.length,
  }));
  return result({
    name: `a visitor's message answered from knowledge, at ${rate} a second: CPU time of all components`,
    value: costs.reduce((sum, { ms }) => sum + ms, 0),
    unit: 'ms',
    rounds: times.length,
    note: `${costs.map(({ name, ms, residentMb }) => `${name} ${ms.toFixed(1)} ms and ${residentMb.toFixed(0)} MB`).join(', ')}; the database grew by ${(bytes / times.length / 1_024).toFixed(1)} KB; ${reached.toFixed(1)} a second were reached, p50 ${median(times).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms`,
  });
}

/** Questions of visitors at this rate, whether or not the earlier ones are answered. Eight for each visitor. */
async function send(target: Target, rate: number, duration: number): Promise<number[]> {
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  let session = openSession(target);
  for (let n = 0, startedAt = Date.now(); n < rate * duration; n++) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / rate - Date.now()));
    if (n % 8 === 0) session = openSession(target);
    const mine = session;
    const ask = async () => {
      const { headers, sessionToken } = await mine;
      const sentAt = performance.now();
      const body = { sessionToken, message: 'when is the shop open' };
      await call('POST', `${target.apiUrl}/widget/chatbots/${target.botId}/message`, { headers, body });
      times.push(performance.now() - sentAt);
    };
    pending.push(ask());
  }
  await Promise.all(pending);
  return times;
}

const databaseBytes = async (admin: Db) => {
  await sql`checkpoint`.execute(admin);
  const { rows } = await sql<{ bytes: string }>`select pg_database_size('parley') as bytes`.execute(admin);
  return Number(rows[0]?.bytes);
};
