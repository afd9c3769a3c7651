import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { Sink } from '../../../platform/http/stream.ts';
import type { Signals } from '../../../platform/valkey.ts';
import type { LogEntry } from '../conversations.contract.ts';
import { watch, readDelta, type LiveUpdate, type LogNotification, type ReplyDelta } from './live.ts';
import { findRunningTurn } from '../conversations.store.ts';
import { entriesAfter } from './log.store.ts';

export interface FollowDeps {
  services: Services;
  signals: Signals;
}

export interface FollowOptions {
  tenantId: Id<'tenant'>;
  conversationId: string;
  after: number;
  withInternal?: boolean;
  /** Ends the stream with the reply to this turn. */
  untilTurn?: string;
  /** Ends the stream when the visitor is identified: from then on it needs the contact's session. */
  isAnonymous?: boolean;
  /** Called every few seconds, because a stream must not outlive its credentials. Returns why it ends, or null. */
  checkEnd(): Promise<StreamEnd | null>;
}

/** Without a reason, the client should just reconnect. */
export interface StreamEnd {
  reason?: string;
  message?: string;
}

/** Entry of a conversation that has become a contact's. */
export const identifiedEntry = 'visitor.identified';

const pageSize = 200;
/** While signals arrive, polling only catches lost ones. Without signals, polling is the only source. */
const backupPollMs = 60_000;
const fallbackPollMs = 1_000;
/** With cache invalidation by signal, a stream ends within three seconds of the change that ends it. */
const endCheckMs = 2_500;

/**
 * Sends a conversation's log entries after a position, then new ones as they are written. Signals only make it fast:
 * order and completeness come from the sequence numbers. The log is read whenever one is missing.
 */
export async function follow(deps: FollowDeps, options: FollowOptions, sink: Sink): Promise<void> {
  const { services, signals } = deps;
  const { tenantId, conversationId, withInternal = false, untilTurn } = options;
  let cursor = options.after;
  let lastDelta: Pick<ReplyDelta, 'messageId'> | undefined;
  /** As far as the entries that were sent. */
  let runningTurnId: string | undefined;
  let polledAt = Date.now();
  // Serialized in order of arrival: two concurrent reads would send entries twice.
  let queue: Promise<void> = Promise.resolve();
  const enqueue = (work: () => void | Promise<void>) => {
    queue = queue.then(() => (sink.isOpen() ? work() : undefined)).catch(() => sink.end());
    return queue;
  };

  const send = ({ seq, type, data }: LogEntry) => {
    cursor = seq;
    sink.send({ id: seq, event: type, data });
    if (type === 'turn.started') runningTurnId = String(data['turnId']);
    if ((type === 'reply.completed' || type === 'turn.failed') && data['turnId'] === runningTurnId)
      runningTurnId = undefined;
    if (options.isAnonymous && type === identifiedEntry) sink.end();
    if (untilTurn && data['turnId'] === untilTurn && (type === 'reply.completed' || type === 'turn.failed')) sink.end();
  };
  const poll = async () => {
    polledAt = Date.now();
    for (;;) {
      const entries = await inTenant(
        services,
        asSystem(tenantId, 'stream'),
        ({ tx }) => entriesAfter(tx, conversationId, { after: cursor, max: pageSize, withInternal }),
        { readOnly: true },
      );
      for (const entry of entries) {
        send(entry);
        await sink.drained(); // backpressure: a long history is sent only as fast as the client reads
      }
      if (entries.length < pageSize || !sink.isOpen()) return;
    }
  };
  const sendDelta = (delta: ReplyDelta) => {
    lastDelta = delta;
    sink.send({ id: cursor, event: 'reply.delta', data: delta });
  };
  /** For a client that connects mid-reply: sends the stored text so far. */
  const catchUp = async (turnId: string) => {
    const delta = await readDelta(signals, conversationId);
    if (delta?.turnId === turnId) sendDelta(delta); // otherwise it belongs to an earlier reply
  };
  /** The worker may publish deltas until it learns that the turn has ended, for example because an agent has claimed it. */
  const isRunning = async (turnId: string) => {
    if (turnId !== runningTurnId) runningTurnId = await runningTurn(deps, options);
    return turnId === runningTurnId;
  };
  const onUpdate = async (update: LiveUpdate) => {
    if ('delta' in update) {
      if (!(await isRunning(update.delta.turnId))) return;
      const isMidReply = update.delta.at > 0 && lastDelta?.messageId !== update.delta.messageId;
      return isMidReply ? catchUp(update.delta.turnId) : sendDelta(update.delta);
    }
    if ('typing' in update) return sink.send({ id: cursor, event: 'typing', data: update.typing });
    if ('read' in update) return sink.send({ id: cursor, event: 'read', data: update.read });
    const fresh = update.log.filter(({ seq }) => seq > cursor);
    if (fresh[0] && fresh[0].seq > cursor + 1) await poll();
    else for (const entry of fresh) send(withInternal || !entry.isInternal ? entry : withoutData(entry));
  };

  const subscription = watch(signals, conversationId, (update) => void enqueue(() => onUpdate(update)));
  // Queued before any update: otherwise a delta could be sent ahead of the log, and again with the stored text.
  const caughtUp = enqueue(async () => {
    await subscription.isListening;
    await poll();
    if (sink.isOpen()) runningTurnId = await runningTurn(deps, options);
    if (runningTurnId !== undefined) await catchUp(runningTurnId);
  });
  const clearGap = signals.onGap(() => void enqueue(poll));
  const pollTimer = setInterval(() => {
    const isDue = Date.now() - polledAt >= (signals.isConnected() ? backupPollMs : fallbackPollMs);
    if (isDue) void enqueue(poll);
  }, fallbackPollMs);
  const endTimer = setInterval(() => {
    options.checkEnd().then(
      (ended) => {
        if (!ended || !sink.isOpen()) return;
        if (ended.reason) sink.send({ id: cursor, event: 'stream.closed', data: ended });
        sink.end();
      },
      () => {},
    );
  }, endCheckMs);
  sink.onEnd(() => {
    subscription.stop();
    clearGap();
    clearInterval(pollTimer);
    clearInterval(endTimer);
  });

  await caughtUp;
}

const withoutData = ({ seq, createdAt }: LogNotification): LogEntry => ({ seq, type: 'internal', data: {}, createdAt });

const runningTurn = (
  { services }: FollowDeps,
  { tenantId, conversationId }: FollowOptions,
): Promise<string | undefined> =>
  inTenant(services, asSystem(tenantId, 'stream'), ({ tx }) => findRunningTurn(tx, conversationId), { readOnly: true });

interface WaitOptions<T> {
  /** Reads the result from the log. Called at the start, unless `isPending`, and then periodically. */
  poll: () => Promise<T | undefined>;
  /** Finds the result in a notification, which saves a poll. */
  matchNotification?: (notified: readonly LogNotification[]) => T | undefined;
  /** Whether an entry only reports progress, so no poll is needed. */
  isProgress?: (notified: LogNotification) => boolean;
  /** The result cannot exist yet, so the first poll is skipped. */
  isPending?: boolean;
}

/** Waits up to `ms` for a result in a conversation: notified immediately while signals arrive, otherwise by polling. */
export async function waitFor<T>(
  { signals }: FollowDeps,
  conversationId: string,
  ms: number,
  { poll, matchNotification, isProgress = () => false, isPending = false }: WaitOptions<T>,
): Promise<T | undefined> {
  const until = Date.now() + ms;
  let [found, hasNews, wake]: [T | undefined, boolean, () => void] = [undefined, !isPending, () => {}];
  const subscription = watch(signals, conversationId, (update) => {
    if (!('log' in update)) return;
    found ??= matchNotification?.(update.log);
    if (found === undefined && update.log.every(isProgress)) return;
    hasNews = true;
    wake();
  });
  try {
    await subscription.isListening;
    for (let waits = 0; ; waits++) {
      if (found === undefined && hasNews) {
        hasNews = false;
        found = await poll();
      }
      const remainingMs = until - Date.now();
      if (found !== undefined || remainingMs <= 0) return found;
      if (hasNews) continue;
      const waiting = new AbortController();
      wake = () => waiting.abort();
      const waitMs = signals.isConnected() ? Math.min(1_000 * 2 ** waits, 10_000) : fallbackPollMs / 4;
      await sleep(Math.min(remainingMs, waitMs), undefined, { signal: waiting.signal }).catch(() => {});
      hasNews ||= !waiting.signal.aborted; // no notification arrived: poll
    }
  } finally {
    subscription.stop();
  }
}
