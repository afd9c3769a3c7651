import { randomBytes } from 'node:crypto';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { productVersion } from './product-version.ts';
import { enableSpans } from './spans.ts';
import type { Log } from './telemetry.ts';

/** Enables tracing if an endpoint is configured. The SDK reads OTEL_TRACES_SAMPLER and OTEL_BSP_… itself. */
export async function startTracing(
  name: string,
  endpoint: string | undefined,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  if (!endpoint) return { stop: async () => {} };
  // Loaded on demand: it takes a tenth of the startup time.
  const [exporters, resources, sdk] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
  ]);
  const warn = (problem: string) => log.warn({ problem: problem.slice(0, 300) }, 'sending traces failed');
  const ignore = () => {};
  const logger = { error: warn, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const exporter = new exporters.OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new sdk.NodeTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': name, 'service.version': productVersion }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  provider.register({ propagator: null }); // what is passed on is explicit: see spans.ts
  enableSpans();
  return { stop: () => provider.shutdown() };
}

const w3c = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
export const isTraceparent = (header: unknown): header is string => typeof header === 'string' && w3c.test(header);

/** The caller's trace, or a new one. Created even if tracing is off, because events include it. */
export const traceparentOf = (header: unknown): string =>
  isTraceparent(header) ? header : `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;
