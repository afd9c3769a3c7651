import type { Id } from '../../../platform/ids.contract.ts';
import type { ClaimedDelivery } from '../delivery/queue.store.ts';
import type { OutboundPayload, SendResult } from '../delivery/send.ts';
import { newHealth, nextAction } from '../endpoints/health.ts';
import type { LoadedTarget } from './target.ts';
import type { Settings } from './step.dispatch.ts';
import type { SlotUser } from './slots.ts';

export interface LaneDelivery extends ClaimedDelivery {
  /** The oldest pending delivery, sent to check whether the endpoint has recovered. Doesn't count as an attempt. */
  isProbe: boolean;
}
export interface DeliveryResult {
  /** null: a ping. */
  delivery: LaneDelivery | null;
  sendResult: SendResult;
}
export interface Buffered {
  delivery: LaneDelivery | null;
  payload: OutboundPayload;
  since: number;
  /** From the commit of its event to `since`, if this is its first attempt, and nothing but us could delay it. */
  waitedSeconds?: number | undefined;
}

/** An endpoint with something in the queue. */
export interface Head {
  tenantId: Id<'tenant'>;
  webhookId: string;
  /** Of its first delivery. */
  nextAttemptAt: Date;
}

/** What the owner of a lane has in memory about an endpoint. The database has everything that must not be lost. */
export interface EndpointState extends SlotUser {
  readonly tenantId: Id<'tenant'>;
  readonly id: string;
  readonly lane: number;
  /** undefined: not read yet. */
  settings: Settings | undefined;
  readAt: number;
  /** Increases when a change is announced. Nothing is started before it was read. */
  changes: number;
  readChanges: number;
  target: LoadedTarget | undefined;
  isLoading: boolean;
  /** Claimed, but not started. */
  buffered: Buffered[];
  /** Claimed, and to be given back. */
  returned: LaneDelivery[];
  results: DeliveryResult[];
  /** When there may be something to claim. */
  dueAt: number;
  /** How much is claimed at one time. Grows while there is more, so that an endpoint with little leaves room for others. */
  claimSize: number;
  /** The queue may have deliveries that are due later. */
  mayHaveLater: boolean;
  /** A broken endpoint has no pending delivery to check it with. */
  wantsPing: boolean;
  /** Its health changed without a result. */
  isDirty: boolean;
  /** A step with it is running. */
  isInStep: boolean;
  /** A separate transaction is running for it. Nothing is started meanwhile. */
  isPublishing: boolean;
  /** Its lane belongs to another worker, or it was deleted: results of requests in flight are ignored. */
  isDropped: boolean;
  averageMs: number;
  timer: NodeJS.Timeout | undefined;
  timerAt: number;
  lastWrittenMs: number;
  /** When it last was paused, failing or limited: deliveries from before have waited for it. */
  hinderedMs: number;
}

/** What is claimed of an endpoint that is new, or had little the last time. */
export const firstClaim = 10;

export const newEndpointState = (tenantId: Id<'tenant'>, id: string, lane: number): EndpointState => ({
  tenantId,
  id,
  lane,
  settings: undefined,
  readAt: 0,
  changes: 0,
  readChanges: 0,
  target: undefined,
  isLoading: false,
  buffered: [],
  returned: [],
  results: [],
  dueAt: Infinity,
  claimSize: firstClaim,
  mayHaveLater: true,
  wantsPing: false,
  isDirty: false,
  isInStep: false,
  isPublishing: false,
  isDropped: false,
  averageMs: 200,
  timer: undefined,
  timerAt: Infinity,
  lastWrittenMs: 0,
  hinderedMs: -Infinity,
  inFlight: 0,
  slow: 0,
  concurrency: newHealth().concurrency,
  isFailing: false,
  lastSuccessMs: 0,
});

/** Whether settings must be read before anything else is done. */
export const isUnread = ({ settings, changes, readChanges }: EndpointState) =>
  settings === undefined || changes !== readChanges;

export function applySettings(state: EndpointState, settings: Settings): void {
  if (isHindered(settings) || (state.settings && isHindered(state.settings))) state.hinderedMs = Date.now();
  state.settings = settings;
  state.concurrency = settings.health.concurrency;
  state.isFailing = settings.health.failures > 0;
  state.lastSuccessMs = Math.max(state.lastSuccessMs, settings.lastSuccessAt?.getTime() ?? 0);
}

/** Whether its deliveries wait for something on its own side. */
const isHindered = ({ status, isTenantActive, health }: Settings) =>
  status !== 'active' || !isTenantActive || health.failures > 0 || health.holdUntil !== null || health.isPaced;

/** Whether anything would be lost, or repeated, if this were dropped. */
export const hasWork = ({ inFlight, buffered, returned, results, isInStep, isPublishing }: EndpointState) =>
  inFlight > 0 || buffered.length > 0 || returned.length > 0 || results.length > 0 || isInStep || isPublishing;

/** What to do with the endpoint now, or when to check again. */
export const actionOf = ({ settings }: EndpointState, now: Date): ReturnType<typeof nextAction> =>
  settings?.isTenantActive === true ? nextAction(settings, now) : { at: null };

/** Rate at which the backlog of an outage is delivered. */
const pacedPerSecond = 10;
export const rateOf = ({ settings }: EndpointState): number =>
  settings === undefined
    ? 1_000
    : settings.health.isPaced
      ? Math.min(settings.rateLimit, pacedPerSecond)
      : settings.rateLimit;

/** Moves what is not started, to be given back. */
export function returnBuffered(state: EndpointState, isOver: (one: Buffered) => boolean = () => true): void {
  for (const one of state.buffered) if (isOver(one) && one.delivery) state.returned.push(one.delivery);
  state.buffered = state.buffered.filter((one) => !isOver(one));
}
