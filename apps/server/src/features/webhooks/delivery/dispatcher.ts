import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import { evaluate, permitted, type Outcome } from '../endpoints/health.ts';
import { publishEvaluation, publishExhausted } from '../endpoints/notices.ts';
import { createInFlightPool } from './in-flight.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { pingPayload } from '../endpoints/ping.ts';
import * as queue from './queue.store.ts';
import { ownFaultRetryMs, retryAfterMs } from './schedule.ts';
import { send, type OutboundPayload, type Sent, type Target } from './send.ts';
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
  concurrency: ConcurrencyLimiter;
  rateLimiter: RateLimiter;
}

/** The sweeper calls for what this names, if the engine has forgotten it. */
export const webhookTimer = 'webhook';
/** While it delivers nobody needs to wake it; if it dies, somebody may after this. */
const awakeSeconds = 30;
/** One stretch of work. Then the engine hears that it is alive. */
const runMs = 20_000;
/** So long a result may wait to be written down. */
const rateLimitedNapMs = 200;
/** What is left after an outage goes out no faster than this. */
const pacedPerSecond = 10;

interface Going extends queue.Claimed {
  /** The oldest that waits, sent to see whether anybody is there: it costs the delivery nothing. */
  isProbe: boolean;
}
interface Result {
  going: Going | null;
  sent: Sent;
}
interface Item {
  going: Going | null;
  payload: OutboundPayload;
  target: Target;
}
interface Step {
  endpoint: store.Endpoint;
  mayDeliver: boolean;
  items: Item[];
  /** It has lain down, and this is when it is to be called: null for when somebody has something for it. */
  rest?: { at: Date | null } | undefined;
}

/** Delivers what one endpoint has due, until there is nothing or the stretch is over. Says when to come again. */
export function createDispatcher({ services, fetch, concurrency: slots, rateLimiter: pace }: DispatcherDeps) {
  return async ({ tenantId, webhookId }: EndpointKey): Promise<{ at: string | null; isDone: boolean }> => {
    const until = Date.now() + runMs;
    const system = asSystem(tenantId, 'webhooks');
    const name = `${tenantId}/${webhookId}`;
    const inFlight = createInFlightPool(
      async ({ going, target, payload: parcel }: Item): Promise<Result> => ({
        going,
        sent: await send(fetch, target, parcel, going?.attempts ?? 1),
      }),
      (count) => slots.giveBack(tenantId, count),
    );
    let [isFailing, concurrency, perSecond, mayDeliver, isDrained] = [false, 10, 1_000, true, false];

    const deliver = async () => {
      for (;;) {
        // One that is paced writes down the last and takes on the next together.
        if (inFlight.open() === 0) await sleep(Math.min(pace.waitMs(name, perSecond), rateLimitedNapMs));
        const isOver = Date.now() >= until;
        const results = inFlight.settle();
        const returned = inFlight.takeBack({ all: isOver || !mayDeliver });
        const max = isOver ? 0 : pace.room(name, perSecond, inFlight.room(concurrency));
        const want = Math.min(max, Math.max(0, concurrency - inFlight.open()));
        // What there is to write down does not wait for others.
        const waitMs = inFlight.isIdle() && results.length === 0 ? until - Date.now() : 0;
        const taken = want > 0 ? await slots.take(tenantId, want, isFailing, waitMs) : 0;
        // Last time it got all that was due: whether there is more is seen when it lies down.
        const room =
          isDrained && results.length > 0 && inFlight.isIdle()
            ? 0
            : Math.min(max, inFlight.room(inFlight.open() + taken));
        const asked = { results, returned, room, isIdle: inFlight.isIdle() };
        const step = await inTenant(services, system, (ctx) => takeStep(ctx, webhookId, asked)).catch(
          (error: unknown) => {
            slots.giveBack(tenantId, taken);
            throw error;
          },
        );
        if (!step) return { at: null, isDone: true };
        const { endpoint, items, rest } = step;
        ({ mayDeliver } = step);
        isDrained = items.length < room;
        ({ concurrency } = endpoint.health);
        isFailing = endpoint.health.failures > 0;
        perSecond = endpoint.health.isPaced ? Math.min(endpoint.rateLimit, pacedPerSecond) : endpoint.rateLimit;
        pace.use(name, perSecond, items.length);
        slots.giveBack(tenantId, inFlight.add(items, taken, concurrency));
        if (rest) return { at: rest.at?.toISOString() ?? null, isDone: true };
        if (inFlight.open() > 0) await inFlight.gather();
        else if (isOver && inFlight.isIdle()) return { at: null, isDone: false };
        else if (max === 0) await sleep(Math.max(1, Math.min(pace.waitMs(name, perSecond), until - Date.now())));
      }
    };
    try {
      return await deliver();
    } finally {
      inFlight.leave(); // what is still on its way is not heard of: its lease says so
    }
  };
}

interface Asked {
  results: readonly Result[];
  /** Taken on, and not begun. */
  returned: readonly Item[];
  room: number;
  isIdle: boolean;
}

/** Writes down what became of the last calls, judges the endpoint by it, and takes on the next: one transaction. */
async function takeStep(
  ctx: Context,
  webhookId: string,
  { results, returned, room, isIdle }: Asked,
): Promise<Step | null> {
  const { tx, now } = ctx;
  let endpoint = await store.lockToDeliver(tx, webhookId);
  if (!endpoint) return null; // deleted meanwhile, and its queue with it
  let change: Parameters<typeof store.note>[2] = {};
  await queue.giveBack(
    tx,
    returned.flatMap(({ going }) => going ?? []),
  );
  if (results.length > 0) {
    const givenUp = await settle(ctx, results);
    const evaluation = evaluate(endpoint, results.map(outcomeOf), now);
    const has = (outcome: string) => results.some(({ sent }) => sent.attempt.outcome === outcome);
    if (has('succeeded') || has('failed'))
      change = {
        ...pick(evaluation),
        ...(has('succeeded') && { lastSuccessAt: now }),
        ...(has('failed') && { lastFailureAt: now }),
      };
    endpoint = { ...endpoint, ...pick(evaluation) };
    await publishEvaluation(ctx, endpoint, evaluation);
    await publishExhausted(ctx, endpoint, givenUp);
  }
  // Of a tenant that is held nothing is begun, and its endpoints are none the worse for it.
  const may = endpoint.isTenantActive ? permitted(endpoint, now) : held;
  const items = 'at' in may || room === 0 ? [] : await nextItems(ctx, endpoint, may.may, room);
  const rest = isIdle && items.length === 0 ? await goIdle(ctx, endpoint, may) : undefined;
  if (rest) change = { ...change, ...rest.change };
  else if (items.length > 0 && !endpoint.isAwake) change.awakeUntil = new Date(now.getTime() + awakeSeconds * 1_000);
  await store.note(tx, webhookId, change);
  return { endpoint, mayDeliver: 'may' in may && may.may === 'deliver', items, rest };
}

async function nextItems(ctx: Context, endpoint: store.Endpoint, may: 'deliver' | 'probe' | 'ping', room: number) {
  const isProbe = may === 'probe';
  const payloads = may === 'ping' ? [] : await claimSome(ctx, endpoint, isProbe ? 1 : room, isProbe);
  // One that is tried again although nothing waits for it is asked by itself.
  const isAsked = may === 'ping' || (isProbe && payloads.length === 0);
  if (!isAsked && payloads.length === 0) return [];
  const target = await targetOf(ctx, endpoint);
  return (isAsked ? [{ going: null, payload: pingPayload(ctx, endpoint) }] : payloads).map((one) => ({
    ...one,
    target,
  }));
}

/** Until the tenant goes on, which wakes it. */
const held: ReturnType<typeof permitted> = { at: null };

const pick = ({ status, disabledReason, health }: Pick<store.Endpoint, 'status' | 'disabledReason' | 'health'>) => ({
  status,
  disabledReason,
  health,
});

async function claimSome(ctx: Context, endpoint: store.Endpoint, max: number, isProbe: boolean) {
  const claimed = await queue.claim(ctx.tx, endpoint.id, max, endpoint.ordering === 'conversation');
  const eventIds = claimed.map(({ eventId }) => eventId);
  const bodies = new Map((await queue.bodiesOf(ctx.tx, eventIds)).map((row) => [row.id, row]));
  // Older than the events we keep, as a replay of the last day may be: told of, and not tried for ever.
  const gone = claimed.filter(({ eventId }) => !bodies.has(eventId));
  if (gone.length > 0) {
    const ids = gone.map(({ id }) => id);
    await queue.drop(ctx.tx, ids);
    await publishExhausted(ctx, endpoint, gone);
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
    };
    return [{ going: { ...row, isProbe }, payload }];
  });
}

const outcomeOf = ({ going, sent }: Result): Outcome => {
  const { attempt, asks } = sent;
  return {
    deliveryId: going?.id ?? '',
    eventId: going?.eventId ?? '',
    result: attempt.outcome === 'succeeded' ? 'succeeded' : attempt.outcome === 'unsent' ? 'unsent' : 'failed',
    problem: attempt.hint,
    isOverload: sent.isOverload,
    holdUntil: sent.holdUntil,
    disables: asks === 'gone' || asks === 'receiver' ? asks : undefined,
  };
};

/** Says which were given up. */
async function settle({ tx, now }: Context, results: readonly Result[]): Promise<queue.Claimed[]> {
  const endings: queue.Ending[] = [];
  const retries: queue.Retry[] = [];
  const givenUp: queue.Claimed[] = [];
  for (const { going, sent } of results) {
    if (!going) continue; // a ping, which nobody waits for
    const { attempt, asks } = sent;
    const { id, attempts } = going;
    if (attempt.outcome === 'succeeded') {
      endings.push({ id, attempts, attempt, status: 'succeeded' });
      continue;
    }
    const isFree = going.isProbe || attempt.outcome === 'unsent';
    const retryCount = going.retryCount + (isFree ? 0 : 1);
    const waitMs = isFree ? (attempt.outcome === 'unsent' ? ownFaultRetryMs() : 0) : retryAfterMs(retryCount);
    if (asks === 'abort' || waitMs === undefined) {
      endings.push({ id, attempts, attempt, status: asks === 'abort' ? 'aborted' : 'exhausted' });
      if (asks !== 'abort') givenUp.push(going);
    } else retries.push({ id, attempts, attempt, retryCount, nextAttemptAt: new Date(now.getTime() + waitMs) });
  }
  await queue.finish(tx, endings);
  await queue.retryLater(tx, retries);
  return givenUp;
}

/**
 * Nothing is due. Whoever wakes it from now on is heard; whoever did before left rows that are seen here, since both lock
 * the endpoint's row. Undefined if something has come meanwhile.
 */
async function goIdle(ctx: Context, endpoint: store.Delivering, may: ReturnType<typeof permitted>) {
  const { id, health } = endpoint;
  if (!endpoint.isTenantActive) return waitForTenant(ctx, endpoint);
  const isHeld = 'at' in may;
  const due = isHeld ? { at: may.at, isNow: false } : await queue.nextDue(ctx.tx, id);
  if (due.isNow) return undefined;
  const { at } = due;
  if (at) await setTimer(ctx, webhookTimer, id, at);
  else await clearTimer(ctx, webhookTimer, id);
  return {
    at,
    change: {
      // While it is held, waking it would change nothing.
      awakeUntil: isHeld ? at : null,
      ...(health.isPaced && !at && { health: { ...health, isPaced: false } }),
    },
  };
}

/**
 * The timer says what there is to do when the tenant goes on. What has waited then comes at the pace of what is left after an
 * outage; nothing else about the endpoint changes.
 */
async function waitForTenant(ctx: Context, { id, health }: store.Delivering) {
  const { at } = await queue.nextDue(ctx.tx, id);
  if (at) await setTimer(ctx, webhookTimer, id, at);
  else await clearTimer(ctx, webhookTimer, id);
  return { at: null, change: { awakeUntil: null, ...(at && { health: { ...health, isPaced: true } }) } };
}
