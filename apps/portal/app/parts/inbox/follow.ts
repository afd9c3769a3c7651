import type { Schemas } from '@parley/portal-kit/service';
import { readEvents } from '../server-events.ts';

export type InboxCounts = Schemas['InboxCounts'];

const channelName = 'parley-inbox';
/** Snoozed conversations return without a change, and a lost event costs no more than this. */
const pollMs = 30_000;

type Notice =
  | { kind: 'changed'; conversationIds: string[] }
  | { kind: 'counts'; counts: InboxCounts }
  /** A new tab, which needs the counts. */
  | { kind: 'joined' }
  | { kind: 'settings' };

interface Handlers {
  /** Conversations have changed. An empty list: any of them may have. */
  onChange(conversationIds: readonly string[]): void;
  /** Called only in the tab with the connection, also for changes in rapid succession. It then calls `publishCounts`. */
  readCounts(): void;
  onCounts(counts: InboxCounts): void;
  /** A tab has changed how the member is notified. */
  onSettings(): void;
}

/**
 * Follows the organisation's conversations. One tab has the connection, reads the counts and notifies the others: a browser
 * opens only six connections to a server, and reads count towards the limit of the organisation.
 */
export function followInbox({ onChange, readCounts, onCounts, onSettings }: Handlers, signal: AbortSignal) {
  const channel = new BroadcastChannel(channelName);
  let known: InboxCounts | undefined; // only in the tab with the connection
  channel.addEventListener(
    'message',
    ({ data }: MessageEvent<Notice>) => {
      if (data.kind === 'changed') onChange(data.conversationIds);
      else if (data.kind === 'counts') onCounts(data.counts);
      else if (data.kind === 'settings') onSettings();
      else if (known) publish(channel, { kind: 'counts', counts: known });
    },
    { signal },
  );
  signal.addEventListener('abort', () => channel.close());
  publish(channel, { kind: 'joined' });

  const notify = (conversationIds: string[]) => {
    onChange(conversationIds);
    publish(channel, { kind: 'changed', conversationIds });
    readCounts();
  };
  const lead = async () => {
    const poll = setInterval(() => notify([]), pollMs);
    signal.addEventListener('abort', () => clearInterval(poll));
    await readEvents('/api/inbox/events', signal, ({ data }) =>
      notify((data as { conversationIds: string[] }).conversationIds),
    );
  };
  // The next tab in line takes over when this one is closed.
  void navigator.locks.request(channelName, { signal }, lead).catch(() => {});

  const publishCounts = (counts: InboxCounts) => {
    if (signal.aborted) return;
    known = counts;
    onCounts(counts);
    publish(channel, { kind: 'counts', counts });
  };
  return { publishCounts };
}

/** Reaches every tab, this one too. */
export function publishSettings(): void {
  const channel = new BroadcastChannel(channelName);
  publish(channel, { kind: 'settings' });
  channel.close();
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
const publish = (channel: BroadcastChannel, notice: Notice) => channel.postMessage(notice);
