import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../tools/stack/index.ts';
import { runServer, type Server } from '../../../tools/stack/processes.ts';
import { programsOf } from './programs.ts';
import type { Product } from './product.ts';

/** Only the drill's own disk: what others do with the disks of this machine isn't a fault of this drill. */
function mountPointsExcept(folder: string): string {
  const others = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((mountPoint) => mountPoint !== '' && mountPoint !== folder);
  return `^(${others.map((one) => one.replaceAll(/[^\w/]/g, '.')).join('|')})$`;
}

/** What dashboards and the alerts on disks need, as Debian has it. Restate serves its own. */
export async function startExporters({ servers, disk, databaseUrl }: Product, dir: string) {
  const programs = programsOf('prometheus-node-exporter', 'prometheus-postgres-exporter', 'prometheus-redis-exporter');
  const ports: Record<string, number> = { restate: Number(new URL(servers.restate.metricsUrl).port) };
  const started: Server[] = [];
  const run = async (target: string, name: string, args: readonly string[], env: Record<string, string> = {}) => {
    const port = await freePort();
    const server = await runServer({
      name,
      dir,
      command: join(programs, `prometheus-${name}`),
      args: [`--web.listen-address=127.0.0.1:${port}`, ...args],
      env,
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).ok,
    });
    ports[target] = port;
    started.push(server);
  };
  await run('postgresql', 'postgres-exporter', [], { DATA_SOURCE_NAME: `${databaseUrl}?sslmode=disable` });
  await run('valkey', 'redis-exporter', [`--redis.addr=${servers.valkey.url}`]);
  if (disk)
    await run('node', 'node-exporter', [
      '--collector.disable-defaults',
      '--collector.filesystem',
      `--collector.filesystem.mount-points-exclude=${mountPointsExcept(disk.folder)}`,
    ]);
  return { ports, stop: () => Promise.all(started.map((server) => server.stop())) };
}
