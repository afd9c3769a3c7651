import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { context, propagation, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import { pino, type Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Config } from './config.ts';
import { productVersion } from './product-version.ts';
import type { Readiness } from './readiness.ts';

export type Log = Logger;

/** Keys, webhook secrets and tokens, which must never be logged. */
const secrets = /\b(?:sc_live_|pk_live_|whsec_)[0-9A-Za-z+/=]{8,}|(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g;
export const redact = (text: string) => text.replace(secrets, (found) => `${found.slice(0, 8)}[redacted]`);

/** Not escaped by JSON, but terminals interpret them: control characters, line separators and bidirectional marks. */
const controlCharacters = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const escapeControlCharacters = (line: string) =>
  line.replace(controlCharacters, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** One JSON object per line. Bodies are never logged; the redaction is a safety net. */
export const createLog = (name: string, level: Config['LOG_LEVEL']): Log =>
  pino({
    name,
    level,
    redact: {
      paths: ['*.authorization', '*.cookie', '*.password', '*.secret', '*.sessionToken'],
      censor: '[redacted]',
    },
    hooks: { streamWrite: (line) => escapeControlCharacters(redact(line)) },
  });

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/**
 * Serves `/metrics`, and health checks for workers, on the operator's network only. `checkReadiness` returns undefined in
 * the API, which serves its readiness on its public port.
 */
export async function serveMetrics(
  registry: Registry,
  { METRICS_HOST: host, METRICS_PORT: port, METRICS_TOKEN: token }: Config,
  checkReadiness: () => Promise<Readiness> | undefined = () => undefined,
) {
  const isAllowed = (authorization = '') =>
    token === undefined || timingSafeEqual(sha256(authorization), sha256(`Bearer ${token}`));
  const server = createServer((request, response) => {
    if (request.url === '/health/live') return sendJson(response, 200, { status: 'ok', version: productVersion });
    const readiness = request.url === '/health/ready' ? checkReadiness() : undefined;
    if (readiness)
      return void readiness.then((result) => sendJson(response, result.status === 'ok' ? 200 : 503, result));
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    if (!isAllowed(request.headers.authorization))
      return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return { close: () => server.close() };
}

const sendJson = (response: ServerResponse, status: number, body: object) =>
  void response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));

export function createMetrics(role: 'api' | 'worker'): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'parley_' });
  new Gauge({
    name: 'parley_build_info',
    help: 'Always 1; the labels say which version this process runs.',
    labelNames: ['version', 'role'],
    registers: [registry],
  }).set({ version: productVersion, role }, 1);
  return registry;
}

/** Enables tracing if an endpoint is configured. */
export async function startTracing(name: string, endpoint: string | undefined): Promise<{ stop(): Promise<void> }> {
  if (!endpoint) return { stop: async () => {} };
  // Loaded on demand: it takes a tenth of the startup time.
  const [core, exporters, resources, sdk] = await Promise.all([
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
  ]);
  const exporter = new exporters.OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new sdk.NodeTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': name }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  provider.register({ propagator: new core.W3CTraceContextPropagator() });
  return { stop: () => provider.shutdown() };
}

const w3c = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace, or a new one. Created even if tracing is off, because events include it. */
export const traceparentOf = (header: unknown): string =>
  typeof header === 'string' && w3c.test(header)
    ? header
    : `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;

const tracer = trace.getTracer('parley');

/** Starts a child span of `traceparent`, and returns the traceparent for work inside it. */
export function startSpan(name: string, traceparent: string): { span: Span; traceparent: string } {
  const parent = propagation.extract(context.active(), { traceparent });
  const span = tracer.startSpan(name, {}, parent);
  const carrier: { traceparent?: string } = {};
  propagation.inject(trace.setSpan(parent, span), carrier);
  return { span, traceparent: carrier.traceparent ?? traceparent };
}

export function endSpan(span: Span, failure?: unknown) {
  if (failure)
    span.setStatus({ code: SpanStatusCode.ERROR, message: failure instanceof Error ? failure.name : 'failed' });
  span.end();
}
