import { readEvents } from '../server-events.ts';

/**
 * Calls back whenever a conversation of the organisation has changed. One tab has the connection and tells the others:
 * a browser opens only six to a server.
 */
export function followInbox(onChange: () => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel('parley-inbox');
  channel.addEventListener('message', () => onChange(), { signal });
  signal.addEventListener('abort', () => channel.close());
  const notify = () => {
    onChange();
    channel.postMessage('changed'); // oxlint-disable-line unicorn/require-post-message-target-origin -- not a window
  };
  // The next tab in line takes over when this one is closed.
  void navigator.locks
    .request('parley-inbox', { signal }, () => readEvents('/api/inbox/events', signal, notify))
    .catch(() => {});
}
