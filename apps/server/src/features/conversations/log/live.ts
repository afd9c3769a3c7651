import type { Context } from '../../../platform/context.ts';
import type { Signals } from '../../../platform/valkey.ts';
import type { LogEntry } from '../conversations.contract.ts';

// What happens in a conversation, told to whoever watches while it happens. Valkey may lose any of it: the log has it all,
// but for words of an answer that is not finished, and those come again with the whole.

export interface Told extends LogEntry {
  isInternal: boolean;
}

/** Words of an answer under way. `at` says where they belong, so that words told twice, or begun anew, do no harm. */
export interface Words {
  turnId: string;
  messageId: string;
  at: number;
  text: string;
}

export type News = { log: Told[] } | { words: Words };

const channelOf = (conversationId: string) => `live:${conversationId}`;
const noteOf = (conversationId: string) => `words:${conversationId}`;
export const stopChannel = (turnId: string) => `stop:${turnId}`;

export function told({ notify: tell }: Pick<Context, 'notify'>, conversationId: string, log: Told[]): void {
  tell(channelOf(conversationId), JSON.stringify({ log } satisfies News));
}

export function watch(signals: Signals, conversationId: string, hear: (news: News) => void) {
  return signals.watch(channelOf(conversationId), (text) => {
    const news = JSON.parse(text) as News;
    if ('log' in news) news.log.forEach(reviveTimes);
    hear(news);
  });
}

/** JSON has no dates. */
function reviveTimes(entry: Told): void {
  entry.createdAt = new Date(entry.createdAt);
  const message = entry.data['message'] as { createdAt: Date } | undefined;
  if (message) message.createdAt = new Date(message.createdAt);
}

/** What was said so far of an answer that is under way, for whoever joins in the middle. */
export async function wordsSoFar(signals: Signals, conversationId: string): Promise<Words | null> {
  const note = await signals.get(noteOf(conversationId));
  return note === null ? null : (JSON.parse(note) as Words);
}

/** The answer is whole, or nobody is to see it any more. */
export const dropDelta = (signals: Signals, conversationId: string) => signals.delete(noteOf(conversationId));

const everyMs = 50;

/** Tells words as they come: the first at once, the rest gathered, since each telling is a message to every watcher. */
export function tellWords(
  signals: Signals,
  conversationId: string,
  { turnId, messageId }: Pick<Words, 'turnId' | 'messageId'>,
) {
  let [whole, sent, timer]: [string, number, NodeJS.Timeout | undefined] = ['', 0, undefined];
  const flush = () => {
    timer = undefined;
    if (sent === whole.length) return;
    const words = { turnId, messageId, at: sent, text: whole.slice(sent) };
    sent = whole.length;
    signals.set(noteOf(conversationId), JSON.stringify({ turnId, messageId, at: 0, text: whole } satisfies Words), 120);
    signals.send(channelOf(conversationId), JSON.stringify({ words } satisfies News)); // after the note: a joiner has one or the other
    timer = setTimeout(flush, everyMs);
  };
  return {
    add(text: string) {
      whole += text;
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

export const askToStop = (signals: Signals, turnId: string) => signals.send(stopChannel(turnId), '');
export const onStop = (signals: Signals, turnId: string, hear: () => void) => signals.watch(stopChannel(turnId), hear);
