import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../platform/context.ts';
import { conflict, orNotFound } from '../../../platform/errors.ts';
import type { CallerContext } from '../../../platform/http/route.ts';
import { readableEvents } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { hintOf } from '../delivery/hints.ts';
import type { Answer, Heard, Listen } from './listen.contract.ts';
import * as store from './listen.store.ts';
import * as queue from '../delivery/queue.store.ts';
import { excerptOf, headersOf, type Attempt } from '../delivery/send.ts';
import { targetOf } from '../endpoints/targets.ts';
import * as webhooks from '../endpoints/webhooks.store.ts';

// A developer's own machine has no address that we could call. So it fetches, in order, what its endpoint would be sent. The
// endpoint is paused meanwhile: what comes is held in the queue, which is also the place where a listener goes on.

/** So long after its last poll has ended somebody still counts as listening. */
const goneAfterMs = 10_000;
/** How often we look for something new: seldom when nothing has come for a while. */
const looks = { firstMs: 100, maxMs: 1_000 };
const timeoutMs = 15_000;

/** Hears what became of the last call, and waits for the next. */
export async function listen(caller: CallerContext, webhookId: string, asked: Listen): Promise<Heard> {
  const poll = randomUUID();
  const until = Date.now() + asked.wait * 1_000;
  await caller.inTenant((ctx) => begin(ctx, webhookId, asked, poll));
  for (let pauseMs = looks.firstMs; ; pauseMs = Math.min(looks.maxMs, pauseMs * 1.5)) {
    const heard = asked.isLast ? null : await caller.inTenant((ctx) => next(ctx, webhookId, asked, poll));
    if (!heard) return { call: null, waiting: 0 };
    if (heard.call || Date.now() >= until) return heard;
    await sleep(Math.min(pauseMs, Math.max(0, until - Date.now())));
  }
}

async function begin(ctx: Context, webhookId: string, asked: Listen, poll: string) {
  const { listenerId, isFirst, isLast, want, wait, answer } = asked;
  const endpoint = orNotFound('webhook', await webhooks.lock(ctx.tx, webhookId));
  if (endpoint.status !== 'paused')
    throw conflict(
      'endpoint_not_paused',
      'Pause the endpoint first: events that are sent to its URL can’t be fetched as well.',
    );
  const known = await store.readListener(ctx.tx, webhookId);
  const isOther = known !== null && known.id !== listenerId && new Date(known.until) > ctx.now;
  if (isOther && !isFirst)
    throw conflict('listener_replaced', 'Someone else is now listening to this endpoint. Use a separate endpoint.');
  if (known?.id !== listenerId) await store.restoreOrder(ctx.tx, webhookId);
  if (answer && want === 'events') await settle(ctx, answer);
  if (answer && want === 'calls') await store.answerCall(ctx.tx, webhookId, answer);
  const polls = { ...(known?.id === listenerId && known.polls), [want]: poll };
  const until = new Date(ctx.now.getTime() + wait * 1_000 + goneAfterMs).toISOString();
  await store.setListener(ctx.tx, webhookId, isLast ? null : { id: listenerId, until, polls });
}

/** Null for a poll that a newer one has replaced. */
async function next(ctx: Context, webhookId: string, { want }: Listen, poll: string): Promise<Heard | null> {
  const endpoint = orNotFound('webhook', await webhooks.lock(ctx.tx, webhookId));
  const listener = await store.readListener(ctx.tx, webhookId);
  if (listener?.polls[want] !== poll) return null;
  if (want === 'calls') {
    const taken = await store.takeCall(ctx.tx, webhookId);
    return { call: taken ? { id: taken.id, attempt: 1, ...taken.request } : null, waiting: 0 };
  }
  const types = ctx.actor.type === 'api_key' ? readableEvents(ctx.permissions) : null;
  for (;;) {
    const oldest = await store.takeOldest(ctx.tx, webhookId, types);
    if (!oldest) return { call: null, waiting: 0 };
    const [event] = await queue.bodiesOf(ctx.tx, [oldest.eventId]);
    if (!event) {
      await queue.drop(ctx.tx, [oldest.id]); // older than the events we keep
      continue;
    }
    const { id, eventId, eventType, attempts } = oldest;
    const { environmentId, traceparent, body } = event;
    const payload = { eventId, eventType, environmentId, traceparent, body: Buffer.from(body) };
    const seconds = Math.floor(ctx.now.getTime() / 1_000);
    const headers = headersOf(await targetOf(ctx, { ...endpoint, isListenedTo: true }), payload, attempts, seconds);
    const call = { id, attempt: attempts, eventType, headers, body: payload.body.toString('utf8'), timeoutMs };
    const waiting = (await queue.countWaiting(ctx.tx, [webhookId])).get(webhookId) ?? 1;
    return { call, waiting: waiting - 1 };
  }
}

/**
 * An answer is an answer: whoever builds sees their own error and goes on, and may have it sent again. Only what nobody
 * answered stays the oldest.
 */
async function settle(ctx: Context, answer: Answer) {
  const { id, attempt: number, status, error, ms, body } = answer;
  const isTaken = status !== null && status >= 200 && status < 300;
  const attempt: Attempt = {
    id: newId('attempt'),
    number,
    at: new Date(ctx.now.getTime() - ms).toISOString(),
    outcome: isTaken ? 'succeeded' : 'failed',
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
  else await queue.finish(ctx.tx, [{ ...row, status: isTaken ? 'succeeded' : 'aborted' }]);
}
