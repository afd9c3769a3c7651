import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem, type Services } from '../../../platform/context.ts';
import { fromDatabaseError } from '../../../platform/db.ts';
import type { LaneHint } from '../../../platform/lane-hints.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import type { Log } from '../../../platform/telemetry.ts';
import { createRateLimiter } from '../delivery/rate-limiter.ts';
import { pingPayload } from '../endpoints/ping.ts';
import { applyStep } from './apply.ts';
import {
  actionOf,
  hasWork,
  isUnread,
  rateOf,
  returnBuffered,
  applySettings,
  type EndpointState,
  type Head,
  type LaneDelivery,
} from './endpoint-state.ts';
import { createFailingSteps } from './failing-steps.ts';
import type { Ownership } from './ownership.ts';
import { isLaneLost } from './ownership.store.ts';
import { planStep, restore, type Plan } from './plan.ts';
import { publishResults } from './publish.ts';
import { createRegistry } from './registry.ts';
import { createSender } from './sender.ts';
import { createSlots } from './slots.ts';
import { runStep } from './step.dispatch.ts';
import { cachedTarget, loadTarget } from './target.ts';

interface DispatcherDeps {
  services: Services;
  fetch: SafeFetch;
  log: Log;
  laneCount: number;
  ownership: () => Pick<Ownership, 'worker' | 'owns' | 'takesWork' | 'wake' | 'isLeaving'>;
  /** Claims are at least this far apart, so that one transaction serves many endpoints. */
  claimEveryMs?: number;
  /** Results wait for others for up to this time. */
  storeWithinMs?: number;
}

/** Results are stored earlier if there are this many. */
const enoughResults = 100;
/** Settings are read again with the next hint after this time, in case a hint about a change was lost. */
const settingsMaxAgeMs = 30_000;
const retryMs = 250;
const maxTimerMs = 3_600_000;
const maxEntries = 500;

/** Delivers what is due to the endpoints of the lanes that this worker owns. */
export function createDispatcher(deps: DispatcherDeps) {
  const { services, fetch, log, laneCount, claimEveryMs = 20, storeWithinMs = 100 } = deps;
  const registry = createRegistry(laneCount);
  const slots = createSlots();
  const rateLimiter = createRateLimiter();
  const failingSteps = createFailingSteps();
  /** Endpoints with results or something to give back, and endpoints with something to claim or to read. */
  const work = { toStore: new Set<EndpointState>(), toClaim: new Set<EndpointState>() };
  let resultCount = 0;
  let firstResultAt = Infinity;
  let isUrgent = false;
  let lastStepAt = -Infinity;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Infinity;
  let entryLimit = maxEntries;
  let isStopped = false;

  const takesWork = ({ lane }: EndpointState) => deps.ownership().takesWork(lane);
  const isTargetKnown = ({ target, settings }: EndpointState) =>
    target !== undefined && target.revision === settings?.revision && target.validUntil > Date.now();

  const sender = createSender({
    fetch,
    countActivity: services.countActivity,
    log,
    slots,
    mayStart: (state) => !isUnread(state) && !state.isPublishing && isTargetKnown(state) && takesWork(state),
    onResult: (state) => {
      toStore(state);
      resultCount++;
      if (state.settings?.ordering === 'conversation') state.dueAt = Math.min(state.dueAt, Date.now());
      consider(state);
    },
    onReturned: (state) => {
      state.dueAt = Math.min(state.dueAt, Date.now());
      toStore(state);
    },
  });

  function toStore(state: EndpointState) {
    if (work.toStore.size === 0) firstResultAt = performance.now();
    work.toStore.add(state);
    isUrgent ||= state.returned.length > 0 || deps.ownership().isLeaving(state.lane);
    schedule();
  }

  /** Decides what to do next for an endpoint: after a hint, a result, a step, or at a time. */
  function consider(state: EndpointState): void {
    if (state.isDropped || state.isInStep || state.isPublishing) return;
    if (!takesWork(state)) return giveBack(state);
    if (isUnread(state)) return toClaim(state);
    const now = Date.now();
    const next = actionOf(state, new Date(now));
    if ('at' in next) return holdUntil(state, next.at, now);
    if (!isTargetKnown(state) && state.buffered.length > 0) ensureTarget(state);
    if (next.action !== 'deliver') {
      giveBack(state, ({ delivery }) => delivery !== null && !delivery.isProbe);
      if (hasWork(state)) return;
      return next.action === 'ping' || state.wantsPing ? ping(state) : toClaim(state);
    }
    if (state.dueAt > now) return state.dueAt < Infinity ? setTimer(state, state.dueAt, now) : undefined;
    const waitMs = rateLimiter.waitMs(state.id, rateOf(state));
    if (waitMs > 0) return setTimer(state, now + waitMs, now);
    if (sender.roomOf(state) > 0 || !hasWork(state)) toClaim(state);
  }

  function holdUntil(state: EndpointState, at: Date | null, now: number) {
    giveBack(state);
    const { settings } = state;
    // The backlog of a suspended tenant is delivered at the reduced rate, as after an outage.
    if (settings && !settings.isTenantActive && state.dueAt <= now && !settings.health.isPaced) {
      state.settings = { ...settings, health: { ...settings.health, isPaced: true } };
      state.isDirty = true;
      toStore(state);
    }
    if (at) setTimer(state, at.getTime(), now);
  }

  function toClaim(state: EndpointState) {
    work.toClaim.add(state);
    schedule();
  }

  function giveBack(state: EndpointState, which?: Parameters<typeof returnBuffered>[1]) {
    if (state.buffered.length === 0) return;
    returnBuffered(state, which);
    if (state.returned.length === 0) return;
    state.dueAt = Math.min(state.dueAt, Date.now());
    toStore(state);
  }

  function setTimer(state: EndpointState, at: number, now: number) {
    if (state.timer && state.timerAt <= at) return;
    clearTimeout(state.timer);
    state.timerAt = at;
    state.timer = setTimeout(
      () => {
        state.timer = undefined;
        consider(state);
      },
      Math.min(maxTimerMs, Math.max(1, at - now)),
    );
    state.timer.unref();
  }

  /** A disabled endpoint, or a broken one without a pending delivery, gets a request that checks whether it responds. */
  function ping(state: EndpointState) {
    if (!isTargetKnown(state)) return ensureTarget(state);
    state.wantsPing = false;
    const { actor } = asSystem(state.tenantId, 'webhooks');
    const endpoint = { id: state.id, environmentId: state.target?.environmentId ?? null };
    const payload = pingPayload({ tenantId: state.tenantId, actor, now: new Date() }, endpoint);
    state.buffered.push({ delivery: null, payload, since: performance.now() });
    sender.offer(state);
  }

  function ensureTarget(state: EndpointState) {
    if (state.isLoading || isTargetKnown(state)) return;
    state.target = state.settings && cachedTarget(state.id, state.settings.revision);
    if (isTargetKnown(state)) return;
    state.isLoading = true;
    void loadTarget(services, state.tenantId, state.id)
      .then(
        (target) => {
          state.target = target;
          state.isLoading = false;
          // Changed since it was announced, or not announced at all.
          if (target && state.settings && target.revision > state.settings.revision) state.changes++;
        },
        (error: unknown) => {
          log.warn(
            { err: error, tenantId: state.tenantId, webhookId: state.id },
            'reading an endpoint failed; retrying',
          );
          giveBack(state);
          return sleep(5_000, undefined, { ref: false }).then(() => (state.isLoading = false));
        },
      )
      .then(() => {
        if (!state.isDropped && state.buffered.length > 0 && !isUnread(state) && !isTargetKnown(state))
          ensureTarget(state);
        sender.offer(state);
        consider(state);
      });
  }

  function schedule() {
    if (isRunning || isStopped) return;
    const now = performance.now();
    const soon = lastStepAt + claimEveryMs;
    const at = Math.min(
      work.toClaim.size > 0 ? soon : Infinity,
      work.toStore.size === 0
        ? Infinity
        : isUrgent || resultCount >= enoughResults
          ? soon
          : firstResultAt + storeWithinMs,
    );
    if (at === Infinity) return;
    if (at <= now) {
      isRunning = true;
      setImmediate(() => void step()); // more hints of the same message
    } else if (!timer || at < timerAt) {
      clearTimeout(timer);
      timerAt = at;
      timer = setTimeout(() => {
        timer = undefined;
        schedule();
      }, at - now);
    }
  }

  async function step(): Promise<void> {
    lastStepAt = performance.now();
    slots.refresh();
    let plan: Plan | undefined;
    let isLeaving = false;
    try {
      plan = planStep(
        { slots, rateLimiter, roomOf: sender.roomOf, takesWork, bufferedCount: sender.bufferedCount },
        work,
        entryLimit,
        new Date(),
      );
      [resultCount, isUrgent, firstResultAt] = [0, false, performance.now()];
      for (const state of plan?.publications ?? []) void publish(state, []);
      if (plan && plan.entries.size > 0) {
        const output = await runStep(services.db, { ...plan.input, worker: deps.ownership().worker(), laneCount });
        entryLimit = Math.min(maxEntries, entryLimit * 2);
        await applyStep({ services, plan, output, rateLimiter, publish, drop: registry.drop });
        for (const state of plan.entries.keys()) {
          failingSteps.succeeded(state.id);
          if (state.isDropped) continue;
          if (state.isDirty) work.toStore.add(state);
          if (state.buffered.length > 0) ensureTarget(state);
          sender.offer(state);
          consider(state);
          if (deps.ownership().isLeaving(state.lane)) isLeaving = true;
        }
        if (isLeaving) deps.ownership().wake();
      }
    } catch (error) {
      if (plan) restore(plan, work);
      await afterFailure(error, plan);
    }
    isRunning = false;
    schedule();
  }

  /** One endpoint must not hold up others: the next steps are smaller, until it is found. */
  async function afterFailure(error: unknown, plan: Plan | undefined) {
    if (isLaneLost(error)) {
      deps.ownership().wake();
      return sleep(50);
    }
    for (const { id, dueAt } of plan?.entries.keys() ?? []) failingSteps.failed(id, dueAt);
    const isOutage = fromDatabaseError(error)?.reason === 'database_unavailable';
    log.warn({ err: error, endpoints: plan?.entries.size }, 'a delivery step failed; retrying');
    if (!isOutage && entryLimit === 1) {
      for (const state of plan?.entries.keys() ?? []) {
        log.error({ err: error, tenantId: state.tenantId, webhookId: state.id }, 'delivery to an endpoint failed');
        // What was sent is sent again after its lease, and what is due is found again.
        registry.drop(state);
      }
    } else if (!isOutage) entryLimit = Math.max(1, Math.floor(Math.min(entryLimit, plan?.entries.size ?? 1) / 4));
    await sleep(retryMs);
  }

  /** Stores results with events and emails about them, in a transaction of the endpoint's own. */
  async function publish(state: EndpointState, missing: readonly LaneDelivery[]): Promise<void> {
    const { tenantId, id: webhookId, lane, results } = state;
    state.isPublishing = true;
    state.results = [];
    const hold = { worker: deps.ownership().worker(), laneCount, lane };
    try {
      const endpoint = await publishResults(services, { tenantId, webhookId, results, missing, hold });
      state.isPublishing = false;
      if (!endpoint) return registry.drop(state);
      applySettings(state, { ...endpoint, isTenantActive: state.settings?.isTenantActive ?? true });
      [state.dueAt, state.mayHaveLater] = [Math.min(state.dueAt, Date.now()), true];
      state.lastWrittenMs = Date.now();
    } catch (error) {
      state.results = [...results, ...state.results];
      if (isLaneLost(error)) deps.ownership().wake();
      else log.warn({ err: error, tenantId, webhookId }, 'storing results failed; retrying');
      await sleep(retryMs);
      state.isPublishing = false;
      if (!state.isDropped && missing.length > 0) {
        state.returned.push(...missing);
        toStore(state);
      }
    }
    if (state.isDropped) return;
    if (state.results.length > 0) toStore(state);
    sender.offer(state);
    consider(state);
  }

  return {
    hint({ tenantId, webhookId, isChanged }: LaneHint) {
      const { isLeaving, owns } = deps.ownership();
      const lane = registry.laneOf(webhookId);
      const known = registry.find(webhookId);
      if (!owns(lane) || (isLeaving(lane) && !known)) return;
      const state = known ?? registry.get(tenantId, webhookId);
      state.dueAt = Math.min(state.dueAt, Date.now());
      if (isChanged) state.mayHaveLater = true;
      if (isChanged || (state.settings && Date.now() - state.readAt > settingsMaxAgeMs)) state.changes++;
      consider(state);
    },
    /** What was found in the queue. */
    found(heads: readonly Head[]) {
      const now = Date.now();
      for (const { tenantId, webhookId, nextAttemptAt } of heads) {
        const lane = registry.laneOf(webhookId);
        if (!deps.ownership().owns(lane) || deps.ownership().isLeaving(lane)) continue;
        const state = registry.get(tenantId, webhookId);
        if (hasWork(state) || state.dueAt <= nextAttemptAt.getTime()) {
          state.mayHaveLater = true;
          // Paused and broken endpoints are read again at times, in case a hint was lost.
          if (state.settings && !hasWork(state) && now - state.readAt > settingsMaxAgeMs) state.changes++;
        } else state.dueAt = nextAttemptAt.getTime();
        consider(state);
      }
    },
    /** After hints may have been lost. */
    invalidateSettings() {
      for (const state of registry.all()) state.changes++;
    },
    /** After requests could not be started for a while. */
    resume() {
      for (const state of registry.all()) {
        sender.offer(state);
        consider(state);
      }
    },
    loseLane(lane: number) {
      for (const state of registry.inLane(lane)) registry.drop(state);
    },
    /** Gives back what was not started in lanes that are to be given back. */
    leaveLanes() {
      for (const state of registry.all()) if (!takesWork(state)) giveBack(state);
    },
    workOf(lane: number) {
      let count = 0;
      for (const state of registry.inLane(lane)) if (hasWork(state)) count++;
      return count;
    },
    /** Endpoints with something that is due, and requests in flight. */
    backlog: () => ({ endpoints: work.toClaim.size, inFlight: slots.inUse() }),
    /**
     * How long the first of them is due, or steps fail for one. Those that may not be sent now, such as of paused endpoints,
     * are not counted.
     */
    oldestDueSeconds() {
      const now = Date.now();
      let oldest = Math.min(now, failingSteps.since());
      for (const { settings, dueAt } of work.toClaim) if (settings) oldest = Math.min(oldest, dueAt);
      return (now - oldest) / 1_000;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      sender.stop();
      for (const state of registry.all()) registry.drop(state);
    },
  };
}
