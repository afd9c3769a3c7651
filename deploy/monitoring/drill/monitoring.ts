import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort } from '../../../tools/stack/index.ts';
import { runServer } from '../../../tools/stack/processes.ts';
import { alertmanagerConfig, prometheusConfig } from './configs.ts';
import { startExporters } from './exporters.ts';
import { startPager } from './pager.ts';
import { metricsToken, type Product } from './product.ts';
import { programsOf } from './programs.ts';
import { shortenRules } from './shortened.ts';

const folder = resolve(import.meta.dirname, '..');

export interface MonitoringOptions {
  /** Divides all durations of rules and of Alertmanager. 1: as an operator uses them. */
  factor: number;
  scrapeSeconds: number;
}

export interface FiringAlert {
  labels: Record<string, string>;
  /** By an alert that is its cause. */
  isInhibited: boolean;
}

/** Prometheus and Alertmanager with our files, and the exporters that dashboards mention. */
export async function startMonitoring(product: Product, { factor, scrapeSeconds }: MonitoringOptions) {
  const programs = programsOf('prometheus', 'prometheus-alertmanager');
  const dir = join(product.dir, 'monitoring');
  for (const name of ['rules', 'targets']) mkdirSync(join(dir, name), { recursive: true });
  const write = (name: string, content: object | string) =>
    writeFileSync(join(dir, name), typeof content === 'string' ? content : stringify(content));
  const local = (...ports: number[]) => [{ targets: ports.map((port) => `127.0.0.1:${port}`) }];
  const ports = { prometheus: await freePort(), alertmanager: await freePort() };
  const [exporters, pager] = [await startExporters(product, dir), await startPager()];

  for (const name of readdirSync(join(folder, 'rules'))) {
    const text = readFileSync(join(folder, 'rules', name), 'utf8');
    write(join('rules', name), factor === 1 ? text : shortenRules(text, factor));
  }
  write('metrics-token', metricsToken);
  write('prometheus.yml', prometheusConfig({ scrapeSeconds, tokenFile: join(dir, 'metrics-token') }));
  write('alertmanager.yml', alertmanagerConfig({ factor, pagerUrl: pager.url }));
  write('targets/parley.yml', local(...Object.values(product.metricsPorts)));
  write('targets/alertmanager.yml', local(ports.alertmanager));
  for (const [name, port] of Object.entries(exporters.ports)) write(`targets/${name}.yml`, local(port));

  const url = (name: keyof typeof ports) => `http://127.0.0.1:${ports[name]}`;
  const get = async <T>(from: string): Promise<T> => {
    const response = await fetch(from, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`${from} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const run = (name: keyof typeof ports, command: string, ...args: string[]) =>
    runServer({
      name,
      dir,
      command: join(programs, command),
      args: [`--config.file=${join(dir, `${name}.yml`)}`, `--web.listen-address=127.0.0.1:${ports[name]}`, ...args],
      isReady: async () => (await fetch(`${url(name)}/-/ready`)).ok,
    });
  const alertmanager = await run(
    'alertmanager',
    'prometheus-alertmanager',
    `--storage.path=${join(dir, 'alertmanager')}`,
    '--cluster.listen-address=',
  );
  const prometheus = await run('prometheus', 'prometheus', `--storage.tsdb.path=${join(dir, 'data')}`);

  const monitoring = {
    pager,
    prometheusUrl: url('prometheus'),
    /** The alerts that Alertmanager would send to someone. */
    alerts: async (): Promise<FiringAlert[]> => {
      const alerts = await get<{ labels: Record<string, string>; status: { inhibitedBy: string[] } }[]>(
        `${url('alertmanager')}/api/v2/alerts`,
      );
      return alerts.map(({ labels, status }) => ({ labels, isInhibited: status.inhibitedBy.length > 0 }));
    },
    /** Names of alerts that are pending or firing. */
    activeRules: async (): Promise<string[]> => {
      const { data } = await get<{ data: { alerts: { labels: Record<string, string> }[] } }>(
        `${url('prometheus')}/api/v1/alerts`,
      );
      return [...new Set(data.alerts.map(({ labels }) => labels['alertname'] ?? ''))];
    },
    /** Targets that Prometheus can't scrape. */
    missingTargets: async (): Promise<string[]> => {
      const { data } = await get<{ data: { activeTargets: { scrapeUrl: string; health: string }[] } }>(
        `${url('prometheus')}/api/v1/targets?state=active`,
      );
      return data.activeTargets.filter(({ health }) => health !== 'up').map(({ scrapeUrl }) => scrapeUrl);
    },
    /** The samples of an expression over the last minutes. */
    query: async (expression: string, minutes: number): Promise<number[]> => {
      const end = Date.now() / 1_000;
      const query = new URLSearchParams({
        query: expression,
        start: String(end - minutes * 60),
        end: String(end),
        step: '15',
      });
      const { data } = await get<{ data: { result: { values: [number, string][] }[] } }>(
        `${url('prometheus')}/api/v1/query_range?${query.toString()}`,
      );
      return data.result.flatMap(({ values }) => values.map(([, value]) => Number(value)));
    },
    waitForTargets: async () => {
      for (let waited = 0; waited < 120; waited++) {
        const missing = await monitoring.missingTargets();
        if (missing.length === 0) return;
        if (waited === 119) throw new Error(`Prometheus does not reach ${missing.join(', ')}`);
        await sleep(500);
      }
    },
    /** Starts again without what was measured so far. Windows of a day would still contain the last fault. */
    clear: async () => {
      await Promise.all([prometheus.stop(), alertmanager.stop()]);
      for (const name of ['data', 'alertmanager']) rmSync(join(dir, name), { recursive: true, force: true });
      await alertmanager.start();
      await prometheus.start();
      pager.clear();
    },
    stop: async () => {
      await Promise.all([prometheus.stop(), alertmanager.stop(), exporters.stop()]);
      pager.stop();
    },
  };
  return monitoring;
}
export type Monitoring = Awaited<ReturnType<typeof startMonitoring>>;
