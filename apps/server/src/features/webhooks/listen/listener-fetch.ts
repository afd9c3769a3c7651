import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { EgressFailed, type SafeFetch } from '../../../platform/safe-fetch.ts';
import * as store from './listen.store.ts';

/** Poll interval for the response. Short, because a visitor is waiting. */
const pollMs = 40;
/** A connected listener polls continuously. If it hasn't fetched the call by then, it is gone. */
const pickupTimeoutMs = 3_000;

/**
 * An HTTP client that sends a request to the listener of an endpoint and waits for the response. A call that was not fetched
 * counts as not sent. A fetched call is never handed out again, so that nothing is done twice.
 */
export const listenerFetch =
  (inTenant: <T>(work: (ctx: Context) => Promise<T>) => Promise<T>, webhookId: string): SafeFetch =>
  async ({ headers = {}, body = '', timeouts, maxBytes = 64 * 1024 }) => {
    const startedAt = performance.now();
    const elapsedMs = () => performance.now() - startedAt;
    const timeoutMs = timeouts?.totalMs ?? 15_000;
    const id = newId('delivery');
    const request = { eventType: headers['x-service-event'] ?? '', headers, body: body.toString(), timeoutMs };
    await inTenant(({ tx, now }) =>
      store.addCall(tx, { id, webhookId, request, expiresAt: new Date(now.getTime() + timeoutMs) }),
    );
    for (;;) {
      await sleep(pollMs);
      const call = await inTenant(({ tx }) => store.readCall(tx, id));
      if (call?.answer) {
        await inTenant(({ tx }) => store.removeCall(tx, id));
        const { status, error, headers: responseHeaders, body: text } = call.answer;
        if (status === null)
          throw new EgressFailed(error ?? 'reset', error === 'connect_failed' ? 'connect' : 'headers');
        const bytes = Buffer.from(text);
        const ms = elapsedMs();
        return {
          status,
          headers: responseHeaders,
          body: bytes.subarray(0, maxBytes),
          truncated: bytes.length > maxBytes,
          timings: { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: ms, totalMs: ms },
          remoteAddress: 'listener',
        };
      }
      if (call?.takenAt ? elapsedMs() < timeoutMs : elapsedMs() < pickupTimeoutMs) continue;
      if (await inTenant(({ tx }) => store.withdrawCall(tx, id))) throw new EgressFailed('connect_failed', 'connect');
      if (elapsedMs() < timeoutMs) continue; // fetched in the meantime
      await inTenant(({ tx }) => store.removeCall(tx, id));
      throw new EgressFailed('timeout', 'headers');
    }
  };
