import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { asSystem, inTenant, type Ground } from './context.ts';
import { eventsAfter, type StoredEvent } from './events.ts';
import type { Id } from './ids.contract.ts';
import type { Log } from './telemetry.ts';

/**
 * Reacts to events. Called at least once for each, in the tenant's order; the same events come again after a crash, so
 * whatever it does must carry an id that makes the repeat harmless. Throwing holds this tenant's later events back.
 */
export type Subscriber = (tenantId: Id<'tenant'>, events: readonly StoredEvent[]) => Promise<void>;

interface RelayParts {
  ground: Ground;
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

/** Hands committed events on. Any number may run: each tenant's stream is leased by one at a time. */
export function startRelay({
  ground,
  subscribers,
  log,
  sweepMs = 1_000,
  leaseSeconds = 15,
  batchSize = 200,
}: RelayParts): Relay {
  const me = randomUUID();
  const stopping = new AbortController();
  let wakeUp = () => {};
  let isWoken = false;

  /** Hands on what one tenant has waiting, a batch at a time, and records each batch only after every subscriber took it. */
  async function handOn(tenantId: Id<'tenant'>, handedOn: number): Promise<void> {
    let position = handedOn;
    for (;;) {
      const events = await inTenant(
        ground,
        asSystem(tenantId, 'relay'),
        (ctx) => eventsAfter(ctx, position, batchSize),
        {
          readOnly: true,
        },
      );
      for (const subscriber of events.length > 0 ? subscribers : []) await subscriber(tenantId, events);
      position = events.at(-1)?.position ?? position;
      const isLast = events.length < batchSize || stopping.signal.aborted;
      if (!(await advance(tenantId, position, isLast ? 0 : leaseSeconds)) || isLast) return;
    }
  }

  async function advance(tenantId: string, position: number, seconds: number): Promise<boolean> {
    const call = sql<{ kept: boolean }>`
      select directory.advance_event_stream(${tenantId}, ${me}, ${position}, ${seconds}) as kept`;
    return (await call.execute(ground.db)).rows[0]?.kept ?? false;
  }

  async function handOnAll(): Promise<number> {
    const { rows } = await sql<{ tenantId: Id<'tenant'>; handedOn: string; failures: number }>`
      select * from directory.lease_event_streams(${me}, ${leaseSeconds}, 50)`.execute(ground.db);
    await Promise.all(
      rows.map(async ({ tenantId, handedOn, failures }) => {
        try {
          await handOn(tenantId, Number(handedOn));
        } catch (error) {
          const seconds = Math.min(60, 0.5 * 2 ** failures);
          log.error({ err: error, tenantId, retryInSeconds: seconds }, 'events are held back: a subscriber failed');
          await sql`select directory.defer_event_stream(${tenantId}, ${me}, ${seconds})`.execute(ground.db);
        }
      }),
    );
    return rows.length;
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      isWoken = false;
      const leased = await handOnAll().catch((error: unknown) => {
        log.warn({ err: error }, 'the relay could not look for events; it looks again');
        return 0;
      });
      if (leased > 0 || isWoken) continue;
      const nap = new AbortController();
      wakeUp = () => nap.abort();
      await sleep(sweepMs, undefined, { signal: AbortSignal.any([nap.signal, stopping.signal]) }).catch(() => {});
    }
  })();

  return {
    wake: () => {
      isWoken = true;
      wakeUp();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
