import type { FastifyInstance } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import { endSpan, startSpan, traceparentOf } from '../telemetry.ts';

/** A line in the log, a point in a histogram, a span in a trace. Reads that went well are counted, not logged. */
export function observe(app: FastifyInstance, metrics: Registry, isTracing: boolean) {
  const seconds = new Histogram({
    name: 'parley_http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (isTracing) {
      const started = startSpan(
        `${request.method} ${request.routeOptions.url ?? 'unknown'}`,
        traceparentOf(request.headers['traceparent']),
      );
      request.span = started.span;
      request.traceparent = started.traceparent;
    } else if (request.method !== 'GET') {
      request.traceparent = traceparentOf(request.headers['traceparent']);
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, id: requestId } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const { statusCode: status, elapsedTime } = reply;
    seconds.labels(method, route, String(status)).observe(elapsedTime / 1000);
    const level = status >= 500 ? 'error' : status >= 400 || method !== 'GET' ? 'info' : 'debug';
    request.log[level](
      { requestId, method, route, status, ms: Math.round(elapsedTime), tenantId: request.caller?.tenantId },
      'request',
    );
    if (request.span) endSpan(request.span, status >= 500 ? new Error(String(status)) : undefined);
    done();
  });
}
