import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { Sink } from '../../../platform/http/stream.ts';
import type { Signals } from '../../../platform/valkey.ts';
import type { LogEntry } from '../conversations.contract.ts';
import { watch, wordsSoFar, type News, type Told, type Words } from './live.ts';
import { findRunning } from '../conversations.store.ts';
import { entriesAfter } from './log.store.ts';

export interface FollowParts {
  services: Services;
  signals: Signals;
}

export interface Following {
  tenantId: Id<'tenant'>;
  conversationId: string;
  after: number;
  withInternal?: boolean;
  /** Ends the stream with the answer to this turn. */
  untilTurn?: string;
  /** Asked every few seconds: a stream dies with what it was opened with. Says why, for whoever reads it, or null. */
  endedBy(): Promise<Ended | null>;
}

/** Without a reason it is only to be opened anew. */
export interface Ended {
  reason?: string;
  message?: string;
}

const page = 200;
/** While signals arrive, a look now and then is for what was lost; without them it is the only way. */
const quietLookMs = 60_000;
const deafLookMs = 1_000;
/** Asked of what is remembered for seconds: with the signal that drops it, a stream ends within three of what ends it. */
const checkMs = 2_500;

/**
 * Sends what a conversation's log has after a place, and goes on as it grows. Signals make it quick; what it sends comes
 * in order and without gaps because it follows the places in the log, and reads the log whenever one is missing.
 */
export async function follow(parts: FollowParts, following: Following, sink: Sink): Promise<void> {
  const { services, signals } = parts;
  const { tenantId, conversationId, withInternal = false, untilTurn } = following;
  let cursor = following.after;
  let spoken: Pick<Words, 'messageId'> | undefined;
  let lookedAt = Date.now();
  // One at a time, in the order of their coming: two readings at once would send things twice.
  let queue: Promise<void> = Promise.resolve();
  const inTurn = (work: () => void | Promise<void>) => {
    queue = queue.then(() => (sink.isOpen() ? work() : undefined)).catch(() => sink.end());
    return queue;
  };

  const send = ({ seq, type, data }: LogEntry) => {
    cursor = seq;
    sink.send({ id: seq, event: type, data });
    if (untilTurn && data['turnId'] === untilTurn && (type === 'reply.completed' || type === 'turn.failed')) sink.end();
  };
  const look = async () => {
    lookedAt = Date.now();
    for (;;) {
      const entries = await inTenant(
        services,
        asSystem(tenantId, 'stream'),
        ({ tx }) => entriesAfter(tx, conversationId, { after: cursor, max: page, withInternal }),
        { readOnly: true },
      );
      for (const entry of entries) {
        send(entry);
        await sink.drained(); // a long history goes out as fast as it is read, and no faster
      }
      if (entries.length < page || !sink.isOpen()) return;
    }
  };
  const say = (words: Words) => {
    spoken = words;
    sink.send({ id: cursor, event: 'reply.delta', data: words });
  };
  /** For whoever joined in the middle: all that was said so far, from the note that was left. */
  const catchUp = async (turnId: string) => {
    const words = await wordsSoFar(signals, conversationId);
    if (words?.turnId === turnId) say(words); // else it is what is left of an earlier answer
  };
  const hear = async (news: News) => {
    if ('words' in news) {
      const isInTheMiddle = news.words.at > 0 && spoken?.messageId !== news.words.messageId;
      return isInTheMiddle ? catchUp(news.words.turnId) : say(news.words);
    }
    const fresh = news.log.filter(({ seq }) => seq > cursor);
    if (fresh[0] && fresh[0].seq > cursor + 1) await look();
    else for (const entry of fresh) send(withInternal || !entry.isInternal ? entry : hidden(entry));
  };

  const ear = watch(signals, conversationId, (news) => void inTurn(() => hear(news)));
  // Before any news has its turn: words that were heard first would be sent ahead of the log, and once more with the rest.
  const caughtUp = inTurn(async () => {
    await ear.isListening;
    await look();
    const running = sink.isOpen() ? await runningTurn(parts, following) : undefined;
    if (running !== undefined) await catchUp(running);
  });
  const clearGap = signals.onGap(() => void inTurn(look));
  const checking = setInterval(() => {
    const isDue = Date.now() - lookedAt >= (signals.isConnected() ? quietLookMs : deafLookMs);
    if (isDue) void inTurn(look);
  }, deafLookMs);
  const guarding = setInterval(() => {
    following.endedBy().then(
      (ended) => {
        if (!ended || !sink.isOpen()) return;
        if (ended.reason) sink.send({ id: cursor, event: 'stream.closed', data: ended });
        sink.end();
      },
      () => {},
    );
  }, checkMs);
  sink.onEnd(() => {
    ear.stop();
    clearGap();
    clearInterval(checking);
    clearInterval(guarding);
  });

  await caughtUp;
}

const hidden = ({ seq, createdAt }: Told): LogEntry => ({ seq, type: 'internal', data: {}, createdAt });

const runningTurn = ({ services }: FollowParts, { tenantId, conversationId }: Following): Promise<string | undefined> =>
  inTenant(services, asSystem(tenantId, 'stream'), ({ tx }) => findRunning(tx, conversationId), { readOnly: true });

interface Waiting<T> {
  /** What is wanted, in the log; looked for at the start unless it cannot be there yet, and now and then. */
  look: () => Promise<T | undefined>;
  /** The same in what was just told, which saves a look. */
  hear?: (told: readonly Told[]) => T | undefined;
  /** What only says that it is on its way. */
  isOnItsWay?: (told: Told) => boolean;
  isSureToCome?: boolean;
}

/** Waits for so long for something in a conversation: heard at once while signals arrive, found a little later without. */
export async function waitFor<T>(
  { signals }: FollowParts,
  conversationId: string,
  ms: number,
  { look, hear, isOnItsWay = () => false, isSureToCome = false }: Waiting<T>,
): Promise<T | undefined> {
  const until = Date.now() + ms;
  let [found, isNews, wake]: [T | undefined, boolean, () => void] = [undefined, !isSureToCome, () => {}];
  const ear = watch(signals, conversationId, (news) => {
    if (!('log' in news)) return;
    found ??= hear?.(news.log);
    if (found === undefined && news.log.every(isOnItsWay)) return;
    isNews = true;
    wake();
  });
  try {
    await ear.isListening;
    for (let naps = 0; ; naps++) {
      if (found === undefined && isNews) {
        isNews = false;
        found = await look();
      }
      const left = until - Date.now();
      if (found !== undefined || left <= 0) return found;
      if (isNews) continue;
      const nap = new AbortController();
      wake = () => nap.abort();
      const napMs = signals.isConnected() ? Math.min(1_000 * 2 ** naps, 10_000) : deafLookMs / 4;
      await sleep(Math.min(left, napMs), undefined, { signal: nap.signal }).catch(() => {});
      isNews ||= !nap.signal.aborted; // nothing was heard: time to look
    }
  } finally {
    ear.stop();
  }
}
