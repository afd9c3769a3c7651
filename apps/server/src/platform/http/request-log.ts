import type { FastifyRequest } from 'fastify';
import { traceIdOf } from '../spans.ts';
import type { Log } from '../telemetry.ts';
import { isTraceparent } from '../tracing.ts';

type LoggedRequest = Pick<FastifyRequest, 'id' | 'caller' | 'knownTenant' | 'visitor' | 'traceparent' | 'headers'>;

/** In every log line of a request. While tracing is off, reads have a trace only if the caller sent one. */
export function idsOf({ id: requestId, caller, knownTenant, visitor, traceparent, headers }: LoggedRequest) {
  const header = traceparent ?? headers['traceparent'];
  const traceId = isTraceparent(header) ? traceIdOf(header) : undefined;
  return { requestId, traceId, tenantId: (caller ?? knownTenant ?? visitor)?.tenantId };
}

/** Fastify's type of it accepts any field. */
export const logOf = (request: FastifyRequest) => request.log as unknown as Log;
