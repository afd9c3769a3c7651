import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { EgressFailed, type SafeFetch } from '../../../platform/safe-fetch.ts';
import * as store from './listen.store.ts';

/** How often we look whether it was answered: a visitor waits. */
const lookMs = 40;
/** Whoever listens is asking for it all the time: if it is not fetched by then, nobody listens any more. */
const fetchedWithinMs = 3_000;

/**
 * Makes a call to whoever listens to an endpoint, and waits for the answer: to the caller it is like any other door. What was
 * not fetched was not sent. What was fetched is never given out again, so that nothing is done twice.
 */
export const listenerFetch =
  (inTenant: <T>(work: (ctx: Context) => Promise<T>) => Promise<T>, webhookId: string): SafeFetch =>
  async ({ headers = {}, body = '', timeouts, maxBytes = 64 * 1024 }) => {
    const began = performance.now();
    const passedMs = () => performance.now() - began;
    const timeoutMs = timeouts?.totalMs ?? 15_000;
    const id = newId('delivery');
    const request = { eventType: headers['x-service-event'] ?? '', headers, body: body.toString(), timeoutMs };
    await inTenant(({ tx, now }) =>
      store.addCall(tx, { id, webhookId, request, expiresAt: new Date(now.getTime() + timeoutMs) }),
    );
    for (;;) {
      await sleep(lookMs);
      const call = await inTenant(({ tx }) => store.readCall(tx, id));
      if (call?.answer) {
        await inTenant(({ tx }) => store.removeCall(tx, id));
        const { status, error, headers: given, body: text } = call.answer;
        if (status === null)
          throw new EgressFailed(error ?? 'reset', error === 'connect_failed' ? 'connect' : 'headers');
        const bytes = Buffer.from(text);
        const ms = passedMs();
        return {
          status,
          headers: given,
          body: bytes.subarray(0, maxBytes),
          truncated: bytes.length > maxBytes,
          timings: { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: ms, totalMs: ms },
          remoteAddress: 'listener',
        };
      }
      if (call?.takenAt ? passedMs() < timeoutMs : passedMs() < fetchedWithinMs) continue;
      if (await inTenant(({ tx }) => store.withdrawCall(tx, id))) throw new EgressFailed('connect_failed', 'connect');
      if (passedMs() < timeoutMs) continue; // fetched at the last moment
      await inTenant(({ tx }) => store.removeCall(tx, id));
      throw new EgressFailed('timeout', 'headers');
    }
  };
