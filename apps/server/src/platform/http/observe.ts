import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Id } from '../ids.contract.ts';
import { currentVersion } from '../version.ts';
import { endSpan, startSpan, traceparentOf, type Log } from '../telemetry.ts';
import { createRequestDurations, type Series } from './durations.ts';

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
  const newSeries = createRequestDurations(metrics);
  const unknownRoutes = new Map<string, Series>();
  const ofRoutes = new WeakMap<object, Series[]>();
  /** The series of a route and a status. Each route has its own, by status. */
  const seriesOf = ({ method, url, config }: FastifyRequest['routeOptions'], status: number): Series => {
    if (url === undefined) {
      const key = `${String(method)} ${status}`;
      const known = unknownRoutes.get(key);
      if (known) return known;
      const created = newSeries({ method: String(method), route: 'unknown', status: String(status) });
      unknownRoutes.set(key, created);
      return created;
    }
    let byStatus = ofRoutes.get(config);
    if (!byStatus) ofRoutes.set(config, (byStatus = []));
    return (byStatus[status] ??= newSeries({ method: String(method), route: url, status: String(status) }));
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
    seriesOf(routeOptions, status).observe(elapsedTime / 1000);
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
