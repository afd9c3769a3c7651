import { examine, type ReceivedCall, type Receiver } from '../tools/receiver/index.ts';
import type { Measures } from './measures.ts';
import type { Tenant } from './target.ts';

/** The backends of all tenants: counts what arrives, checks each signature, and notices repeats. */
export function openLedger(measures: Measures, receiver: Pick<Receiver, 'respond'>) {
  const secrets = new Map<string, string>();
  const arrivals = new Map<string, number>();
  let bytes = 0;
  receiver.respond = (call, response) => {
    const tenantId = String(call.headers['x-service-tenant-id'] ?? '');
    const secret = secrets.get(tenantId);
    const problem = secret === undefined ? 'unknown_tenant' : examine([secret], call.headers, Buffer.from(call.body));
    if (problem) {
      measures.total('deliveries with a wrong signature');
      measures.problem(`delivery: ${problem}`, tenantId);
      return response.writeHead(401).end();
    }
    const id = String(call.headers['idempotency-key']);
    const times = (arrivals.get(id) ?? 0) + 1;
    arrivals.set(id, times);
    measures.total('deliveries');
    bytes += sizeOf(call);
    if (times > 1) measures.total('deliveries repeated');
    else if (call.headers['x-service-attempt'] === '1') {
      const { createdAt } = JSON.parse(call.body) as { createdAt: string };
      const ms = call.at - Date.parse(createdAt);
      measures.time('firstAttempt', ms, performance.now() - ms);
    }
    return response.writeHead(200).end();
  };
  return {
    expect: (tenants: readonly Tenant[]) => {
      for (const { tenantId, webhookSecret } of tenants)
        if (webhookSecret !== undefined) secrets.set(tenantId, webhookSecret);
    },
    has: (eventId: string) => arrivals.has(eventId),
    isExpected: (tenantId: string) => secrets.has(tenantId),
    /** Bytes of all deliveries so far, with their headers. */
    received: () => bytes,
  };
}

/** As sent in HTTP/1.1, before encryption. */
const sizeOf = ({ path, headers, body }: ReceivedCall): number => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return Buffer.byteLength(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
};

export type Ledger = ReturnType<typeof openLedger>;
