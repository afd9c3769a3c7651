import type { Span } from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, RequestInfo, Operator, VisitorSession } from '../context.ts';
import { rateHeaders } from '../rate-limit.ts';
import type { FailedRequest } from './observe.ts';
import type { PageResponse, PageRequest } from './route.ts';

/** What hooks and handlers add to a request. */
declare module 'fastify' {
  interface FastifyContextConfig {
    /** The required permission, or 'public'. The server does not start with a route that has none. */
    permission?: string;
    /** The route's name. */
    operation?: string;
  }
  interface FastifyRequest {
    caller: Caller | null;
    operator: Operator | null;
    visitor: VisitorSession | null;
    /** Tenant and actor, also if the request is rejected. */
    knownTenant: Pick<FailedRequest, 'tenantId' | 'actor'> | null;
    /** The reason in the error response. */
    errorReason: string | null;
    traceparent: string | null;
    span: Span | null;
    /** When its response became a stream. */
    streamedAfterMs: number | null;
  }
}

export const requestInfoOf = (request: FastifyRequest, reply: FastifyReply): RequestInfo => ({
  ...clientInfoOf(request),
  setTenant: (tenantId) => {
    request.knownTenant = { tenantId, actor: { type: 'visitor', id: null } };
  },
  respondAccepted: () => void reply.code(202),
  setRateState: (state) => void reply.headers(rateHeaders(state)),
});

const clientInfoOf = ({ ip, headers, id, traceparent }: FastifyRequest) => ({
  ip,
  userAgent: headers['user-agent'] ?? '',
  requestId: id,
  traceparent,
  ...(headers.origin !== undefined && { origin: headers.origin }),
  wantsStream: headers.accept?.includes('text/event-stream') ?? false,
});

export const pageRequestOf = (request: FastifyRequest, reply: FastifyReply): PageRequest => ({
  ...requestInfoOf(request, reply),
  request: request.raw,
  response: reply.raw,
});

/** Sends a page or a redirect. */
export function sendPage(reply: FastifyReply, { status, html, location, headers = {} }: PageResponse) {
  reply.headers(headers);
  if (location !== undefined)
    return reply.code(303).header('cache-control', 'no-store').header('location', location).send();
  return reply
    .code(status ?? 200)
    .type('text/html; charset=utf-8')
    .send(html);
}
