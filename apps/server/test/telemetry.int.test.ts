import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { freePort, startRestate } from '../../../tools/stack/index.ts';
import { startChild } from './faults/child.ts';
import { aTenant, settings, ownDir } from './harness.ts';

interface Span {
  name: string;
  traceId: string;
  service: string;
}

/** An OTLP collector over HTTP. */
async function startCollector() {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (part: Buffer) => chunks.push(part));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: {
          resource: { attributes: { key: string; value: { stringValue?: string } }[] };
          scopeSpans: { spans: { name: string; traceId: string }[] }[];
        }[];
      };
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        for (const { name, traceId } of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ name, traceId, service });
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

// Most of the time goes into starting these, which isn't what the test is about: it has no separate limit.
const dir = ownDir('telemetry');
const [collector, restate] = [await startCollector(), await startRestate(dir, { partitions: 4 })];
const [metricsPort, workerMetricsPort] = [await freePort(), await freePort()];
const shared = settings({
  RESTATE_INGRESS_URL: restate.ingressUrl,
  RESTATE_ADMIN_URL: restate.adminUrl,
  RESTATE_IDENTITY_KEYS: restate.identityKey,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_BSP_SCHEDULE_DELAY: '200',
  LOG_LEVEL: 'info',
});
const api = startChild('src/api.ts', { ...shared, METRICS_PORT: String(metricsPort) });
const worker = startChild('src/worker.ts', {
  ...shared,
  WORKER_PORT: '0',
  METRICS_PORT: String(workerMetricsPort),
});
const [{ url }] = await Promise.all([api.ready, worker.ready]);
afterAll(async () => {
  for (const child of [api, worker]) child.signal('SIGKILL');
  collector.close();
  await restate.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('one trace spans request, Restate and worker; metrics are exposed, and logs contain no secrets', async () => {
  const tenant = await aTenant();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const canary = 'canary-in-a-body';
  const createKey = async (lifeMs: number) => {
    const response = await fetch(`${url}/api-keys`, {
      method: 'POST',
      headers: {
        ...tenant.headers,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({
        name: canary,
        keyType: 'secret_server',
        expiresAt: new Date(Date.now() + lifeMs).toISOString(),
      }),
    });
    expect(response.status).toBe(201);
    return (await response.json()) as { secret: string };
  };
  const { secret } = await createKey(60_000);
  await createKey(2_000); // close to expiry, so that its warning is sent during the test
  const services = () => [
    ...new Set(collector.spans.filter((span) => span.traceId === traceId).map(({ service }) => service)),
  ];
  await expect.poll(() => services().toSorted()).toEqual(['parley-api', 'parley-worker']);

  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toMatch(
    /parley_http_request_duration_seconds_count\{method="POST",route="\/api-keys",status="201"\} 2/,
  );
  const workerMetrics = await (await fetch(`http://127.0.0.1:${workerMetricsPort}/metrics`)).text();
  expect(workerMetrics).toMatch(/parley_events_oldest_pending_seconds [\d.]+/);
  expect(Number(/parley_partition_days_ahead (\d+)/.exec(workerMetrics)?.[1])).toBeGreaterThanOrEqual(13);

  const log = [...api.lines, ...worker.lines].join('\n');
  expect(log).toContain('"route":"/api-keys"');
  for (const word of [secret, tenant.token, canary]) expect(log).not.toContain(word);

  for (const child of [api, worker]) child.signal('SIGTERM');
  expect(await Promise.all([api.ended, worker.ended])).toEqual([1, 2].map(() => ({ code: 0, signal: null })));
});
