import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PortalConfig } from './config.ts';

// The same names as in apps/server/src/platform/metrics, which the portals do not contain: docs/operators/metrics.md.

const windowMs = 15_000;
/** Visited every open handle on each scrape, or depended on who scrapes. */
const replaced = /^nodejs_(eventloop_lag|active_)/;

export type PortalMetrics = ReturnType<typeof createPortalMetrics>;

export function createPortalMetrics(role: 'portal' | 'admin', version: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ role });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1_000 });
  for (const { name } of registry.getMetricsAsArray()) if (replaced.test(name)) registry.removeSingleMetric(name);
  new Gauge({
    name: 'parley_build_info',
    help: 'Always 1; the label says which version this process runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  const eventLoop = watchEventLoop(registry);
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.3, 0.5, 1, 2, 2.5, 5, 10],
    registers: [registry],
  });
  let active = 0;
  gauge(registry, 'http_server_active_requests', 'Requests that are being handled, streams included.', () => active);
  const renders = new Histogram({
    name: 'parley_portal_render_duration_seconds',
    help: 'Time to load the data of a page from the API and to render it, by route.',
    labelNames: ['route'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  const errors = new Counter({
    name: 'parley_portal_errors_total',
    help: 'Errors of this portal: while it rendered a page, or a response with a status of 500 or more.',
    registers: [registry],
  });
  return {
    registry,
    observeRequests: (app: FastifyInstance) => {
      app.addHook('onRequest', (_request, _reply, done) => {
        active++;
        done();
      });
      app.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
        active--;
        requests.observe(
          {
            http_request_method: method,
            http_route: routeOptions.url ?? 'unknown',
            http_response_status_code: statusCode,
          },
          elapsedTime / 1_000,
        );
        done();
      });
    },
    rendered: (route: string, startedAt: number) => renders.observe({ route }, (performance.now() - startedAt) / 1_000),
    failed: () => errors.inc(),
    stop: eventLoop.stop,
  };
}

const gauge = (registry: Registry, name: string, help: string, read: () => number) =>
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });

/** The delay of the last 15 s, independent of who reads it and how often. */
function watchEventLoop(registry: Registry) {
  const histogram = monitorEventLoopDelay({ resolution: 20 });
  histogram.enable();
  const read = () => ({
    p50: histogram.percentile(50),
    p90: histogram.percentile(90),
    p99: histogram.percentile(99),
    max: histogram.max,
  });
  let last = read();
  let [load, utilization] = [performance.eventLoopUtilization(), 0];
  const timer = setInterval(() => {
    last = read();
    histogram.reset();
    utilization = performance.eventLoopUtilization(load).utilization;
    load = performance.eventLoopUtilization();
  }, windowMs);
  timer.unref();
  for (const name of ['p50', 'p90', 'p99', 'max'] as const)
    gauge(registry, `nodejs_eventloop_delay_${name}_seconds`, `Delay of timers in the last 15 s: ${name}.`, () =>
      Math.max(0, last[name] / 1e9 - 0.02),
    );
  gauge(
    registry,
    'nodejs_eventloop_utilization_ratio',
    'Share of the last 15 s in which the event loop was busy; 1 is saturated.',
    () => utilization,
  );
  return {
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** Serves `/metrics` on the operator's network only. Without METRICS_PORT, nothing is served. */
export async function serveMetrics(
  { registry }: Pick<PortalMetrics, 'registry'>,
  {
    METRICS_HOST: host,
    METRICS_PORT: port,
    METRICS_TOKEN: token,
  }: Pick<PortalConfig, 'METRICS_HOST' | 'METRICS_PORT' | 'METRICS_TOKEN'>,
) {
  if (port === undefined) return { port, close: () => {} };
  const isAllowed = (authorization = '') =>
    token === undefined || timingSafeEqual(sha256(authorization), sha256(`Bearer ${token}`));
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    if (!isAllowed(request.headers.authorization))
      return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
