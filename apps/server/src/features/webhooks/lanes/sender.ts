import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { traceIdOf } from '../../../platform/spans.ts';
import type { CountActivity } from '../../../platform/tenant-activity.ts';
import type { Log } from '../../../platform/telemetry.ts';
import { send, type Attempt } from '../delivery/send.ts';
import { returnBuffered, type Buffered, type EndpointState } from './endpoint-state.ts';
import { attemptEnded, attemptStarted } from './lane-metrics.ts';
import type { Slots } from './slots.ts';

/** Each slot has up to this much work waiting, in milliseconds. */
const aheadMs = 200;
const maxAhead = 4;
/** What waited longer isn't started: the endpoint's secret or URL may have changed, and the lease is running. */
const maxWaitMs = 2_000;
const checkEveryMs = 250;
const maxTries = 32;

interface SenderDeps {
  fetch: SafeFetch;
  countActivity: CountActivity | undefined;
  log: Log;
  slots: Slots;
  /** Whether a request may start: the lane is ours, nothing has changed, and the target is known. */
  mayStart(state: EndpointState): boolean;
  onResult(state: EndpointState): void;
  /** Some of what was buffered is to be given back. */
  onReturned(state: EndpointState): void;
}

/** Starts what is buffered as slots become free. Tenants take turns, and so do the endpoints of a tenant. */
export function createSender({ fetch, countActivity, log, slots, mayStart, onResult, onReturned }: SenderDeps) {
  /** With something buffered. */
  const waiting = new Map<string, Set<EndpointState>>();
  const buffering = new Set<EndpointState>();

  function start(state: EndpointState): void {
    const next = state.buffered.shift();
    const target = state.target?.target;
    if (!next || !target) return;
    const end = slots.start(state);
    const startedAt = performance.now();
    attemptStarted(next.waitedSeconds, next.since);
    void send(fetch, target, next.payload, next.delivery?.attempts ?? 1).then((sendResult) => {
      end();
      attemptEnded(sendResult.attempt.outcome, startedAt);
      countActivity?.('deliveries', state.tenantId);
      if (log.isLevelEnabled('debug')) logAttempt(log, state, next, sendResult.attempt);
      state.averageMs = 0.9 * state.averageMs + 0.1 * (performance.now() - startedAt);
      if (sendResult.attempt.outcome === 'succeeded') state.lastSuccessMs = Date.now();
      if (!state.isDropped) {
        state.results.push({ delivery: next.delivery, sendResult });
        onResult(state);
      }
      offer(state);
    });
  }

  function offer(state?: EndpointState) {
    if (state && state.buffered.length > 0) buffering.add(state);
    if (state && state.buffered.length > 0 && mayStart(state)) {
      const own = waiting.get(state.tenantId);
      if (own) own.add(state);
      else waiting.set(state.tenantId, new Set([state]));
    }
    slots.refresh();
    // Bounded, because it runs with every result: if the first ones in line can't start, others have their turn next time.
    for (let tries = maxTries; tries > 0 && waiting.size > 0 && slots.hasFree(); tries--) {
      const [tenantId, states] = waiting.entries().next().value ?? ['', new Set<EndpointState>()];
      waiting.delete(tenantId);
      if (startOne(states)) tries = maxTries;
      if (states.size > 0) waiting.set(tenantId, states); // behind the others
    }
  }

  /** Of one tenant. */
  function startOne(states: Set<EndpointState>): boolean {
    let tries = Math.min(maxTries, states.size); // those added below are not tried twice
    for (const one of states) {
      if (tries-- === 0) return false;
      states.delete(one);
      // Offered again with its next result, or when it may start.
      if (one.isDropped || one.buffered.length === 0 || one.inFlight >= slots.capOf(one)) continue;
      const hasSlot = slots.available(one) > 0;
      if (hasSlot && !mayStart(one)) continue;
      if (hasSlot) start(one);
      if (one.buffered.length > 0) states.add(one); // behind the others
      if (hasSlot) return true;
    }
    return false;
  }

  const checking = setInterval(() => {
    const now = performance.now();
    for (const state of buffering) {
      if (!state.buffered.some(({ since }) => now - since > maxWaitMs)) continue;
      returnBuffered(state, ({ since }) => now - since > maxWaitMs);
      onReturned(state);
    }
    offer(); // requests that have become slow no longer count
  }, checkEveryMs);
  checking.unref();

  return {
    /** To be called when something was buffered for it, or when it may start again. */
    offer,
    /** How many more deliveries it can take. */
    roomOf(state: EndpointState): number {
      const each = Math.max(1, Math.min(maxAhead, Math.floor(aheadMs / state.averageMs)));
      const count = Math.min(slots.capOf(state), state.inFlight + slots.available(state));
      return Math.max(0, count * each - state.buffered.length - state.inFlight);
    },
    bufferedCount() {
      let count = 0;
      for (const state of buffering) {
        if (state.buffered.length === 0 || state.isDropped) buffering.delete(state);
        else count += state.buffered.length;
      }
      return count;
    },
    stop: () => clearInterval(checking),
  };
}

function logAttempt(
  log: Log,
  { tenantId, id: webhookId }: EndpointState,
  { delivery, payload: { eventId, traceparent } }: Buffered,
  { number: attempt, outcome, status, error, timings }: Attempt,
) {
  const traceId = traceparent ? traceIdOf(traceparent) : undefined;
  const ids = { traceId, tenantId, webhookId, deliveryId: delivery?.id, eventId };
  const [reason, ms] = [error ?? undefined, timings?.totalMs];
  log.debug({ ...ids, attempt, outcome, status: status ?? undefined, reason, ms }, 'webhook attempt ended');
}
