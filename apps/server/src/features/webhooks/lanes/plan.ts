import { firstId } from '../../../platform/ids.ts';
import type { Claim } from '../delivery/queue.store.ts';
import type { RateLimiter } from '../delivery/rate-limiter.ts';
import {
  actionOf,
  firstClaim,
  isUnread,
  rateOf,
  type DeliveryResult,
  type EndpointState,
  type LaneDelivery,
} from './endpoint-state.ts';
import { evaluateResults, isUnchanged, lastOf, needsOwnTransaction, sortResults } from './results.ts';
import type { Slots } from './slots.ts';
import type { HealthWrite, Settings, StepInput } from './step.dispatch.ts';

/** What one step does for an endpoint. */
export interface Entry {
  state: EndpointState;
  results: DeliveryResult[];
  returned: LaneDelivery[];
  /** Before the results: restored if the step fails. */
  settings: Settings | undefined;
  writesHealth: boolean;
  claim: Claim | undefined;
  reads: boolean;
  asks: boolean;
  /** When the step was planned. */
  changes: number;
  nextRetryAt: number;
}

export interface Plan {
  entries: Map<EndpointState, Entry>;
  input: Omit<StepInput, 'worker' | 'laneCount'>;
  /** Endpoints whose results have to be published. */
  publications: EndpointState[];
}

/** How many results, and how many endpoints to claim for, one step takes at most. */
const max = { results: 500, claims: 300, buffered: 800 };
/** An endpoint that keeps succeeding is written down this often. */
const writeEveryMs = 10_000;
const day = 86_400_000;

interface PlanDeps {
  slots: Slots;
  rateLimiter: RateLimiter;
  roomOf(state: EndpointState): number;
  takesWork(state: EndpointState): boolean;
  bufferedCount(): number;
}

/** Takes what the next step does from the sets of endpoints with something to store, and to claim. */
export function planStep(
  { slots, rateLimiter, roomOf, takesWork, bufferedCount }: PlanDeps,
  { toStore, toClaim }: { toStore: Set<EndpointState>; toClaim: Set<EndpointState> },
  maxEntries: number,
  now: Date,
): Plan | undefined {
  const entries = new Map<EndpointState, Entry>();
  const publications: EndpointState[] = [];
  const [finished, retries, released]: [
    StepInput['finished'][number][],
    StepInput['retries'][number][],
    LaneDelivery[],
  ] = [[], [], []];
  const health: HealthWrite[] = [];
  const entryOf = (state: EndpointState): Entry => {
    const entry: Entry = entries.get(state) ?? {
      state,
      results: [],
      returned: [],
      settings: state.settings,
      writesHealth: false,
      claim: undefined,
      reads: false,
      asks: false,
      changes: state.changes,
      nextRetryAt: Infinity,
    };
    entries.set(state, entry);
    return entry;
  };

  const store = (state: EndpointState) => {
    const { settings, results, returned } = state;
    const last = lastOf(results, now);
    let isWritten = state.isDirty;
    let nextHealth = settings?.health;
    let nextRetryAt = Infinity;
    if (settings && results.length > 0) {
      const sorted = sortResults(results, now);
      const evaluation = evaluateResults(settings, results, now);
      if (needsOwnTransaction(settings, evaluation, sorted)) {
        publications.push(state);
        return;
      }
      nextHealth = evaluation.health;
      isWritten ||=
        Object.keys(last).length > 0 &&
        (!isUnchanged(settings.health, nextHealth, results) || now.getTime() - state.lastWrittenMs > writeEveryMs);
      finished.push(...sorted.finished);
      retries.push(...sorted.retries);
      nextRetryAt = Math.min(...sorted.retries.map(({ nextAttemptAt }) => nextAttemptAt.getTime()));
    }
    const entry = entryOf(state);
    Object.assign(entry, { results, returned, writesHealth: isWritten && settings !== undefined, nextRetryAt });
    released.push(...returned);
    [state.results, state.returned, state.isDirty] = [[], [], false];
    if (!settings || !nextHealth) return;
    state.settings = { ...settings, health: nextHealth };
    state.concurrency = nextHealth.concurrency;
    state.isFailing = nextHealth.failures > 0;
    if (entry.writesHealth)
      health.push({
        tenantId: state.tenantId,
        webhookId: state.id,
        health: nextHealth,
        revision: settings.healthRevision + 1,
        ...last,
      });
  };

  let resultCount = 0;
  for (const state of toStore) {
    if (resultCount >= max.results || entries.size >= maxEntries) break;
    toStore.delete(state);
    if (state.isDropped || state.isPublishing) continue;
    resultCount += state.results.length + state.returned.length;
    store(state);
  }

  let budget = max.buffered - bufferedCount();
  let unprovenBudget = budget / 2;
  let claims = 0;
  for (const state of toClaim) {
    if (claims >= max.claims || budget <= 0) break;
    if (entries.size >= maxEntries && !entries.has(state)) break;
    if (state.isDropped || state.isPublishing || publications.includes(state) || !takesWork(state)) {
      toClaim.delete(state);
      continue;
    }
    const isNew = isUnread(state);
    const next = actionOf(state, now);
    const isProbe = !isNew && 'action' in next && next.action === 'probe';
    if (!isNew && !isProbe && !('action' in next && next.action === 'deliver')) {
      toClaim.delete(state);
      continue;
    }
    const isProven = slots.isProven(state);
    // The claim itself limits an endpoint whose settings are not known yet by these.
    const room = isProbe
      ? 1
      : Math.min(roomOf(state), isNew ? firstClaim : state.claimSize, isProven ? budget : unprovenBudget);
    const count = isProbe ? 1 : rateLimiter.available(state.id, rateOf(state), Math.floor(room));
    if (count <= 0 && !isNew) {
      if (state.inFlight + state.buffered.length > 0) toClaim.delete(state); // considered again with its next result
      continue;
    }
    toClaim.delete(state);
    const entry = entryOf(state);
    entry.reads = isNew;
    if (count > 0) {
      const isOrdered = state.settings?.ordering === 'conversation';
      entry.claim = {
        tenantId: state.tenantId,
        webhookId: state.id,
        max: count,
        // Before it was read, only what is certainly allowed.
        isOrdered: isNew || isOrdered,
        isProbe,
        isNew,
      };
      // Not while there is more than can be claimed.
      entry.asks =
        isNew || (state.claimSize === firstClaim && (state.mayHaveLater || state.settings?.health.isPaced === true));
      state.dueAt = Infinity;
      claims++;
      budget -= count;
      if (!isProven) unprovenBudget -= count;
    }
  }

  if (entries.size === 0 && publications.length === 0) return undefined;
  const all = [...entries.values()];
  for (const { state } of all) state.isInStep = true;
  return {
    entries,
    publications,
    input: {
      lanes: [...new Set(all.map(({ state }) => state.lane))],
      tenantIds: new Set(all.map(({ state }) => state.tenantId)),
      finished,
      retries,
      released,
      health,
      claims: all.flatMap(({ claim }) => claim ?? []),
      asks: all
        .filter(({ asks }) => asks)
        .map(({ state }) => ({ webhookId: state.id, isOrdered: state.settings?.ordering === 'conversation' })),
      reads: all.filter(({ reads }) => reads).map(({ state }) => ({ tenantId: state.tenantId, webhookId: state.id })),
      eventsSince: firstId('event', now.getTime() - day),
    },
  };
}

/** After a failed step: everything is done again. */
export function restore(
  { entries }: Plan,
  { toStore, toClaim }: { toStore: Set<EndpointState>; toClaim: Set<EndpointState> },
) {
  for (const { state, results, returned, settings, writesHealth, claim, reads } of entries.values()) {
    state.isInStep = false;
    if (state.isDropped) continue;
    state.results = [...results, ...state.results];
    state.returned = [...returned, ...state.returned];
    state.isDirty ||= writesHealth && results.length === 0;
    if (settings) state.settings = settings;
    if (results.length > 0 || returned.length > 0 || state.isDirty) toStore.add(state);
    if (!claim && !reads) continue;
    state.dueAt = Math.min(state.dueAt, Date.now());
    toClaim.add(state);
  }
}
