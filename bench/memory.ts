import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { runEntry } from '../tools/demo/processes.ts';
import { prepare } from '../tools/demo/settings.ts';
import { freePort } from '../tools/stack/index.ts';
import { result, type Result } from './figures/result.ts';
import { median } from './figures/stats.ts';
import { buildServer, built, withStack } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const idleSeconds = Number(process.env['BENCH_SECONDS'] ?? 10);
const goals = { readyMs: 700, api: 150, worker: 160 };

/**
 * How long an API and a worker take from the start of their process until they are ready, and their memory and the CPU time
 * they used when they then had nothing to do yet.
 */
export async function memory(): Promise<Result[]> {
  buildServer();
  return withStack(async (stack) => {
    const metricsPort = await freePort();
    const settings: Record<string, string> = {
      ...(await prepare(stack)),
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: 'error',
    };
    const readyUrls = {
      api: `http://127.0.0.1:${settings['PORT']}/health/ready`,
      worker: `http://127.0.0.1:${metricsPort}/health/ready`, // Restate knows it and can call it
    };
    const figures: Result[] = [];
    for (const name of ['api', 'worker'] as const) {
      const starts: Start[] = [];
      for (let round = 0; round < rounds; round++) starts.push(await startOnce(built[name], settings, readyUrls[name]));
      const resident = Math.max(...starts.map(({ residentMb }) => residentMb));
      const all = (figure: keyof Start) => starts.map((start) => start[figure].toFixed(0)).join(', ');
      const process = name === 'api' ? 'API' : name;
      figures.push(
        result({
          name: `from the start of the ${process} until it is ready; median of ${rounds} starts`,
          value: median(starts.map(({ readyMs }) => readyMs)),
          unit: 'ms',
          goal: { atMost: goals.readyMs },
          rounds,
          note: `each ${all('readyMs')} ms`,
        }),
        result({
          name: `resident memory of the ${process}, ${idleSeconds} s after it was ready; the largest of ${rounds} starts`,
          value: resident,
          unit: 'MB',
          goal: { atMost: goals[name] },
          rounds,
          note: `anonymous ${all('anonymousMb')} MB; CPU time until then ${all('cpuMs')} ms`,
        }),
      );
    }
    return figures;
  });
}

interface Start {
  readyMs: number;
  residentMb: number;
  /** Without the program itself and other files that processes share. */
  anonymousMb: number;
  cpuMs: number;
}

async function startOnce(file: string, settings: Record<string, string>, readyUrl: string): Promise<Start> {
  const startedAt = performance.now();
  const child = runEntry(file, settings);
  let hasEnded = false;
  void child.ended.then(() => (hasEnded = true));
  try {
    while (!(await responds(readyUrl))) {
      if (hasEnded) throw new Error(`${file} ended before it was ready`);
      await sleep(5);
    }
    const readyMs = performance.now() - startedAt;
    await sleep(idleSeconds * 1_000);
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const mb = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
    // All threads; user and system time in ticks of 10 ms.
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const cpuMs = (Number(stat[11]) + Number(stat[12])) * 10;
    return { readyMs, residentMb: mb('VmRSS'), anonymousMb: mb('RssAnon'), cpuMs };
  } finally {
    await child.stop();
  }
}

/** Cheaper than `fetch`, so that waiting takes less of the CPU that the process needs. */
const responds = (url: string) =>
  new Promise<boolean>((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    }).once('error', () => resolve(false));
  });
