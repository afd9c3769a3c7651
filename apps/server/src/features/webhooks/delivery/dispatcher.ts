import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import { evaluate, nextAction, type Outcome } from '../endpoints/health.ts';
import { publishEvaluation, publishExhausted } from '../endpoints/notices.ts';
import { createInFlightPool } from './in-flight.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { pingPayload } from '../endpoints/ping.ts';
import * as queue from './queue.store.ts';
import { internalErrorRetryMs, retryAfterMs } from './schedule.ts';
import { send, type OutboundPayload, type SendResult, type Target } from './send.ts';
import type { ConcurrencyLimiter } from './concurrency.ts';
import { targetOf } from '../endpoints/targets.ts';
import * as store from '../endpoints/webhooks.store.ts';

export interface EndpointKey {
  tenantId: Id<'tenant'>;
  webhookId: string;
}

interface DispatcherDeps {
  services: Services;
  fetch: SafeFetch;
  concurrencyLimiter: ConcurrencyLimiter;
  rateLimiter: RateLimiter;
  /** How long a run starts requests. It ends with the last response, which takes up to the timeout of a request longer. */
  runMs: number;
}

/** Timer kind. If Restate loses its own timer, the sweeper wakes the endpoint. */
export const webhookTimer = 'webhook';
/** An endpoint that is delivering isn't woken again. If the worker dies, it can be woken after this time. */
const awakeSeconds = 30;
/** Upper bound on how long results wait to be stored while the rate limit is exhausted. */
const maxRateLimitSleepMs = 200;
/** Rate at which the backlog of an outage is delivered. */
const pacedPerSecond = 10;

interface InFlightDelivery extends queue.ClaimedDelivery {
  /** The oldest pending delivery, sent to check whether the endpoint has recovered. Doesn't count as an attempt. */
  isProbe: boolean;
}
interface DeliveryResult {
  delivery: InFlightDelivery | null;
  sendResult: SendResult;
}
interface Item {
  delivery: InFlightDelivery | null;
  payload: OutboundPayload;
  target: Target;
}
interface Step {
  endpoint: store.Endpoint;
  mayDeliver: boolean;
  items: Item[];
  /** Set when the endpoint went idle, with the time of the next wake-up. null: only new events wake it. */
  idle?: { at: Date | null } | undefined;
}

/** Delivers what is due to one endpoint, until nothing is left or the run is over. Returns when to run again. */
export function createDispatcher({ services, fetch, concurrencyLimiter, rateLimiter, runMs }: DispatcherDeps) {
  return async ({ tenantId, webhookId }: EndpointKey): Promise<{ at: string | null; isDone: boolean }> => {
    const until = performance.now() + runMs;
    let isFirst = true; // what the first transaction claims is sent, however long it took
    const isRunOver = () => !isFirst && performance.now() >= until;
    const system = asSystem(tenantId, 'webhooks');
    const name = `${tenantId}/${webhookId}`;
    const inFlight = createInFlightPool(
      async ({ delivery, target, payload }: Item): Promise<DeliveryResult> => ({
        delivery,
        sendResult: await send(fetch, target, payload, delivery?.attempts ?? 1),
      }),
      (count) => concurrencyLimiter.release(tenantId, count),
      isRunOver,
    );
    let [isFailing, concurrency, mayDeliver, isDrained] = [false, 10, true, false];
    let perSecond = rateLimiter.lastRate(name) ?? 1_000;

    const deliver = async () => {
      for (;;) {
        // When rate limited, results are stored and new deliveries claimed in the same transaction.
        if (inFlight.open() === 0) await sleep(Math.min(rateLimiter.waitMs(name, perSecond), maxRateLimitSleepMs));
        const isOver = isRunOver();
        const results = inFlight.settle();
        const returned = inFlight.takeUnstarted({ all: isOver || !mayDeliver });
        const max = isOver ? 0 : rateLimiter.available(name, perSecond, inFlight.room(concurrency));
        const needed = Math.min(max, Math.max(0, concurrency - inFlight.open()));
        // Don't wait for a slot while there are results to store.
        const waitMs = inFlight.isIdle() && results.length === 0 ? until - performance.now() : 0;
        const acquired = needed > 0 ? await concurrencyLimiter.acquire(tenantId, needed, isFailing, waitMs) : 0;
        // The last claim took everything that was due. goIdle checks whether there is more.
        const room =
          isDrained && results.length > 0 && inFlight.isIdle()
            ? 0
            : Math.min(max, inFlight.room(inFlight.open() + acquired));
        const input = { results, returned, room, isIdle: inFlight.isIdle() };
        const step = await inTenant(services, system, (ctx) => runStep(ctx, webhookId, input)).catch(
          (error: unknown) => {
            concurrencyLimiter.release(tenantId, acquired);
            throw error;
          },
        );
        if (!step) return { at: null, isDone: true };
        const { endpoint, items, idle } = step;
        ({ mayDeliver } = step);
        isDrained = items.length < room;
        ({ concurrency } = endpoint.health);
        isFailing = endpoint.health.failures > 0;
        perSecond = endpoint.health.isPaced ? Math.min(endpoint.rateLimit, pacedPerSecond) : endpoint.rateLimit;
        rateLimiter.consume(name, perSecond, items.length);
        concurrencyLimiter.release(tenantId, inFlight.add(items, acquired, concurrency));
        isFirst = false;
        if (idle) return { at: idle.at?.toISOString() ?? null, isDone: true };
        if (inFlight.open() > 0) await inFlight.waitForResults();
        else if (isOver && inFlight.isIdle()) return { at: null, isDone: false };
        else if (max === 0)
          await sleep(Math.max(1, Math.min(rateLimiter.waitMs(name, perSecond), until - performance.now())));
      }
    };
    try {
      return await deliver();
    } finally {
      inFlight.detach(); // requests still in flight are retried after their lease expires
    }
  };
}

interface StepInput {
  results: readonly DeliveryResult[];
  /** Claimed, but not started. */
  returned: readonly Item[];
  room: number;
  isIdle: boolean;
}

/** In one transaction: stores the last results, evaluates the endpoint's health, and claims the next deliveries. */
async function runStep(
  ctx: Context,
  webhookId: string,
  { results, returned, room, isIdle }: StepInput,
): Promise<Step | null> {
  const { tx, now } = ctx;
  let endpoint = await store.lockToDeliver(tx, webhookId);
  if (!endpoint) return null; // deleted in the meantime, together with its queue
  let change: Parameters<typeof store.updateState>[2] = {};
  await queue.release(
    tx,
    returned.flatMap(({ delivery }) => delivery ?? []),
  );
  if (results.length > 0) {
    const exhausted = await settle(ctx, results);
    const evaluation = evaluate(endpoint, results.map(outcomeOf), now);
    const last = (outcome: string) => results.findLast(({ sendResult }) => sendResult.attempt.outcome === outcome);
    const [success, failure] = [last('succeeded'), last('failed')];
    if (success || failure)
      change = {
        ...stateOf(evaluation),
        ...(success && { lastSuccessAt: now }),
        ...(failure && { lastFailureAt: now, lastFailureStatus: failure.sendResult.attempt.status }),
      };
    endpoint = { ...endpoint, ...stateOf(evaluation) };
    await publishEvaluation(ctx, endpoint, evaluation);
    await publishExhausted(ctx, endpoint, exhausted);
  }
  // Nothing is sent for a suspended tenant, and the health of its endpoints doesn't change.
  const next = endpoint.isTenantActive ? nextAction(endpoint, now) : suspended;
  const items = 'at' in next || room === 0 ? [] : await nextItems(ctx, endpoint, next.action, room);
  const idle = isIdle && items.length === 0 ? await goIdle(ctx, endpoint, next) : undefined;
  if (idle) change = { ...change, ...idle.change };
  else if (items.length > 0 && !endpoint.isAwake) change.awakeUntil = new Date(now.getTime() + awakeSeconds * 1_000);
  await store.updateState(tx, webhookId, change);
  return { endpoint, mayDeliver: 'action' in next && next.action === 'deliver', items, idle };
}

async function nextItems(ctx: Context, endpoint: store.Endpoint, action: 'deliver' | 'probe' | 'ping', room: number) {
  const isProbe = action === 'probe';
  const payloads = action === 'ping' ? [] : await claimDue(ctx, endpoint, isProbe ? 1 : room, isProbe);
  // A probe without a pending delivery sends a ping.
  const isPing = action === 'ping' || (isProbe && payloads.length === 0);
  if (!isPing && payloads.length === 0) return [];
  const target = await targetOf(ctx, endpoint);
  return (isPing ? [{ delivery: null, payload: pingPayload(ctx, endpoint) }] : payloads).map((one) => ({
    ...one,
    target,
  }));
}

/** No time to run again: resuming the tenant wakes its endpoints. */
const suspended: ReturnType<typeof nextAction> = { at: null };

const stateOf = ({ status, disabledReason, health }: Pick<store.Endpoint, 'status' | 'disabledReason' | 'health'>) => ({
  status,
  disabledReason,
  health,
});

async function claimDue(ctx: Context, endpoint: store.Endpoint, max: number, isProbe: boolean) {
  const claimed = await queue.claim(ctx.tx, endpoint.id, max, endpoint.ordering === 'conversation');
  const eventIds = claimed.map(({ eventId }) => eventId);
  const bodies = new Map((await queue.bodiesOf(ctx.tx, eventIds)).map((row) => [row.id, row]));
  // The event is past retention, which can happen to replays. Report it instead of retrying forever.
  const missing = claimed.filter(({ eventId }) => !bodies.has(eventId));
  if (missing.length > 0) {
    const ids = missing.map(({ id }) => id);
    await queue.drop(ctx.tx, ids);
    await publishExhausted(ctx, endpoint, missing);
  }
  return claimed.flatMap((row) => {
    const event = bodies.get(row.eventId);
    if (!event) return [];
    const { environmentId, traceparent } = event;
    const payload: OutboundPayload = {
      eventId: row.eventId,
      eventType: row.eventType,
      environmentId,
      traceparent,
      body: Buffer.from(event.body),
      restoreEpoch: row.restoreEpoch,
    };
    return [{ delivery: { ...row, isProbe }, payload }];
  });
}

const outcomeOf = ({ delivery, sendResult }: DeliveryResult): Outcome => {
  const { attempt, directive } = sendResult;
  return {
    deliveryId: delivery?.id ?? '',
    eventId: delivery?.eventId ?? '',
    result: attempt.outcome === 'succeeded' ? 'succeeded' : attempt.outcome === 'unsent' ? 'unsent' : 'failed',
    problem: attempt.hint,
    isOverload: sendResult.isOverload,
    holdUntil: sendResult.holdUntil,
    disables: directive === 'gone' || directive === 'receiver' ? directive : undefined,
  };
};

/** Returns the deliveries that failed for good. */
async function settle({ tx, now }: Context, results: readonly DeliveryResult[]): Promise<queue.ClaimedDelivery[]> {
  const finished: queue.FinishedDelivery[] = [];
  const retries: queue.Retry[] = [];
  const exhausted: queue.ClaimedDelivery[] = [];
  for (const { delivery, sendResult } of results) {
    if (!delivery) continue; // a ping has no delivery
    const { attempt, directive } = sendResult;
    const { id, attempts } = delivery;
    if (attempt.outcome === 'succeeded') {
      finished.push({ id, attempts, attempt, status: 'succeeded' });
      continue;
    }
    const isFree = delivery.isProbe || attempt.outcome === 'unsent';
    const retryCount = delivery.retryCount + (isFree ? 0 : 1);
    const waitMs = isFree ? (attempt.outcome === 'unsent' ? internalErrorRetryMs() : 0) : retryAfterMs(retryCount);
    if (directive === 'abort' || waitMs === undefined) {
      finished.push({ id, attempts, attempt, status: directive === 'abort' ? 'aborted' : 'exhausted' });
      if (directive !== 'abort') exhausted.push(delivery);
    } else retries.push({ id, attempts, attempt, retryCount, nextAttemptAt: new Date(now.getTime() + waitMs) });
  }
  await queue.finish(tx, finished);
  await queue.retryLater(tx, retries);
  return exhausted;
}

/**
 * Marks the endpoint idle, so that new events wake it. Rows added before that are seen here, because waking also locks the
 * endpoint's row. Returns undefined if something became due in the meantime.
 */
async function goIdle(ctx: Context, endpoint: store.DeliveringEndpoint, next: ReturnType<typeof nextAction>) {
  const { id, health } = endpoint;
  if (!endpoint.isTenantActive) return waitForTenant(ctx, endpoint);
  const isOnHold = 'at' in next;
  const due = isOnHold ? { at: next.at, isNow: false } : await queue.nextDue(ctx.tx, id);
  if (due.isNow) return undefined;
  const { at } = due;
  if (at) await setTimer(ctx, webhookTimer, id, at);
  else await clearTimer(ctx, webhookTimer, id);
  return {
    at,
    change: {
      // Waking an endpoint on hold would change nothing.
      awakeUntil: isOnHold ? at : null,
      ...(health.isPaced && !at && { health: { ...health, isPaced: false } }),
    },
  };
}

/** Keeps the timer for when the tenant is resumed. The backlog is then delivered at the reduced rate, as after an outage. */
async function waitForTenant(ctx: Context, { id, health }: store.DeliveringEndpoint) {
  const { at } = await queue.nextDue(ctx.tx, id);
  if (at) await setTimer(ctx, webhookTimer, id, at);
  else await clearTimer(ctx, webhookTimer, id);
  return { at: null, change: { awakeUntil: null, ...(at && { health: { ...health, isPaced: true } }) } };
}
