import { SpanKind, type Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Id } from '../ids.contract.ts';
import { currentVersion } from '../version.ts';
import { endSpan, isTracing, startSpan, traceIdOf, traceparentOfSpan } from '../spans.ts';
import type { Log } from '../telemetry.ts';
import { isTraceparent, traceparentOf } from '../tracing.ts';
import { readGauge, readGaugeBy } from '../metrics/gauges.ts';
import type { Series } from '../metrics/histogram.ts';
import { createRequestDurations } from './durations.ts';
import { idsOf } from './request-log.ts';
import type { Streams } from './stream.ts';

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
  streams: Pick<Streams, 'count'>;
}

/** Logs, measures and traces every request. Successful reads are measured but not logged. */
export function observe(app: FastifyInstance, { log, metrics, onRequestFailed, publicUrl, streams }: ObserveDeps) {
  const newSeries = createRequestDurations(metrics);
  let active = 0;
  const openStreams = () => Object.values(streams.count()).reduce((sum, count) => sum + count, 0);
  readGauge(metrics, 'http_server_active_requests', 'Requests that are being handled, without open streams.', () =>
    Math.max(0, active - openStreams()),
  );
  const openStreamsGauge = { name: 'parley_open_streams', help: 'Open streams, by operation.', label: 'kind' };
  readGaugeBy(metrics, openStreamsGauge, streams.count);
  const unknownRoutes = new Map<string, Series>();
  const ofRoutes = new WeakMap<object, Series[]>();
  /** The series of a route and a status. Each route has its own, by status. */
  const seriesOf = ({ method, url, config }: FastifyRequest['routeOptions'], status: number): Series => {
    if (url === undefined) {
      const key = `${String(method)} ${status}`;
      const known = unknownRoutes.get(key);
      if (known) return known;
      const created = newSeries(labelsOf(method, 'unknown', status));
      unknownRoutes.set(key, created);
      return created;
    }
    let byStatus = ofRoutes.get(config);
    if (!byStatus) ofRoutes.set(config, (byStatus = []));
    return (byStatus[status] ??= newSeries(labelsOf(method, url, status)));
  };
  app.addHook('onRequest', (request, reply, done) => {
    active++;
    reply.headers(plainHeaders(request.id, publicUrl));
    if (isTracing()) {
      request.span = startRequestSpan(request);
      request.traceparent = traceparentOfSpan(request.span);
    } else if (request.method !== 'GET') {
      request.traceparent = traceparentOf(request.headers['traceparent']);
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    active--;
    const { method, routeOptions, streamedAfterMs } = request;
    const { statusCode: status, elapsedTime } = reply;
    seriesOf(routeOptions, status).observe((streamedAfterMs ?? elapsedTime) / 1_000);
    const isBroken = status >= 500 && request.errorReason !== 'busy';
    const level = isBroken ? 'error' : status >= 400 || method !== 'GET' ? 'info' : 'debug';
    if (log.isLevelEnabled(level))
      log[level](
        { ...idsOf(request), method, route: routeOptions.url, status, ms: Math.round(elapsedTime) },
        'request',
      );
    const failed = status >= 400 && onRequestFailed ? failedRequestOf(request, status) : undefined;
    if (failed) onRequestFailed?.(failed);
    if (request.span) endRequestSpan(request, request.span, status);
    done();
  });
}

const labelsOf = (method: string | string[], route: string, status: number) => ({
  http_request_method: String(method),
  http_route: route,
  http_response_status_code: String(status),
});

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
  const traceId = traceparent === null ? null : traceIdOf(traceparent);
  return { tenantId, operation, status, reason: errorReason, requestId, traceId, actor };
}

/** In the caller's trace. Without one, the sampler decides whether a new one is recorded. */
function startRequestSpan({ method, routeOptions: { url: route }, headers }: FastifyRequest) {
  const attributes = { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) };
  const parent = isTraceparent(headers['traceparent']) ? headers['traceparent'] : null;
  return startSpan(`${method} ${route ?? 'unknown'}`, parent, { kind: SpanKind.SERVER, attributes });
}

function endRequestSpan({ id, caller, knownTenant, visitor }: FastifyRequest, span: Span, status: number) {
  const tenantId = (caller ?? knownTenant ?? visitor)?.tenantId;
  span.setAttributes({
    'http.response.status_code': status,
    'parley.request.id': id,
    ...(tenantId !== undefined && { 'parley.tenant.id': tenantId }),
  });
  endSpan(span, status >= 500 ? String(status) : undefined);
}

const visitorActor = { type: 'visitor', id: null };
