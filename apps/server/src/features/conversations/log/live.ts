import type { Context } from '../../../platform/context.ts';
import type { Signals } from '../../../platform/valkey.ts';
import type { LogEntry } from '../conversations.contract.ts';

// Live updates of a conversation over Valkey pub/sub. Valkey may lose any of them: the log has every entry. Only deltas of
// an unfinished reply are not in the log, and the completed reply contains their text.

export interface LogNotification extends LogEntry {
  isInternal: boolean;
}

/** Streamed part of a reply. `at` is its offset in the text, so duplicates and restarts are harmless. */
export interface ReplyDelta {
  turnId: string;
  messageId: string;
  at: number;
  text: string;
}

/** Someone is typing. Shown for a few seconds. */
export interface Typing {
  role: 'visitor' | 'agent';
  name: string | null;
}
/** How far one side has read. */
export interface ReadPosition {
  role: 'visitor' | 'agent';
  seq: number;
}

export type LiveUpdate =
  | { log: LogNotification[] }
  | { delta: ReplyDelta }
  | { typing: Typing }
  | { read: ReadPosition };

const channelFor = (conversationId: string) => `live:${conversationId}`;
const deltaKey = (conversationId: string) => `words:${conversationId}`;
export const stopChannel = (turnId: string) => `stop:${turnId}`;

export function notifyEntries(
  { notify }: Pick<Context, 'notify'>,
  conversationId: string,
  log: LogNotification[],
): void {
  notify(channelFor(conversationId), JSON.stringify({ log } satisfies LiveUpdate));
}

export function notifyLive(
  { notify }: Pick<Context, 'notify'>,
  conversationId: string,
  update: { typing: Typing } | { read: ReadPosition },
): void {
  notify(channelFor(conversationId), JSON.stringify(update satisfies LiveUpdate));
}

const inboxChannel = (tenantId: string) => `inbox:${tenantId}`;
/** Tells the tenant's agents that a conversation has changed. They read the change themselves. */
export const notifyInbox = ({ notify, tenantId }: Pick<Context, 'notify' | 'tenantId'>, conversationId: string) =>
  notify(inboxChannel(tenantId), conversationId);
export const watchInbox = (signals: Signals, tenantId: string, listener: (conversationId: string) => void) =>
  signals.watch(inboxChannel(tenantId), listener);

export function watch(signals: Signals, conversationId: string, listener: (update: LiveUpdate) => void) {
  return signals.watch(channelFor(conversationId), (text) => {
    const update = JSON.parse(text) as LiveUpdate;
    if ('log' in update) update.log.forEach(parseDates);
    listener(update);
  });
}

/** JSON has no dates. */
function parseDates(entry: LogNotification): void {
  entry.createdAt = new Date(entry.createdAt);
  const message = entry.data['message'] as { createdAt: Date } | undefined;
  if (message) message.createdAt = new Date(message.createdAt);
}

/** The text so far of a running reply, for clients that connect mid-reply. */
export async function readDelta(signals: Signals, conversationId: string): Promise<ReplyDelta | null> {
  const stored = await signals.get(deltaKey(conversationId));
  return stored === null ? null : (JSON.parse(stored) as ReplyDelta);
}

/** Called when the reply is complete, or erased. */
export const dropDelta = (signals: Signals, conversationId: string) => signals.delete(deltaKey(conversationId));

const flushMs = 50;

/**
 * Publishes text as it is generated: the first part immediately, the rest batched, since each publish reaches every watcher.
 * Nothing after the abort: the turn may have ended, and the text of a stopped reply is in the log.
 */
export function createDeltaStream(
  signals: Signals,
  conversationId: string,
  { turnId, messageId }: Pick<ReplyDelta, 'turnId' | 'messageId'>,
  stop: AbortSignal,
) {
  let [buffer, sent, timer]: [string, number, NodeJS.Timeout | undefined] = ['', 0, undefined];
  const flush = () => {
    timer = undefined;
    if (stop.aborted || sent === buffer.length) return;
    const delta = { turnId, messageId, at: sent, text: buffer.slice(sent) };
    sent = buffer.length;
    signals.set(
      deltaKey(conversationId),
      JSON.stringify({ turnId, messageId, at: 0, text: buffer } satisfies ReplyDelta),
      120,
    );
    signals.send(channelFor(conversationId), JSON.stringify({ delta } satisfies LiveUpdate)); // after the key is set, so a new client gets either the key or the message
    timer = setTimeout(flush, flushMs);
  };
  return {
    add(text: string) {
      buffer += text;
      if (!timer) flush();
    },
    end() {
      if (timer) clearTimeout(timer);
      flush();
      clearTimeout(timer);
      dropDelta(signals, conversationId);
    },
  };
}

export const publishStop = (signals: Signals, turnId: string) => signals.send(stopChannel(turnId), '');
export const onStop = (signals: Signals, turnId: string, listener: () => void) =>
  signals.watch(stopChannel(turnId), listener);
