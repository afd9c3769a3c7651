import { Redis, type RedisOptions } from 'iovalkey';
import { secondsSince } from './metrics/histogram.ts';
import { commandDone, commandFailed } from './metrics/server-calls.ts';
import type { Log } from './telemetry.ts';

export type Valkey = Redis;

interface Sentinels {
  hosts: readonly { host: string; port: number }[];
  password?: string | undefined;
}

/**
 * Valkey may fail at any time without data loss: commands fail immediately while it is down instead of being queued, and
 * callers have a fallback. With Sentinels, the host in the URL is the name of the primary, and they say where it is.
 */
export function openValkey(url: string, log: Log, sentinels: Sentinels = { hosts: [] }): Valkey {
  const valkey = new Redis(url, {
    ...sentinelOptions(url, sentinels),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 500,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
  measureCommands(valkey);
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

/** Of every command, those of a pipeline included. The library has no hook for it. */
function measureCommands(valkey: Redis) {
  const send = valkey.sendCommand.bind(valkey);
  valkey.sendCommand = (command, stream) => {
    const startedAt = performance.now();
    command.promise.then(
      () => commandDone.observe(secondsSince(startedAt)),
      (error: unknown) => commandFailed(error).observe(secondsSince(startedAt)),
    );
    return send(command, stream);
  };
}

/** For a client that finds the primary with these Sentinels, if there are any. */
export function sentinelOptions(url: string, { hosts, password }: Sentinels): RedisOptions {
  if (hosts.length === 0) return {};
  const { hostname, protocol } = new URL(url);
  return {
    sentinels: [...hosts],
    name: hostname,
    ...(password !== undefined && { sentinelPassword: password }),
    ...(['rediss:', 'valkeys:'].includes(protocol) && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    sentinelCommandTimeout: 2_000, // a Sentinel on a machine that hangs accepts connections and stays silent
    // A primary that hangs keeps its connections open too, for up to a quarter of an hour: the Sentinels say that it was
    // replaced.
    failoverDetector: true,
  };
}

export interface Signals {
  /** Publishes to every process, including this one. May be lost, so it is only a hint. */
  send(channel: string, message: string): void;
  listen(channel: string, handler: (message: string) => void): void;
  /** Subscribes until `stop`. `isListening` resolves when the subscription is active, or immediately while Valkey is down. */
  watch(channel: string, handler: (message: string) => void): { isListening: Promise<void>; stop(): void };
  /** Stores a short-lived value for other processes. */
  set(name: string, text: string, seconds: number): void;
  get(name: string): Promise<string | null>;
  delete(name: string): void;
  /** Whether messages arrive. If not, callers must poll. */
  isConnected(): boolean;
  /** Called when messages may have been lost. */
  onGap(recover: () => void): () => void;
  close(): void;
}

/** Pub/sub between processes, with a prefix so that deployments can share a server. */
export function openSignals(valkey: Valkey, prefix: string): Signals {
  const handlers = new Map<string, Set<(message: string) => void>>();
  const gapListeners = new Set<() => void>();
  const subscriber = valkey.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null });
  subscriber.on('error', () => {}); // the main connection logs it
  subscriber.on('message', (channel: string, message: string) =>
    handlers.get(channel)?.forEach((handler) => handler(message)),
  );
  for (const event of ['close', 'ready']) subscriber.on(event, () => gapListeners.forEach((recover) => recover()));
  const subscribe = async (channel: string, handler: (message: string) => void) => {
    const name = prefix + channel;
    const existing = handlers.get(name);
    if (existing) existing.add(handler);
    else handlers.set(name, new Set([handler]));
    // Subscribes even if there is a handler already, because its subscription may still be in progress. Repeats are harmless.
    const subscribed = subscriber.subscribe(name).catch(() => {});
    if (subscriber.status === 'ready') await subscribed;
  };
  return {
    send: (channel, message) => {
      valkey.publish(prefix + channel, message).catch(() => {});
    },
    listen: (channel, handler) => void subscribe(channel, handler),
    watch: (channel, handler) => {
      const name = prefix + channel;
      const isListening = subscribe(channel, handler);
      return {
        isListening,
        stop: () => {
          const remaining = handlers.get(name);
          remaining?.delete(handler);
          if (!remaining || remaining.size > 0) return;
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
