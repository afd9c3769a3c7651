import { follow, type FollowDeps } from '../../src/features/conversations/log/follow.ts';
import type { ServerSentEvent, Sink } from '../../src/platform/http/stream.ts';
import type { Id } from '../../src/platform/ids.contract.ts';

/** Follows a conversation as the visitor's page does, from a position on. */
export async function followLive(deps: FollowDeps, tenantId: Id<'tenant'>, conversationId: string, after = 0) {
  const events: ServerSentEvent[] = [];
  const endListeners: (() => void)[] = [];
  let isOpen = true;
  const sink: Sink = {
    send: (event) => void events.push(event),
    end() {
      isOpen = false;
      for (const listener of endListeners.splice(0)) listener();
    },
    isOpen: () => isOpen,
    drained: () => Promise.resolve(),
    onEnd: (listener) => void endListeners.push(listener),
  };
  const checkEnd = () => Promise.resolve(null);
  await follow(deps, { tenantId, conversationId, after, checkEnd }, sink);
  return { events, end: sink.end, lastSeq: () => events.at(-1)?.id ?? after };
}
export type Live = Awaited<ReturnType<typeof followLive>>;
