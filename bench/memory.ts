import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { prepare } from '../tools/demo/settings.ts';
import { freePort } from '../tools/stack/index.ts';
import { result, type Result } from './figures/result.ts';
import { buildServer, built, withStack } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const idleSeconds = Number(process.env['BENCH_SECONDS'] ?? 10);
const goals = { api: 150, worker: 160 };

/** The memory of an API and of a worker that have started and had nothing to do yet, and the CPU time of the start. */
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
      api: `${settings['PUBLIC_URL']}/health/ready`,
      worker: `http://127.0.0.1:${metricsPort}/health/live`,
    };
    const figures: Result[] = [];
    for (const name of ['api', 'worker'] as const) {
      const starts: Start[] = [];
      for (let round = 0; round < rounds; round++) starts.push(await startOnce(built[name], settings, readyUrls[name]));
      const resident = Math.max(...starts.map(({ residentMb }) => residentMb));
      const all = (figure: keyof Start) => starts.map((start) => start[figure].toFixed(0)).join(', ');
      figures.push(
        result({
          name: `resident memory of the ${name === 'api' ? 'API' : name}, ${idleSeconds} s after it was ready; the largest of ${rounds} starts`,
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
  residentMb: number;
  /** Without the program itself and other files that processes share. */
  anonymousMb: number;
  cpuMs: number;
}

async function startOnce(file: string, settings: Record<string, string>, readyUrl: string): Promise<Start> {
  const child = runEntry(file, settings);
  try {
    await waitFor(readyUrl);
    await sleep(idleSeconds * 1_000);
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const mb = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
    // All threads; user and system time in ticks of 10 ms.
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return { residentMb: mb('VmRSS'), anonymousMb: mb('RssAnon'), cpuMs: (Number(stat[11]) + Number(stat[12])) * 10 };
  } finally {
    await child.stop();
  }
}
