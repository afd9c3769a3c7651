import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem, inTenant, type Context, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import { clearTimer, setTimer } from '../../platform/timers.ts';
import { judge, permitted, type Outcome } from './health.ts';
import { tellJudgement, tellGivenUp } from './notices.ts';
import { createLines } from './lines.ts';
import type { Pace } from './pace.ts';
import { pingParcel } from './ping.ts';
import * as queue from './queue.store.ts';
import { ownFaultRetryMs, retryAfterMs } from './schedule.ts';
import { send, type Parcel, type Sent, type Target } from './sending.ts';
import type { Slots } from './slots.ts';
import { targetOf } from './targets.ts';
import * as store from './webhooks.store.ts';

export interface EndpointKey {
  tenantId: Id<'tenant'>;
  webhookId: string;
}

interface PumpParts {
  services: Services;
  fetch: SafeFetch;
  slots: Slots;
  pace: Pace;
}

/** The sweeper calls for what this names, if the engine has forgotten it. */
export const webhookTimer = 'webhook';
/** While it delivers nobody needs to wake it; if it dies, somebody may after this. */
const awakeSeconds = 30;
/** One stretch of work. Then the engine hears that it is alive. */
const stretchMs = 20_000;
/** So long a result may wait to be written down. */
const paceNapMs = 200;
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
  parcel: Parcel;
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
export function createPump({ services, fetch, slots, pace }: PumpParts) {
  return async ({ tenantId, webhookId }: EndpointKey): Promise<{ at: string | null; isDone: boolean }> => {
    const until = Date.now() + stretchMs;
    const system = asSystem(tenantId, 'webhooks');
    const name = `${tenantId}/${webhookId}`;
    const lines = createLines(
      async ({ going, target, parcel }: Item): Promise<Result> => ({
        going,
        sent: await send(fetch, target, parcel, going?.attempts ?? 1),
      }),
      (count) => slots.giveBack(tenantId, count),
    );
    let [isFailing, concurrency, perSecond, mayDeliver, isDrained] = [false, 10, 1_000, true, false];

    const deliver = async () => {
      for (;;) {
        // One that is paced writes down the last and takes on the next together.
        if (lines.open() === 0) await sleep(Math.min(pace.waitMs(name, perSecond), paceNapMs));
        const isOver = Date.now() >= until;
        const results = lines.settle();
        const returned = lines.takeBack({ all: isOver || !mayDeliver });
        const most = isOver ? 0 : pace.room(name, perSecond, lines.room(concurrency));
        const want = Math.min(most, Math.max(0, concurrency - lines.open()));
        // What there is to write down does not wait for others.
        const waitMs = lines.isIdle() && results.length === 0 ? until - Date.now() : 0;
        const taken = want > 0 ? await slots.take(tenantId, want, isFailing, waitMs) : 0;
        // Last time it got all that was due: whether there is more is seen when it lies down.
        const room =
          isDrained && results.length > 0 && lines.isIdle() ? 0 : Math.min(most, lines.room(lines.open() + taken));
        const asked = { results, returned, room, isIdle: lines.isIdle() };
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
        slots.giveBack(tenantId, lines.add(items, taken, concurrency));
        if (rest) return { at: rest.at?.toISOString() ?? null, isDone: true };
        if (lines.open() > 0) await lines.gather();
        else if (isOver && lines.isIdle()) return { at: null, isDone: false };
        else if (most === 0) await sleep(Math.max(1, Math.min(pace.waitMs(name, perSecond), until - Date.now())));
      }
    };
    try {
      return await deliver();
    } finally {
      lines.leave(); // what is still on its way is not heard of: its lease says so
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
    const judged = judge(endpoint, results.map(outcomeOf), now);
    const has = (outcome: string) => results.some(({ sent }) => sent.attempt.outcome === outcome);
    if (has('succeeded') || has('failed'))
      change = {
        ...pick(judged),
        ...(has('succeeded') && { lastSuccessAt: now }),
        ...(has('failed') && { lastFailureAt: now }),
      };
    endpoint = { ...endpoint, ...pick(judged) };
    await tellJudgement(ctx, endpoint, judged);
    await tellGivenUp(ctx, endpoint, givenUp);
  }
  // Of a tenant that is held nothing is begun, and its endpoints are none the worse for it.
  const may = endpoint.isTenantActive ? permitted(endpoint, now) : held;
  const items = 'at' in may || room === 0 ? [] : await nextItems(ctx, endpoint, may.may, room);
  const rest = isIdle && items.length === 0 ? await lieDown(ctx, endpoint, may) : undefined;
  if (rest) change = { ...change, ...rest.change };
  else if (items.length > 0 && !endpoint.isAwake) change.awakeUntil = new Date(now.getTime() + awakeSeconds * 1_000);
  await store.note(tx, webhookId, change);
  return { endpoint, mayDeliver: 'may' in may && may.may === 'deliver', items, rest };
}

async function nextItems(ctx: Context, endpoint: store.Endpoint, may: 'deliver' | 'probe' | 'ping', room: number) {
  const isProbe = may === 'probe';
  const parcels = may === 'ping' ? [] : await claimSome(ctx, endpoint, isProbe ? 1 : room, isProbe);
  // One that is tried again although nothing waits for it is asked by itself.
  const isAsked = may === 'ping' || (isProbe && parcels.length === 0);
  if (!isAsked && parcels.length === 0) return [];
  const target = await targetOf(ctx, endpoint);
  return (isAsked ? [{ going: null, parcel: pingParcel(ctx, endpoint) }] : parcels).map((one) => ({ ...one, target }));
}

/** Until the tenant goes on, which wakes it. */
const held: ReturnType<typeof permitted> = { at: null };

const pick = ({ status, disabledReason, health }: Pick<store.Endpoint, 'status' | 'disabledReason' | 'health'>) => ({
  status,
  disabledReason,
  health,
});

async function claimSome(ctx: Context, endpoint: store.Endpoint, most: number, isProbe: boolean) {
  const claimed = await queue.claim(ctx.tx, endpoint.id, most, endpoint.ordering === 'conversation');
  const eventIds = claimed.map(({ eventId }) => eventId);
  const bodies = new Map((await queue.bodiesOf(ctx.tx, eventIds)).map((row) => [row.id, row]));
  // Older than the events we keep, as a replay of the last day may be: told of, and not tried for ever.
  const gone = claimed.filter(({ eventId }) => !bodies.has(eventId));
  if (gone.length > 0) {
    const ids = gone.map(({ id }) => id);
    await queue.drop(ctx.tx, ids);
    await tellGivenUp(ctx, endpoint, gone);
  }
  return claimed.flatMap((row) => {
    const event = bodies.get(row.eventId);
    if (!event) return [];
    const { environmentId, traceparent } = event;
    const parcel: Parcel = {
      eventId: row.eventId,
      eventType: row.eventType,
      environmentId,
      traceparent,
      body: Buffer.from(event.body),
    };
    return [{ going: { ...row, isProbe }, parcel }];
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
    const tries = going.tries + (isFree ? 0 : 1);
    const waitMs = isFree ? (attempt.outcome === 'unsent' ? ownFaultRetryMs() : 0) : retryAfterMs(tries);
    if (asks === 'abort' || waitMs === undefined) {
      endings.push({ id, attempts, attempt, status: asks === 'abort' ? 'aborted' : 'exhausted' });
      if (asks !== 'abort') givenUp.push(going);
    } else retries.push({ id, attempts, attempt, tries, nextAttemptAt: new Date(now.getTime() + waitMs) });
  }
  await queue.finish(tx, endings);
  await queue.retryLater(tx, retries);
  return givenUp;
}

/**
 * Nothing is due. Whoever wakes it from now on is heard; whoever did before left rows that are seen here, since both lock
 * the endpoint's row. Undefined if something has come meanwhile.
 */
async function lieDown(ctx: Context, endpoint: store.Delivering, may: ReturnType<typeof permitted>) {
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
