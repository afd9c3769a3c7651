import { SpanKind, type Attributes } from '@opentelemetry/api';
import { endSpan, isTracing, startSpan, traceparentOfSpan } from './spans.ts';

interface OutboundRequest {
  url: string;
  tenantId: string;
  attempt: number;
}

interface OutboundSpan {
  /** `error`: why there is no usable response. */
  end(result: { status: number | null; error: string | null }): void;
}

const noSpan: OutboundSpan = { end: () => {} };

/**
 * A span of a request to a tenant's server, as whose child the server may continue. Only the host is in it: paths and queries
 * of such URLs are often secrets.
 */
export function startOutboundSpan(
  name: string,
  parent: string | null | undefined,
  { url, tenantId, attempt }: OutboundRequest,
  headers: Record<string, string>,
  attributes: Attributes,
): OutboundSpan {
  if (!parent || !isTracing()) return noSpan;
  const { hostname, port, protocol } = URL.parse(url) ?? { hostname: '', port: '', protocol: '' };
  const span = startSpan(name, parent, {
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'http:' ? 80 : 443),
      'parley.tenant.id': tenantId,
      ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
      ...attributes,
    },
  });
  headers['traceparent'] = traceparentOfSpan(span);
  return {
    end({ status, error }) {
      if (status !== null) span.setAttribute('http.response.status_code', status);
      endSpan(span, error ?? (status !== null && status >= 400 ? String(status) : undefined));
    },
  };
}
