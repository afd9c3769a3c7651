import { Redis } from 'iovalkey';
import type { Log } from './telemetry.ts';

export type Valkey = Redis;

/**
 * May vanish at any moment without loss: commands fail at once while it is away instead of queueing up, and whoever
 * calls has something else to do.
 */
export function openValkey(url: string, log: Log): Valkey {
  const valkey = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 500,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
  let isAway = false;
  valkey.on('error', (error: unknown) => {
    if (!isAway) log.warn({ err: error }, 'Valkey unavailable; using local rate limits and short caches');
    isAway = true;
  });
  valkey.on('ready', () => {
    if (isAway) log.info('Valkey available again');
    isAway = false;
  });
  return valkey;
}

export interface Signals {
  /** Tells every process, this one included. May be lost: it is a hint, never the only way. */
  send(channel: string, message: string): void;
  listen(channel: string, hear: (message: string) => void): void;
  /** Listens for a while. `isListening` is settled once nothing that is sent from then on will be missed, or at once while Valkey is away. */
  watch(channel: string, hear: (message: string) => void): { isListening: Promise<void>; stop(): void };
  /** Leaves a note for whoever comes later, for a while. */
  keep(name: string, text: string, seconds: number): void;
  kept(name: string): Promise<string | null>;
  drop(name: string): void;
  /** Whether messages arrive at all; while they do not, whoever waits for one must look for itself. */
  isUp(): boolean;
  /** Called when messages may have been missed. */
  onGap(recover: () => void): () => void;
  close(): void;
}

/** Messages between processes over Valkey's publish and subscribe, under one prefix so that deployments can share a server. */
export function openSignals(valkey: Valkey, prefix: string): Signals {
  const ears = new Map<string, Set<(message: string) => void>>();
  const recoveries = new Set<() => void>();
  const subscriber = valkey.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null });
  subscriber.on('error', () => {}); // the first connection has said it already
  subscriber.on('message', (channel: string, message: string) => ears.get(channel)?.forEach((hear) => hear(message)));
  for (const moment of ['close', 'ready']) subscriber.on(moment, () => recoveries.forEach((recover) => recover()));
  const hearOn = async (channel: string, hear: (message: string) => void) => {
    const name = prefix + channel;
    const known = ears.get(name);
    if (known) known.add(hear);
    else ears.set(name, new Set([hear]));
    // Asked for again also when it is known: the answer to the first may still be under way. Valkey does not mind.
    const asked = subscriber.subscribe(name).catch(() => {});
    if (subscriber.status === 'ready') await asked;
  };
  return {
    send: (channel, message) => {
      valkey.publish(prefix + channel, message).catch(() => {});
    },
    listen: (channel, hear) => void hearOn(channel, hear),
    watch: (channel, hear) => {
      const name = prefix + channel;
      const isListening = hearOn(channel, hear);
      return {
        isListening,
        stop: () => {
          const known = ears.get(name);
          known?.delete(hear);
          if (!known || known.size > 0) return;
          ears.delete(name);
          subscriber.unsubscribe(name).catch(() => {});
        },
      };
    },
    keep: (name, text, seconds) => {
      valkey.set(prefix + name, text, 'EX', seconds).catch(() => {});
    },
    kept: (name) => valkey.get(prefix + name).catch(() => null),
    drop: (name) => {
      valkey.del(prefix + name).catch(() => {});
    },
    isUp: () => subscriber.status === 'ready',
    onGap: (recover) => {
      recoveries.add(recover);
      return () => void recoveries.delete(recover);
    },
    close: () => subscriber.disconnect(),
  };
}
