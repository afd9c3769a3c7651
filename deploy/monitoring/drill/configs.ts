import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

// The operator's files, with what the drill has instead of their receivers and paths.

const read = (name: string) => parse(readFileSync(resolve(import.meta.dirname, '..', name), 'utf8')) as unknown;

interface PrometheusConfig {
  global: { scrape_interval: string; evaluation_interval: string };
  scrape_configs: { job_name: string; authorization?: { credentials_file: string } }[];
}

export function prometheusConfig({ scrapeSeconds, tokenFile }: { scrapeSeconds: number; tokenFile: string }) {
  const config = read('prometheus.yml') as PrometheusConfig;
  return {
    ...config,
    global: { scrape_interval: `${scrapeSeconds}s`, evaluation_interval: `${scrapeSeconds}s` },
    scrape_configs: config.scrape_configs.map((job) => ({
      ...job,
      ...(job.authorization && { authorization: { credentials_file: tokenFile } }),
    })),
  };
}

interface AlertmanagerConfig {
  route: { group_wait: string; group_interval: string };
  receivers: { name: string }[];
}

/** Routes and inhibitions as they are; each receiver is a path of the pager. */
export function alertmanagerConfig({ factor, pagerUrl }: { factor: number; pagerUrl: string }) {
  const { route, receivers, ...config } = read('alertmanager.yml') as AlertmanagerConfig;
  const shorten = (seconds: number) => `${Math.max(1, Math.round(seconds / factor))}s`;
  return {
    ...config,
    global: {},
    route: { ...route, group_wait: shorten(30), group_interval: shorten(300) },
    receivers: receivers.map(({ name }) => ({
      name,
      webhook_configs: [{ url: `${pagerUrl}/${name}`, send_resolved: true }],
    })),
  };
}
