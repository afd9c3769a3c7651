import type { RequestError } from './request.ts';
import type { LeaderContext } from './leader-context.ts';
import { followLog } from './follow.ts';

/** Follows the log while there is a conversation and the tab is not paused. */
export async function listen(leader: LeaderContext, signal: AbortSignal): Promise<void> {
  const { session, outbox, wakeup, currentConversation, call, applyEvent, change, streams } = leader;
  let controller: AbortController | undefined;
  for (let waitMs = 500; !signal.aborted;) {
    try {
      if (!session.isOpen() && session.canResume()) {
        await leader.open();
        outbox.syncTabs();
        change();
        wakeup.wakeAll();
        continue; // another tab may have taken the lead meanwhile
      }
      const { id } = currentConversation();
      if (!id || streams.isPaused || streams.stopReply) {
        await wakeup.wait();
        continue;
      }
      streams.follower = controller = new AbortController();
      await followLog({
        call,
        path: `conversations/${id}/events`,
        after: () => currentConversation().cursor,
        applyEvent,
        abortController: controller,
        onLive: () => {
          waitMs = 500;
          if (leader.hasTrouble()) change();
        },
      });
    } catch (thrown) {
      const { status } = thrown as RequestError;
      if (signal.aborted) return;
      if (status === 404) leader.leave(); // it was erased, or belongs to another user now
      else if (status === 401) session.drop();
      else if (!status && controller?.signal.aborted) continue; // aborted by us, to reconnect
      if (!status) change('offline');
      await wakeup.wait(waitMs * (0.5 + Math.random()));
      waitMs = Math.min(waitMs * 2, 30_000);
    } finally {
      if (streams.follower === controller) streams.follower = undefined; // only our own, not a newer one
    }
  }
}
