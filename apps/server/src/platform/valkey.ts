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
    if (!isAway) log.warn({ err: error }, 'Valkey is away: local limits and short caches until it is back');
    isAway = true;
  });
  valkey.on('ready', () => {
    if (isAway) log.info('Valkey is back');
    isAway = false;
  });
  return valkey;
}

export interface Signals {
  /** Tells every process, this one included. May be lost: it is a hint, never the only way. */
  send(channel: string, message: string): void;
  listen(channel: string, hear: (message: string) => void): void;
  /** Called when messages may have been missed. */
  onGap(recover: () => void): void;
  close(): void;
}

/** Messages between processes over Valkey's publish and subscribe, under one prefix so that deployments can share a server. */
export function openSignals(valkey: Valkey, prefix: string): Signals {
  const ears = new Map<string, ((message: string) => void)[]>();
  const recoveries: (() => void)[] = [];
  const subscriber = valkey.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null });
  subscriber.on('error', () => {}); // the first connection has said it already
  subscriber.on('message', (channel: string, message: string) => ears.get(channel)?.forEach((hear) => hear(message)));
  for (const moment of ['close', 'ready']) subscriber.on(moment, () => recoveries.forEach((recover) => recover()));
  return {
    send: (channel, message) => {
      valkey.publish(prefix + channel, message).catch(() => {});
    },
    listen: (channel, hear) => {
      const name = prefix + channel;
      const known = ears.get(name);
      if (known) return void known.push(hear);
      ears.set(name, [hear]);
      subscriber.subscribe(name).catch(() => {});
    },
    onGap: (recover) => void recoveries.push(recover),
    close: () => subscriber.disconnect(),
  };
}
