import { connect, rpc, type Ingress, type SendOpts } from '@restatedev/restate-sdk-clients';
import { secondsSince } from './metrics/histogram.ts';
import { restateRequestDone, type RestateOperation } from './metrics/server-calls.ts';
import { createRestateFetch } from './restate-fetch.ts';

/**
 * Calls durable handlers. Only through a feature's `.interface`, so that a wrong service, handler or input does not
 * compile; the SDK's other clients take names as strings.
 */
export type RestateClient = Pick<Ingress, 'client' | 'sendClient'>;
export const connectRestate = (ingressUrl: string, token?: string): RestateClient =>
  connect({ url: ingressUrl, headers: bearerOf(token), fetch: createRestateFetch(ingressUrl) });

/** For a proxy in front of Restate, which has no authentication. */
export const bearerOf = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

export interface SendSettings {
  /** A repeated call with the same key has no effect. Without it, every call runs. */
  idempotencyKey?: string | undefined;
  delayMs?: number;
  traceparent?: string | null | undefined;
}

export const sendOptions = <I>({ idempotencyKey, delayMs, traceparent }: SendSettings): SendOpts<I> =>
  rpc.sendOpts({
    ...(idempotencyKey && { idempotencyKey }),
    ...(delayMs !== undefined && { delay: { milliseconds: delayMs } }),
    ...(traceparent && { headers: { traceparent } }),
  });

/** The operator, not a tenant, chooses the server, which is private, so it is not guarded like other egress. */
export const callRestate = (
  url: string,
  path: string,
  { token, timeoutMs }: { token?: string | undefined; timeoutMs: number },
): Promise<Response> =>
  fetch(url.replace(/\/$/, '') + path, {
    headers: bearerOf(token),
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'manual',
  });

/** Measures a request to Restate that does not use its client. */
export async function measureRestate(operation: RestateOperation, request: Promise<Response>): Promise<Response> {
  const startedAt = performance.now();
  const done = (status?: number) => restateRequestDone(operation, status).observe(secondsSince(startedAt));
  try {
    const response = await request;
    done(response.status);
    return response;
  } catch (error) {
    done();
    throw error;
  }
}

export const checkRestate = async (ingressUrl: string, token?: string): Promise<void> => {
  const response = await measureRestate(
    'health',
    callRestate(ingressUrl, '/restate/health', { token, timeoutMs: 1_000 }),
  );
  if (!response.ok) throw new Error(`Restate returned ${response.status}`);
};
