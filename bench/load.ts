import autocannon from 'autocannon';
import { cpuMsOf } from './cpu.ts';
import type { Comparison } from './figures/comparison.ts';

interface Load {
  /** Requests per second. */
  rate: number;
  /** CPU time of the server's process for one, in microseconds. */
  cpuMicros: number;
}

/** Loads a route with this many connections. All responses have to be successful. */
export async function loadRoute(pid: number | undefined, options: autocannon.Options): Promise<Load> {
  const before = cpuMsOf(pid);
  const run = await autocannon(options);
  if (run.non2xx > 0 || run.errors > 0) {
    throw new Error(`${options.url}: ${run.non2xx} responses were not successful, ${run.errors} errors`);
  }
  const { total } = run.requests;
  return { rate: total / run.duration, cpuMicros: (1_000 * (cpuMsOf(pid) - before)) / total };
}

/**
 * A route against a bare one: how many requests a busy process gives, and the CPU time of one, with all threads of the
 * process. Where the load generator or other machines on this host are what limits the rate, only CPU time can be compared.
 */
export function compareRoutes(
  { name, peerName, unit }: Pick<Comparison, 'name' | 'peerName' | 'unit'>,
  { ours, peer }: { ours: () => Promise<Load>; peer: () => Promise<Load> },
): { byRate: Comparison; byCpu: Comparison } {
  const by = (field: keyof Load) => ({
    ours: async () => (await ours())[field],
    peer: async () => (await peer())[field],
  });
  return {
    byRate: { name, peerName, unit, goal: { atLeast: 0.7 }, ...by('rate') },
    byCpu: { name: `${name}: CPU`, peerName, unit: 'µs', ...by('cpuMicros') },
  };
}
