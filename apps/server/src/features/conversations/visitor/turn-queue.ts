import { randomInt } from 'node:crypto';
import type { Registry } from 'prom-client';
import { busy } from '../../../platform/errors.ts';
import { readGauge } from '../../../platform/metrics/gauges.ts';
import { createCounter } from '../../../platform/metrics/instruments.ts';

// What is accepted will be answered, however long it waits. So that it doesn't wait long, a process accepts no more messages
// than the workers start in a few seconds: the others are refused before they are stored, and the visitor's page sends them again.

/** Nothing is refused while every message is started within this time. */
const noticedAfterMs = 1_000;
/** How long the last message of a full queue waits, at the rate of the last seconds. */
const longestWaitSeconds = 2;
/** That many may wait at any rate, so that a worker's restart refuses no one on a small deployment. */
const alwaysAccepted = 50;
/** The rate of the last seconds: how long it takes to fade to a third. */
const rateSeconds = 3;

const refused = createCounter(
  'parley_messages_refused_total',
  'Visitors’ messages that were refused, because those accepted before them waited for too long.',
  {},
);

/** A message in the queue. Further calls change nothing. */
export interface QueuedMessage {
  /** A worker has started its turn. */
  started(): void;
  /** It won't be started, or no one here will notice. */
  leave(): void;
}

export type TurnQueue = ReturnType<typeof createTurnQueue>;

/** The messages that this process has accepted and whose turn no worker has started. */
export function createTurnQueue(metrics: Registry, now: () => number = () => performance.now()) {
  /** When each was accepted, oldest first. */
  const waiting = new Map<symbol, number>();
  const byTenant = new Map<string, number>();
  let [starts, countedAt] = [0, now()];

  /** Counts exponentially less of what is longer ago. */
  const startsUntil = (at: number) => starts * Math.exp((countedAt - at) / (rateSeconds * 1_000));
  const capacity = (at: number) => Math.max(alwaysAccepted, (startsUntil(at) / rateSeconds) * longestWaitSeconds);
  const change = (tenantId: string, by: 1 | -1) => {
    const count = (byTenant.get(tenantId) ?? 0) + by;
    if (count === 0) byTenant.delete(tenantId);
    else byTenant.set(tenantId, count);
  };

  readGauge(
    metrics,
    'parley_messages_waiting',
    'Messages that this process has accepted and whose turn no worker has started.',
    () => waiting.size,
  );

  const assertRoom = (tenantId: string) => {
    const at = now();
    const [oldest = at] = waiting.values();
    if (at - oldest < noticedAfterMs || waiting.size < capacity(at)) return;
    const fairShare = waiting.size / byTenant.size;
    if ((byTenant.get(tenantId) ?? 0) < fairShare && waiting.size < 2 * capacity(at)) return;
    refused.inc();
    // Not all at the same time again.
    throw busy('Too many people are writing right now. Try again in a few seconds.', randomInt(3, 9));
  };

  return {
    /** Throws 503 when the queue is full. Then a tenant with fewer messages in it than others have is still accepted. */
    enter(tenantId: string): QueuedMessage {
      assertRoom(tenantId);
      const id = Symbol(tenantId);
      waiting.set(id, now());
      change(tenantId, 1);
      const leave = () => {
        const wasWaiting = waiting.delete(id);
        if (wasWaiting) change(tenantId, -1);
        return wasWaiting;
      };
      const started = () => {
        if (!leave()) return;
        const at = now();
        [starts, countedAt] = [startsUntil(at) + 1, at];
      };
      return { started, leave };
    },
  };
}
