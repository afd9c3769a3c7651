import type { Services } from '../../../platform/context.ts';
import type { OutboundPayload } from '../delivery/send.ts';
import type { RateLimiter } from '../delivery/rate-limiter.ts';
import {
  actionOf,
  applySettings,
  firstClaim,
  hasWork,
  rateOf,
  type EndpointState,
  type LaneDelivery,
} from './endpoint-state.ts';
import { waitOf } from './lane-metrics.ts';
import type { Entry, Plan } from './plan.ts';
import { readBodies, type StepOutput } from './step.dispatch.ts';

interface ApplyDeps {
  services: Services;
  plan: Plan;
  output: StepOutput;
  rateLimiter: RateLimiter;
  publish(state: EndpointState, missing: readonly LaneDelivery[]): Promise<void>;
  drop(state: EndpointState): void;
}

/** What is due and could not be claimed, because another worker or a listener has it, is tried again after this time. */
const unclaimableMs = 1_000;
const maxClaim = 200;

/** Changes the state in memory after a step was committed. */
export async function applyStep({ services, plan, output, rateLimiter, publish, drop }: ApplyDeps): Promise<void> {
  await readOlderBodies(services, plan, output);
  const claimedBy = Map.groupBy(output.claimed, ({ webhookId }) => webhookId);
  const now = Date.now();
  for (const entry of plan.entries.values()) {
    const { state } = entry;
    state.isInStep = false;
    if (state.isDropped) continue;
    if (entry.reads) {
      const settings = output.settings.get(state.id);
      if (!settings) {
        drop(state);
        continue;
      }
      applySettings(state, settings);
      [state.readAt, state.readChanges] = [now, entry.changes];
    } else if (entry.writesHealth) noteWrite(entry, output, now);
    if (entry.nextRetryAt < Infinity) {
      state.mayHaveLater = true;
      state.dueAt = Math.min(state.dueAt, entry.nextRetryAt);
    }
    const claimed = (claimedBy.get(state.id) ?? []).toSorted((a, b) => Number(a.position) - Number(b.position));
    const missing = buffer(entry, claimed);
    if (claimed.length > 0) rateLimiter.consume(state.id, rateOf(state), claimed.length);
    if (entry.claim) noteDue(entry, claimed.length, output, now);
    if (missing.length > 0) void publish(state, missing);
  }
}

function noteWrite({ state, settings }: Entry, output: StepOutput, now: number) {
  if (!settings || !state.settings) return;
  // Someone else has changed its health, for example by resuming it: it is read again.
  if (!output.written.has(state.id)) state.changes++;
  else {
    state.settings = { ...state.settings, healthRevision: settings.healthRevision + 1 };
    state.lastWrittenMs = now;
  }
}

/** Returns the deliveries whose event is gone. */
function buffer({ state, claim }: Entry, claimed: StepOutput['claimed']): LaneDelivery[] {
  const missing: LaneDelivery[] = [];
  const since = performance.now();
  for (const row of claimed) {
    const { id, eventId, eventType, retryCount, attempts, restoreEpoch, body, environmentId, traceparent } = row;
    const delivery = { id, eventId, eventType, retryCount, attempts, restoreEpoch, isProbe: claim?.isProbe ?? false };
    const waitedSeconds = waitOf(state, row);
    if (body === null) {
      missing.push(delivery);
      continue;
    }
    const payload: OutboundPayload = {
      eventId,
      eventType,
      environmentId,
      traceparent,
      body: Buffer.from(body),
      restoreEpoch,
    };
    state.buffered.push({ delivery, payload, since, waitedSeconds });
  }
  return missing;
}

/** When to claim again. `dueAt` was set to infinity before the step, and hints have changed it since. */
function noteDue({ state, claim, asks }: Entry, claimed: number, output: StepOutput, now: number) {
  if (!claim) return;
  const hadMore = !claim.isProbe && state.claimSize > firstClaim;
  if (claimed < claim.max) state.claimSize = firstClaim;
  else if (claim.max === state.claimSize) state.claimSize = Math.min(maxClaim, state.claimSize * 4);
  if (claimed >= claim.max || (hadMore && !asks)) {
    state.dueAt = Math.min(state.dueAt, now);
    return;
  }
  const next = actionOf(state, new Date(now));
  if (!claim.isProbe && !('action' in next && next.action === 'deliver')) {
    state.dueAt = Math.min(state.dueAt, now); // not allowed, so there may be something
    return;
  }
  if (claim.isProbe && claimed === 0) state.wantsPing = true;
  if (!asks) return;
  const at = output.dueAt.get(state.id)?.getTime();
  state.mayHaveLater = at !== undefined;
  // A first claim may be limited further than it asks for, so there may be more.
  const again = claim.isNew && claimed > 0 ? now : now + unclaimableMs;
  if (at !== undefined) state.dueAt = Math.min(state.dueAt, at <= now ? again : at);
  else if (state.settings?.health.isPaced && !hasWork(state) && state.dueAt === Infinity) {
    // The backlog is delivered.
    state.settings = { ...state.settings, health: { ...state.settings.health, isPaced: false } };
    state.isDirty = true;
  }
}

/** Retries of events from before the last two days. */
async function readOlderBodies({ db }: Services, { input }: Plan, { claimed }: StepOutput): Promise<void> {
  const older = claimed.filter(({ body, eventId }) => body === null && eventId < input.eventsSince);
  if (older.length === 0) return;
  const ids = older.map(({ eventId }) => eventId);
  const bodies = new Map((await readBodies(db, input.tenantIds, ids)).map((row) => [row.id, row]));
  for (const row of older) {
    const event = bodies.get(row.eventId);
    if (event) [row.body, row.environmentId, row.traceparent] = [event.body, event.environmentId, event.traceparent];
  }
}
