import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { pino, type Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import { describeForLog, redact } from './log-contents.ts';
import type { LogFields } from './log-fields.ts';
import { metricsText } from './metrics/process-metrics.ts';
import { productVersion } from './product-version.ts';
import type { Readiness } from './readiness.ts';

type Write = (fields: LogFields | string, message?: string) => void;
type Level = 'debug' | 'info' | 'warn' | 'error' | 'fatal';
/** Accepts only documented fields. */
export type Log = Omit<Logger, Level> & Record<Level, Write>;

/** Not escaped by JSON, but terminals interpret them: control characters, line separators and bidirectional marks. */
const controlCharacters = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const escapeControlCharacters = (line: string) =>
  line.replace(controlCharacters, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** One JSON object per line. Bodies, headers and URLs are never logged. */
export const createLog = (name: string, level: Config['LOG_LEVEL']): Log =>
  pino({
    name,
    level,
    serializers: { err: describeForLog },
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
    metricsText(registry).then(
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
