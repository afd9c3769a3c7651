import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Keyring } from './crypto.ts';
import { productVersion } from './product-version.ts';
import { currentVersion } from './version.ts';
import type { Valkey } from './valkey.ts';

/** A running process, as it announces itself. During a roll-out other versions do too: later fields must be optional. */
export interface ProcessInfo {
  id: string;
  role: 'api' | 'worker';
  host: string;
  pid: number;
  /** Product version. */
  version: string;
  apiVersion: string;
  startedAt: string;
  /** Ids only. The first encrypts; all of them decrypt. */
  masterKeys: string[];
}

export interface Processes {
  /** This process and those with a heartbeat in the last half minute. Throws while Valkey is down. */
  list(): Promise<ProcessInfo[]>;
  stop(): Promise<void>;
}

/** Longer than the command timeout of half a second, because there is no other source for this list. */
const readTimeoutMs = 5_000;

interface AnnounceOptions {
  everyMs?: number;
  /** Time after which a crashed process disappears from the list. */
  ttlSeconds?: number;
}

/**
 * Announces this process every few seconds, so that operators see which ones run. A hint only: a process that is missing
 * may just be disconnected from Valkey.
 */
export function announceProcess(
  valkey: Valkey,
  prefix: string,
  role: ProcessInfo['role'],
  keyring: Keyring,
  { everyMs = 10_000, ttlSeconds = 30 }: AnnounceOptions = {},
): Processes {
  const id = randomUUID();
  const self: ProcessInfo = {
    id,
    role,
    host: hostname(),
    pid: process.pid,
    version: productVersion,
    apiVersion: currentVersion,
    startedAt: new Date().toISOString(),
    masterKeys: [keyring.current.id, ...[...keyring.byId.keys()].filter((known) => known !== keyring.current.id)],
  };
  const setKey = `${prefix}processes`;
  const keyOf = (one: string) => `${prefix}process:${one}`;

  // Writes the complete entry each time, so that it is restored if Valkey loses its data.
  const heartbeat = () =>
    valkey
      .multi()
      .sadd(setKey, id)
      .set(keyOf(id), JSON.stringify(self), 'EX', ttlSeconds)
      .exec()
      .catch(() => {});
  const onReady = () => void heartbeat();
  valkey.on('ready', onReady);
  if (valkey.status === 'ready') onReady();
  const heartbeatTimer = setInterval(() => void heartbeat(), everyMs);
  heartbeatTimer.unref();

  const read = async <T>(command: () => Promise<T>): Promise<T> => {
    for (const deadline = Date.now() + readTimeoutMs; ;) {
      try {
        return await command();
      } catch (error) {
        if (!isTimeout(error) || valkey.status !== 'ready' || Date.now() > deadline) throw error;
      }
    }
  };

  return {
    list: async () => {
      // Our own entry may be missing or expired although this process runs.
      const ids = (await read(() => valkey.smembers(setKey))).filter((other) => other !== id);
      const texts = ids.length === 0 ? [] : await read(() => valkey.mget(ids.map(keyOf)));
      const expired = ids.filter((_id, at) => texts[at] === null);
      if (expired.length > 0) valkey.srem(setKey, expired).catch(() => {}); // a live process adds itself again with its next heartbeat
      const others = texts.flatMap((text) => (typeof text === 'string' ? [JSON.parse(text) as ProcessInfo] : []));
      return [self, ...others].sort((a, b) => a.role.localeCompare(b.role) || a.startedAt.localeCompare(b.startedAt));
    },
    stop: async () => {
      clearInterval(heartbeatTimer);
      valkey.off('ready', onReady);
      if (valkey.status !== 'ready') return; // then the entry expires
      await valkey
        .multi()
        .srem(setKey, id)
        .del(keyOf(id))
        .exec()
        .catch(() => {});
    },
  };
}

const isTimeout = (error: unknown) => error instanceof Error && error.message === 'Command timed out';
