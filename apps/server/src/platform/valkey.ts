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
  let isDown = false;
  valkey.on('error', (error: unknown) => {
    if (!isDown) log.warn({ err: error }, 'Valkey unavailable; using local rate limits and short caches');
    isDown = true;
  });
  valkey.on('ready', () => {
    if (isDown) log.info('Valkey available again');
    isDown = false;
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
  set(name: string, text: string, seconds: number): void;
  get(name: string): Promise<string | null>;
  delete(name: string): void;
  /** Whether messages arrive at all; while they do not, whoever waits for one must look for itself. */
  isConnected(): boolean;
  /** Called when messages may have been missed. */
  onGap(recover: () => void): () => void;
  close(): void;
}

/** Messages between processes over Valkey's publish and subscribe, under one prefix so that deployments can share a server. */
export function openSignals(valkey: Valkey, prefix: string): Signals {
  const handlers = new Map<string, Set<(message: string) => void>>();
  const gapListeners = new Set<() => void>();
  const subscriber = valkey.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null });
  subscriber.on('error', () => {}); // the first connection has said it already
  subscriber.on('message', (channel: string, message: string) =>
    handlers.get(channel)?.forEach((hear) => hear(message)),
  );
  for (const moment of ['close', 'ready']) subscriber.on(moment, () => gapListeners.forEach((recover) => recover()));
  const subscribe = async (channel: string, hear: (message: string) => void) => {
    const name = prefix + channel;
    const existing = handlers.get(name);
    if (existing) existing.add(hear);
    else handlers.set(name, new Set([hear]));
    // Asked for again also when it is known: the answer to the first may still be under way. Valkey does not mind.
    const subscribed = subscriber.subscribe(name).catch(() => {});
    if (subscriber.status === 'ready') await subscribed;
  };
  return {
    send: (channel, message) => {
      valkey.publish(prefix + channel, message).catch(() => {});
    },
    listen: (channel, hear) => void subscribe(channel, hear),
    watch: (channel, hear) => {
      const name = prefix + channel;
      const isListening = subscribe(channel, hear);
      return {
        isListening,
        stop: () => {
          const known = handlers.get(name);
          known?.delete(hear);
          if (!known || known.size > 0) return;
          handlers.delete(name);
          subscriber.unsubscribe(name).catch(() => {});
        },
      };
    },
    set: (name, text, seconds) => {
      valkey.set(prefix + name, text, 'EX', seconds).catch(() => {});
    },
    get: (name) => valkey.get(prefix + name).catch(() => null),
    delete: (name) => {
      valkey.del(prefix + name).catch(() => {});
    },
    isConnected: () => subscriber.status === 'ready',
    onGap: (recover) => {
      gapListeners.add(recover);
      return () => void gapListeners.delete(recover);
    },
    close: () => subscriber.disconnect(),
  };
}
