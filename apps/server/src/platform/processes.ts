import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Keyring } from './crypto.ts';
import { currentVersion } from './version.ts';
import type { Valkey } from './valkey.ts';

/** A process that runs at this moment, as it says itself. */
export interface KnownProcess {
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
  known(): Promise<KnownProcess[]>;
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
  heardSeconds?: number;
}

/**
 * Says every few seconds that this process runs, and what it knows, so that an operator sees which do. A hint, as
 * everything in Valkey: one that is missing may only be cut off from it.
 */
export function announceProcess(
  valkey: Valkey,
  prefix: string,
  role: KnownProcess['role'],
  keyring: Keyring,
  { everyMs = 10_000, heardSeconds = 30 }: AnnounceOptions = {},
): Processes {
  const id = randomUUID();
  const self: KnownProcess = {
    id,
    role,
    host: hostname(),
    pid: process.pid,
    version: currentVersion,
    startedAt: new Date().toISOString(),
    masterKeys: [keyring.current.id, ...[...keyring.byId.keys()].filter((known) => known !== keyring.current.id)],
  };
  const list = `${prefix}processes`;
  const nameOf = (one: string) => `${prefix}process:${one}`;

  // Each time by its whole name: a Valkey that forgot everything knows it again after one beat.
  const beat = () =>
    valkey
      .multi()
      .sadd(list, id)
      .set(nameOf(id), JSON.stringify(self), 'EX', heardSeconds)
      .exec()
      .catch(() => {});
  const onReady = () => void beat();
  valkey.on('ready', onReady);
  if (valkey.status === 'ready') onReady();
  const beating = setInterval(() => void beat(), everyMs);
  beating.unref();

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
    known: async () => {
      // Its own entry may be late or have expired, and yet it runs.
      const ids = (await read(() => valkey.smembers(list))).filter((other) => other !== id);
      const texts = ids.length === 0 ? [] : await read(() => valkey.mget(ids.map(nameOf)));
      const gone = ids.filter((_id, at) => texts[at] === null);
      if (gone.length > 0) valkey.srem(list, gone).catch(() => {}); // one that lives comes back with its next beat
      const others = texts.flatMap((text) => (typeof text === 'string' ? [JSON.parse(text) as KnownProcess] : []));
      return [self, ...others].sort((a, b) => a.role.localeCompare(b.role) || a.startedAt.localeCompare(b.startedAt));
    },
    stop: async () => {
      clearInterval(beating);
      valkey.off('ready', onReady);
      if (valkey.status !== 'ready') return; // then it is forgotten by itself
      await valkey
        .multi()
        .srem(list, id)
        .del(nameOf(id))
        .exec()
        .catch(() => {});
    },
  };
}

const isTimeout = (error: unknown) => error instanceof Error && error.message === 'Command timed out';
