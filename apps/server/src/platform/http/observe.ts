import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import type { Id } from '../ids.contract.ts';
import { currentVersion } from '../version.ts';
import { endSpan, startSpan, traceparentOf, type Log } from '../telemetry.ts';

type Point = Histogram.Internal<'method' | 'route' | 'status'>;

/** Headers of every response, including errors. */
export const plainHeaders = (requestId: string, publicUrl: string) => ({
  'x-request-id': requestId,
  'x-service-version': currentVersion, // until the guard knows the version of the tenant
  'x-content-type-options': 'nosniff',
  ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
});

/** A request of a tenant that was rejected or failed. Contains enough to find it, and none of its content. */
export interface FailedRequest {
  tenantId: Id<'tenant'>;
  /** The route's name. */
  operation: string;
  status: number;
  reason: string;
  requestId: string;
  traceId: string | null;
  /** The caller. Visitors have no id here. */
  actor: { type: string; id: string | null };
}

interface ObserveDeps {
  log: Log;
  metrics: Registry;
  onRequestFailed?: (request: FailedRequest) => void;
  publicUrl: string;
  isTracing?: boolean;
}

/** Logs, measures and traces every request. Successful reads are measured but not logged. */
export function observe(
  app: FastifyInstance,
  { log, metrics, onRequestFailed, publicUrl, isTracing = false }: ObserveDeps,
) {
  const seconds = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'Time from the first byte of the request to the last byte of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  // Looking up a labelled series costs more than adding to it, so each route caches its series by status.
  const points = new WeakMap<object, Point[]>();
  const pointFor = ({ method, url, config }: FastifyRequest['routeOptions'], status: number): Point => {
    if (url === undefined) return seconds.labels(String(method), 'unknown', String(status));
    const byStatus = points.get(config) ?? [];
    points.set(config, byStatus);
    return (byStatus[status] ??= seconds.labels(String(method), url, String(status)));
  };
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(plainHeaders(request.id, publicUrl));
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
    const { id: requestId, method, routeOptions } = request;
    const { statusCode: status, elapsedTime } = reply;
    pointFor(routeOptions, status).observe(elapsedTime / 1000);
    const level = status >= 500 ? 'error' : status >= 400 || method !== 'GET' ? 'info' : 'debug';
    if (log.isLevelEnabled(level)) {
      const tenantId = request.caller?.tenantId;
      log[level](
        { requestId, method, route: routeOptions.url, status, ms: Math.round(elapsedTime), tenantId },
        'request',
      );
    }
    const failed = status >= 400 && onRequestFailed ? failedRequestOf(request, status) : undefined;
    if (failed) onRequestFailed?.(failed);
    if (request.span) endSpan(request.span, status >= 500 ? new Error(String(status)) : undefined);
    done();
  });
}

/** Undefined if the tenant is not known. */
function failedRequestOf(
  { id: requestId, knownTenant, visitor, errorReason, traceparent, routeOptions }: FastifyRequest,
  status: number,
): FailedRequest | undefined {
  const { operation } = routeOptions.config;
  const { tenantId, actor } =
    knownTenant ?? (visitor ? { tenantId: visitor.tenantId, actor: visitorActor } : { tenantId: undefined });
  if (operation === undefined || errorReason === null || tenantId === undefined || actor === undefined)
    return undefined;
  const traceId = traceparent?.split('-')[1] ?? null;
  return { tenantId, operation, status, reason: errorReason, requestId, traceId, actor };
}
const visitorActor = { type: 'visitor', id: null };
