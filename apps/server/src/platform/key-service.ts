import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from './errors.ts';
import type { SafeFetch, SafeRequest, SafeResponse } from './safe-fetch.ts';

// Shared by the key services: timeouts, one retry, and which failures are outages.

/** Short, because a request waits for the key. */
const timeouts = { dnsMs: 2_000, connectMs: 2_000, headersMs: 3_000, totalMs: 3_000 };
const retryAfterMs = 100;

/** 503 for the caller. The service and the cause are logged only. */
export const keyServiceUnavailable = (cause: unknown) =>
  unavailable(
    'key_service_unavailable',
    'The key service that protects this secret is unavailable. Try again in a moment.',
    cause,
  );

/** Encrypt and decrypt are idempotent: a second attempt covers a connection that the service had just closed. */
export async function callKeyService(
  fetch: SafeFetch,
  service: string,
  prepare: () => Promise<SafeRequest>,
): Promise<SafeResponse> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt++) {
    const outcome = await prepare()
      .then((request) => fetch({ ...request, timeouts }))
      .catch(
        (error: unknown) =>
          new Error(`${service}: ${error instanceof Error ? error.message : 'failed'}`, { cause: error }),
      );
    if (!(outcome instanceof Error) && outcome.status !== 429 && outcome.status < 500) return outcome;
    // No retry after a timeout: the caller has waited long enough.
    if (attempt === 2 || performance.now() - startedAt > timeouts.totalMs / 2)
      throw keyServiceUnavailable(outcome instanceof Error ? outcome : new Error(`${service}: HTTP ${outcome.status}`));
    await sleep(retryAfterMs);
  }
}

/** A body that is not JSON is an outage: another server, such as a proxy, sent the response. */
export function readJson(service: string, { status, body, truncated }: SafeResponse): unknown {
  try {
    if (truncated) throw new Error('response too long');
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (error) {
    throw keyServiceUnavailable(new Error(`${service}: HTTP ${status} with a body that is not JSON`, { cause: error }));
  }
}

/** Our keys have 32 bytes; anything else is not one of them. */
export function keyFrom(base64: string): Buffer {
  const key = Buffer.from(base64, 'base64');
  if (key.length !== 32) throw new Error('The key service did not return a key.');
  return key;
}
