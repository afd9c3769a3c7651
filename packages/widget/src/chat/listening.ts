import type { Refusal } from './ask.ts';
import type { Shared } from './shared.ts';
import { followLog } from './follow.ts';

/** Follows the log for as long as there is one and somebody may look. */
export async function listen(shared: Shared, signal: AbortSignal): Promise<void> {
  const { session, outbox, bell, talk, call, take, change, streams } = shared;
  for (let waitMs = 500; !signal.aborted;) {
    try {
      if (!session.isOpen() && session.isKnown()) {
        await shared.open();
        outbox.look();
        change();
        bell.ring();
      }
      const { id } = talk();
      if (!id || streams.isResting || streams.asking) {
        await bell.wait();
        continue;
      }
      streams.following = new AbortController();
      await followLog({
        call,
        path: `conversations/${id}/events`,
        after: () => talk().cursor,
        take,
        control: streams.following,
        onLive: () => {
          waitMs = 500;
          if (shared.isTroubled()) change();
        },
      });
    } catch (thrown) {
      const { status } = thrown as Refusal;
      if (signal.aborted) return;
      if (status === 404) shared.leave(); // it was erased, or is somebody else's now
      else if (status === 401) session.drop();
      else if (!status && streams.following?.signal.aborted) continue; // by ourselves, to begin anew
      if (!status) change('offline');
      await bell.wait(waitMs * (0.5 + Math.random()));
      waitMs = Math.min(waitMs * 2, 30_000);
    } finally {
      streams.following = undefined;
    }
  }
}
