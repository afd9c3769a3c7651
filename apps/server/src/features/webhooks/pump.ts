import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem, inTenant, type Context, type Ground } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import { clearTimer, setTimer } from '../../platform/timers.ts';
import { judge, permitted, type Outcome } from './health.ts';
import { tellJudgement, tellGivenUp } from './notices.ts';
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
  ground: Ground;
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
/** Results are written together: those of so long, or of half of what is on its way. */
const gatherMs = 5;
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
interface Step {
  endpoint: store.Endpoint;
  target: Target;
  parcels: { going: Going | null; parcel: Parcel }[];
}

/** Delivers what one endpoint has due, until there is nothing or the stretch is over. Says when to come again. */
export function createPump({ ground, fetch, slots, pace }: PumpParts) {
  return async ({ tenantId, webhookId }: EndpointKey): Promise<{ at: string | null; isDone: boolean }> => {
    const until = Date.now() + stretchMs;
    const system = asSystem(tenantId, 'webhooks');
    const name = `${tenantId}/${webhookId}`;
    let results: Result[] = [];
    let onResult = () => {};
    let going = 0;
    let [room, isFailing, concurrency, perSecond] = [1, false, 10, 1_000];

    const start = (target: Target, { going: row, parcel }: Step['parcels'][number]) => {
      going++;
      void send(fetch, target, parcel, row?.attempts ?? 1).then((sent) => {
        going--;
        slots.giveBack(tenantId, 1);
        results.push({ going: row, sent });
        onResult();
      });
    };
    /** Until half of it is there, or nothing more comes soon. */
    const gather = async () => {
      const enough = Math.ceil(going / 2);
      if (results.length === 0) await new Promise<void>((heard) => (onResult = heard));
      if (going === 0 || results.length >= enough) return;
      const soon = new AbortController();
      onResult = () => (results.length >= enough || going === 0) && soon.abort();
      await sleep(gatherMs, undefined, { signal: soon.signal }).catch(() => {});
    };

    for (;;) {
      const isOver = Date.now() >= until;
      const want = isOver ? 0 : pace.room(name, perSecond, Math.max(0, concurrency - going));
      room = want > 0 ? await slots.take(tenantId, want, isFailing) : 0;
      const settling = results;
      results = [];
      const step = await inTenant(ground, system, (ctx) => takeStep(ctx, webhookId, settling, room)).catch(
        (error: unknown) => {
          slots.giveBack(tenantId, room);
          throw error; // what is on its way is not heard of: its leases say so
        },
      );
      if (!step) return { at: null, isDone: true };
      const { endpoint, target, parcels } = step;
      slots.giveBack(tenantId, room - parcels.length);
      isFailing = endpoint.health.failures > 0;
      ({ concurrency } = endpoint.health);
      perSecond = endpoint.health.isPaced ? Math.min(endpoint.rateLimit, pacedPerSecond) : endpoint.rateLimit;
      pace.use(name, perSecond, parcels.length);
      for (const parcel of parcels) start(target, parcel);
      if (going > 0) {
        await gather();
        continue;
      }
      if (results.length > 0) continue;
      if (isOver) return { at: null, isDone: false };
      const waitMs = want === 0 ? pace.waitMs(name, perSecond) : 0;
      if (waitMs > 0) await sleep(Math.min(waitMs, until - Date.now()));
      else if (parcels.length === 0) {
        const rest = await inTenant(ground, system, (ctx) => lieDown(ctx, webhookId));
        if (rest !== 'more') return { at: rest?.toISOString() ?? null, isDone: true };
      }
    }
  };
}

/** Writes down what became of the last calls, judges the endpoint by it, and takes on the next: one transaction. */
async function takeStep(
  ctx: Context,
  webhookId: string,
  results: readonly Result[],
  room: number,
): Promise<Step | null> {
  const { tx, now } = ctx;
  let endpoint = await store.lock(tx, webhookId);
  if (!endpoint) return null; // deleted meanwhile, and its queue with it
  if (results.length > 0) {
    const givenUp = await settle(ctx, results);
    const before = endpoint;
    const judged = judge(before, results.map(outcomeOf), now);
    const counted = results.some(({ sent }) => sent.attempt.outcome !== 'unsent');
    const has = (outcome: string) => results.some(({ sent }) => sent.attempt.outcome === outcome);
    if (counted) {
      const times = { ...(has('succeeded') && { lastSuccessAt: now }), ...(has('failed') && { lastFailureAt: now }) };
      await store.judgeAs(tx, webhookId, { ...pick(judged), ...times });
    }
    endpoint = { ...before, ...pick(judged) };
    await tellJudgement(ctx, endpoint, judged);
    await tellGivenUp(ctx, endpoint, givenUp);
  }
  const target = await targetOf(ctx, endpoint);
  const may = permitted(endpoint, now);
  if ('at' in may || room === 0) return { endpoint, target, parcels: [] };
  await store.setAwake(tx, webhookId, new Date(now.getTime() + awakeSeconds * 1_000));
  const parcels =
    may.may === 'ping' ? [] : await claimSome(ctx, endpoint, may.may === 'probe' ? 1 : room, may.may === 'probe');
  // One that is tried again although nothing waits for it is asked by itself.
  const isAsked = may.may === 'ping' || (may.may === 'probe' && parcels.length === 0);
  return {
    endpoint,
    target,
    parcels: isAsked ? [{ going: null, parcel: pingParcel(ctx, endpoint) }] : parcels,
  };
}

const pick = ({ status, disabledReason, health }: Pick<store.Endpoint, 'status' | 'disabledReason' | 'health'>) => ({
  status,
  disabledReason,
  health,
});

async function claimSome(ctx: Context, endpoint: store.Endpoint, most: number, isProbe: boolean) {
  const claimed = await queue.claim(ctx.tx, endpoint.id, most, endpoint.ordering === 'conversation');
  const ids = claimed.map(({ eventId }) => eventId);
  const bodies = new Map((await queue.bodiesOf(ctx.tx, ids)).map((row) => [row.id, row]));
  // Older than the events we keep, as a replay of the last day may be: told of, and not tried for ever.
  const gone = claimed.filter(({ eventId }) => !bodies.has(eventId));
  if (gone.length > 0) {
    await queue.drop(
      ctx.tx,
      gone.map(({ id }) => id),
    );
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
 * the endpoint's row.
 */
async function lieDown(ctx: Context, webhookId: string): Promise<Date | 'more' | null> {
  const { tx, now } = ctx;
  const endpoint = await store.lock(tx, webhookId);
  if (!endpoint) return null;
  const may = permitted(endpoint, now);
  const at = 'at' in may ? may.at : await queue.nextDue(tx, webhookId);
  if (!('at' in may) && at && at <= now) return 'more';
  if (endpoint.health.isPaced && !at) {
    await store.judgeAs(tx, webhookId, { ...pick(endpoint), health: { ...endpoint.health, isPaced: false } });
  }
  // While it is held, waking it would change nothing.
  await store.setAwake(tx, webhookId, 'at' in may ? may.at : null);
  if (at) await setTimer(ctx, webhookTimer, webhookId, at);
  else await clearTimer(ctx, webhookTimer, webhookId);
  return at;
}
