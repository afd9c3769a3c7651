import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Keyring } from './crypto.ts';
import { currentVersion } from './version.ts';
import type { Valkey } from './valkey.ts';

/** A process that runs at this moment, as it says itself. */
export interface ProcessInfo {
  id: string;
  role: 'api' | 'worker';
  host: string;
  pid: number;
  /** Of the API: what it was built to speak. */
  version: string;
  startedAt: string;
  /** Ids only. The first encrypts; all of them open. */
  masterKeys: string[];
}

export interface Processes {
  /** This one, and those that were heard of within half a minute. Throws while Valkey is away: then nobody knows. */
  list(): Promise<ProcessInfo[]>;
  stop(): Promise<void>;
}

/**
 * How long a slow response is waited for. Other callers of Valkey give up after half a second since they have something
 * else to do; nothing else knows which processes run.
 */
const readTimeoutMs = 5_000;

interface AnnounceOptions {
  everyMs?: number;
  /** One that dies without a word is missed after this. */
  ttlSeconds?: number;
}

/**
 * Says every few seconds that this process runs, and what it knows, so that an operator sees which do. A hint, as
 * everything in Valkey: one that is missing may only be cut off from it.
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
    version: currentVersion,
    startedAt: new Date().toISOString(),
    masterKeys: [keyring.current.id, ...[...keyring.byId.keys()].filter((known) => known !== keyring.current.id)],
  };
  const setKey = `${prefix}processes`;
  const keyOf = (one: string) => `${prefix}process:${one}`;

  // Each time by its whole name: a Valkey that forgot everything knows it again after one beat.
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
      // Its own entry may be late or have expired, and yet it runs.
      const ids = (await read(() => valkey.smembers(setKey))).filter((other) => other !== id);
      const texts = ids.length === 0 ? [] : await read(() => valkey.mget(ids.map(keyOf)));
      const expired = ids.filter((_id, at) => texts[at] === null);
      if (expired.length > 0) valkey.srem(setKey, expired).catch(() => {}); // one that lives comes back with its next beat
      const others = texts.flatMap((text) => (typeof text === 'string' ? [JSON.parse(text) as ProcessInfo] : []));
      return [self, ...others].sort((a, b) => a.role.localeCompare(b.role) || a.startedAt.localeCompare(b.startedAt));
    },
    stop: async () => {
      clearInterval(heartbeatTimer);
      valkey.off('ready', onReady);
      if (valkey.status !== 'ready') return; // then it is forgotten by itself
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
