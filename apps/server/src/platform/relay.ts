import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { asSystem, inTenant, type Services } from './context.ts';
import { eventsAfter, type StoredEvent } from './events.ts';
import type { Id } from './ids.contract.ts';
import { pollLoop } from './poll-loop.ts';
import type { Log } from './telemetry.ts';

/**
 * Reacts to events. Called at least once for each, in the tenant's order; the same events come again after a crash, so
 * whatever it does must carry an id that makes the repeat harmless. Throwing holds this tenant's later events back.
 */
export type Subscriber = (tenantId: Id<'tenant'>, events: readonly StoredEvent[]) => Promise<void>;

interface RelayDeps {
  services: Services;
  subscribers: readonly Subscriber[];
  log: Log;
  /** Looks for waiting events this often even when nobody woke it: what a crash left is found by this. */
  sweepMs?: number;
  leaseSeconds?: number;
  batchSize?: number;
}

export interface Relay {
  wake(): void;
  stop(): Promise<void>;
}

interface LeasedStream {
  tenantId: Id<'tenant'>;
  deliveredPosition: string;
  failures: number;
}

/** How many streams one relay hands on at a time. */
const max = 50;

/** Hands committed events on. Any number may run: each tenant's stream is leased by one at a time. */
export function startRelay({
  services,
  subscribers,
  log,
  sweepMs = 1_000,
  leaseSeconds = 6,
  batchSize = 200,
}: RelayDeps): Relay {
  /** Hands on what one tenant has waiting, a batch at a time, and records each batch only after every subscriber took it. */
  async function deliver(
    lease: string,
    { tenantId, deliveredPosition }: LeasedStream,
    isStopping: () => boolean,
  ): Promise<void> {
    let position = Number(deliveredPosition);
    for (;;) {
      const events = await inTenant(
        services,
        asSystem(tenantId, 'relay'),
        (ctx) => eventsAfter(ctx, position, batchSize),
        {
          readOnly: true,
        },
      );
      // The stream says that more is waiting. Looking again at once would find as little, without end.
      const isMissing = events.length === 0 && position === Number(deliveredPosition);
      if (isMissing) throw new Error(`events after position ${position} are missing`);
      if (events.length > 0) await notifySubscribers(lease, tenantId, position, events);
      position = events.at(-1)?.position ?? position;
      const isLast = events.length < batchSize || isStopping();
      if (!(await ackPosition(lease, tenantId, position, isLast ? 0 : leaseSeconds)) || isLast) return;
    }
  }

  /** While subscribers take their time the lease is renewed, so that it can be short: it is how long a crash delays a tenant. */
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

  async function ackPosition(lease: string, tenantId: string, position: number, seconds: number): Promise<boolean> {
    const call = sql<{ kept: boolean }>`
      select directory.ack_event_stream(${tenantId}, ${lease}, ${position}, ${seconds}) as kept`;
    return (await call.execute(services.db)).rows[0]?.kept ?? false;
  }

  async function deliverOrDefer(lease: string, stream: LeasedStream, isStopping: () => boolean): Promise<void> {
    const { tenantId, failures } = stream;
    try {
      await deliver(lease, stream, isStopping);
    } catch (error) {
      const seconds = Math.min(60, 0.5 * 2 ** failures);
      log.error({ err: error, tenantId, retryInSeconds: seconds }, 'event relay failed; retrying');
      const defer = sql`select directory.defer_event_stream(${tenantId}, ${lease}, ${seconds})`;
      await defer.execute(services.db).catch(() => {}); // then the lease runs out by itself
    }
  }

  return pollLoop<LeasedStream & { lease: string }>({
    max,
    everyMs: sweepMs,
    gatherMs: 20,
    lease: async (room) => {
      const lease = randomUUID(); // of its own: work that outlived an earlier one cannot record anything under this
      const { rows } = await sql<LeasedStream>`
        select * from directory.lease_event_streams(${lease}, ${leaseSeconds}, ${room})`.execute(services.db);
      return rows.map((stream) => ({ ...stream, lease }));
    },
    keyOf: ({ tenantId }) => tenantId, // a long or slow one holds up only its own tenant
    work: ({ lease, ...stream }, isStopping) => deliverOrDefer(lease, stream, isStopping),
    onError: (error) => log.warn({ err: error }, 'event poll failed; retrying'),
  });
}
