import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../platform/context.ts';
import { conflict, orNotFound } from '../../../platform/errors.ts';
import type { CallerContext } from '../../../platform/http/route.ts';
import { readableEvents } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { hintOf } from '../delivery/hints.ts';
import type { CallResult, ListenResponse, Listen } from './listen.contract.ts';
import * as store from './listen.store.ts';
import * as queue from '../delivery/queue.store.ts';
import { excerptOf, headersOf, type Attempt } from '../delivery/send.ts';
import { targetOf } from '../endpoints/targets.ts';
import * as webhooks from '../endpoints/webhooks.store.ts';

// A developer's machine has no public URL. `parley listen` fetches, in order, what the endpoint would be sent. The endpoint is
// paused meanwhile, so new events stay in the queue, and a listener can resume from there.

/** A listener counts as connected for this long after its last poll. */
const listenerTimeoutMs = 10_000;
/** Poll interval of the queue. Backs off while nothing arrives. */
const pollInterval = { firstMs: 100, maxMs: 1_000 };
const timeoutMs = 15_000;

/** Stores the result of the last call and waits for the next one. */
export async function listen(caller: CallerContext, webhookId: string, input: Listen): Promise<ListenResponse> {
  const poll = randomUUID();
  const until = Date.now() + input.wait * 1_000;
  await caller.inTenant((ctx) => startPoll(ctx, webhookId, input, poll));
  for (let pauseMs = pollInterval.firstMs; ; pauseMs = Math.min(pollInterval.maxMs, pauseMs * 1.5)) {
    const response = input.isLast ? null : await caller.inTenant((ctx) => nextCall(ctx, webhookId, input, poll));
    if (!response) return { call: null, waiting: 0 };
    if (response.call || Date.now() >= until) return response;
    await sleep(Math.min(pauseMs, Math.max(0, until - Date.now())));
  }
}

async function startPoll(ctx: Context, webhookId: string, input: Listen, poll: string) {
  const { listenerId, isFirst, isLast, want, wait, answer: result } = input;
  const endpoint = orNotFound('webhook', await webhooks.lock(ctx.tx, webhookId));
  if (endpoint.status !== 'paused')
    throw conflict(
      'endpoint_not_paused',
      'Pause the endpoint first: events that are sent to its URL can’t be fetched as well.',
    );
  const current = await store.readListener(ctx.tx, webhookId);
  const isOther = current !== null && current.id !== listenerId && new Date(current.until) > ctx.now;
  if (isOther && !isFirst)
    throw conflict('listener_replaced', 'Someone else is now listening to this endpoint. Use a separate endpoint.');
  if (current?.id !== listenerId) await store.resetRetryDelays(ctx.tx, webhookId);
  if (result && want === 'events') await finishDelivery(ctx, result);
  if (result && want === 'calls') await store.saveCallResult(ctx.tx, webhookId, result);
  const polls = { ...(current?.id === listenerId && current.polls), [want]: poll };
  const until = new Date(ctx.now.getTime() + wait * 1_000 + listenerTimeoutMs).toISOString();
  await store.setListener(ctx.tx, webhookId, isLast ? null : { id: listenerId, until, polls });
}

/** null if a newer poll has replaced this one. */
async function nextCall(
  ctx: Context,
  webhookId: string,
  { want }: Listen,
  poll: string,
): Promise<ListenResponse | null> {
  const endpoint = orNotFound('webhook', await webhooks.lock(ctx.tx, webhookId));
  const listener = await store.readListener(ctx.tx, webhookId);
  if (listener?.polls[want] !== poll) return null;
  if (want === 'calls') {
    const claimed = await store.claimCall(ctx.tx, webhookId);
    return { call: claimed ? { id: claimed.id, attempt: 1, ...claimed.request } : null, waiting: 0 };
  }
  const types = ctx.actor.type === 'api_key' ? readableEvents(ctx.permissions) : null;
  for (;;) {
    const oldest = await store.claimOldest(ctx.tx, webhookId, types);
    if (!oldest) return { call: null, waiting: 0 };
    const [event] = await queue.bodiesOf(ctx.tx, [oldest.eventId]);
    if (!event) {
      await queue.drop(ctx.tx, [oldest.id]); // older than the events we keep
      continue;
    }
    const { id, eventId, eventType, attempts, restoreEpoch } = oldest;
    const { environmentId, traceparent, body } = event;
    const payload = { eventId, eventType, environmentId, traceparent, body: Buffer.from(body), restoreEpoch };
    const seconds = Math.floor(ctx.now.getTime() / 1_000);
    const headers = headersOf(await targetOf(ctx, { ...endpoint, isListenedTo: true }), payload, attempts, seconds);
    const call = { id, attempt: attempts, eventType, headers, body: payload.body.toString('utf8'), timeoutMs };
    const waiting = (await queue.countWaiting(ctx.tx, [webhookId])).get(webhookId) ?? 1;
    return { call, waiting: waiting - 1 };
  }
}

/**
 * Any response finishes the delivery, errors included: developers see the error and can replay the event. Without a response
 * it stays first in the queue.
 */
async function finishDelivery(ctx: Context, { id, attempt: number, status, error, ms, body }: CallResult) {
  const isSuccess = status !== null && status >= 200 && status < 300;
  const attempt: Attempt = {
    id: newId('attempt'),
    number,
    at: new Date(ctx.now.getTime() - ms).toISOString(),
    outcome: isSuccess ? 'succeeded' : 'failed',
    status,
    error: status === null ? (error ?? 'connect_failed') : null,
    hint:
      status === null
        ? 'The listener’s target did not respond. This event is delivered first once it does.'
        : hintOf(status, null),
    timings: { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: ms, totalMs: ms },
    ip: 'listener',
    response: excerptOf(Buffer.from(body)),
  };
  const row = { id, attempts: number, attempt };
  if (status === null) await queue.retryLater(ctx.tx, [{ ...row, retryCount: 0, nextAttemptAt: new Date(0) }]);
  else await queue.finish(ctx.tx, [{ ...row, status: isSuccess ? 'succeeded' : 'aborted' }]);
}
