import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { asSystem, inTenant, type Services } from './context.ts';
import { eventsAfter, type StoredEvent } from './events.store.ts';
import type { Id } from './ids.contract.ts';
import { pollLoop } from './poll-loop.ts';
import { prepared } from './prepared.ts';
import type { Log } from './telemetry.ts';

/**
 * Reacts to events. Called at least once per event, in the order of the tenant. After a crash, events are delivered again,
 * so subscribers must be idempotent. Throwing delays the later events of this tenant.
 */
export type Subscriber = (tenantId: Id<'tenant'>, events: readonly StoredEvent[]) => Promise<void>;

interface RelayDeps {
  services: Services;
  subscribers: readonly Subscriber[];
  log: Log;
  /** Poll interval without a wake, which recovers events after a crash. */
  sweepMs?: number;
  leaseSeconds?: number;
  batchSize?: number;
}

export interface Relay {
  wake(): void;
  stop(): Promise<void>;
}

/** What is undelivered, at the time of a lease or an acknowledgement: positions up to the last, with ids from this range. */
interface Undelivered {
  lastPosition: string;
  lowestId: string | null;
  highestId: string | null;
}

interface LeasedStream extends Undelivered {
  tenantId: Id<'tenant'>;
  deliveredPosition: string;
  failures: number;
}

/**
 * Limits a read to the partitions that contain its events. A later event may have a smaller id, from a slow clock or an old
 * step, but it also has a position after the last one, so this read does not include it anyway.
 */
const rangeOf = ({ lastPosition, lowestId: lowest, highestId: highest }: Undelivered) => ({
  lastPosition: Number(lastPosition),
  ...(lowest !== null && highest !== null && { ids: { lowest, highest } }),
});

/** Maximum number of streams that one relay processes concurrently. */
const max = 50;

/** Delivers committed events to subscribers. Several relays can run: each tenant's stream is leased by one at a time. */
export function startRelay({
  services,
  subscribers,
  log,
  sweepMs = 1_000,
  leaseSeconds = 6,
  batchSize = 200,
}: RelayDeps): Relay {
  /** Delivers the pending events of one tenant in batches, and records each batch after every subscriber processed it. */
  async function deliver(
    lease: string,
    { tenantId, deliveredPosition, ...leased }: LeasedStream,
    isStopping: () => boolean,
  ): Promise<void> {
    let position = Number(deliveredPosition);
    let undelivered: Undelivered = leased;
    for (;;) {
      const range = rangeOf(undelivered);
      const events = await inTenant(
        services,
        asSystem(tenantId, 'relay'),
        (ctx) => eventsAfter(ctx, position, batchSize, range),
        { readOnly: true },
      );
      // The stream reports pending events, but there are none. Polling again would loop forever.
      const isMissing = events.length === 0 && position === Number(deliveredPosition);
      if (isMissing) throw new Error(`events after position ${position} are missing`);
      if (events.length > 0) await notifySubscribers(lease, tenantId, position, events);
      position = events.at(-1)?.position ?? position;
      const isLast = events.length < batchSize || isStopping();
      const left = await ackPosition(lease, tenantId, position, isLast ? 0 : leaseSeconds);
      if (isLast || !left || Number(left.lastPosition) === position) return;
      undelivered = left;
    }
  }

  /** Renews the lease while subscribers run, so that it can be short: a crash delays a tenant by one lease. */
  async function notifySubscribers(
    lease: string,
    tenantId: Id<'tenant'>,
    recorded: number,
    events: readonly StoredEvent[],
  ) {
    const renew = () => void ackPosition(lease, tenantId, recorded, leaseSeconds).catch(() => {});
    const renewing = setInterval(renew, (leaseSeconds * 1_000) / 3);
    try {
      for (const subscriber of subscribers) await subscriber(tenantId, events);
    } finally {
      clearInterval(renewing);
    }
  }

  /** Returns what is left, or undefined if another relay has the lease. */
  async function ackPosition(lease: string, tenantId: string, position: number, seconds: number) {
    const call = sql<Undelivered>`
      select * from directory.ack_event_stream(${tenantId}, ${lease}, ${position}, ${seconds})`;
    return (await call.execute(prepared(services.db))).rows[0];
  }

  async function deliverOrDefer(lease: string, stream: LeasedStream, isStopping: () => boolean): Promise<void> {
    const { tenantId, failures } = stream;
    try {
      await deliver(lease, stream, isStopping);
    } catch (error) {
      const seconds = Math.min(60, 0.5 * 2 ** failures);
      log.error({ err: error, tenantId, retryInSeconds: seconds }, 'event relay failed; retrying');
      const defer = sql`select directory.defer_event_stream(${tenantId}, ${lease}, ${seconds})`;
      await defer.execute(services.db).catch(() => {}); // then the lease expires
    }
  }

  return pollLoop<LeasedStream & { lease: string }>({
    max,
    everyMs: sweepMs,
    debounceMs: 20,
    lease: async (capacity) => {
      const lease = randomUUID(); // a new id, so that work that outlived an earlier lease cannot record its position
      const { rows } = await sql<LeasedStream>`
        select * from directory.lease_event_streams(${lease}, ${leaseSeconds}, ${capacity})`.execute(
        prepared(services.db),
      );
      return rows.map((stream) => ({ ...stream, lease }));
    },
    keyOf: ({ tenantId }) => tenantId, // a slow stream delays its own tenant only
    work: ({ lease, ...stream }, isStopping) => deliverOrDefer(lease, stream, isStopping),
    onError: (error) => log.warn({ err: error }, 'event poll failed; retrying'),
  });
}
