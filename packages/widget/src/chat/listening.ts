import type { Refusal } from './ask.ts';
import type { Shared } from './shared.ts';
import { followLog } from './follow.ts';

/** Follows the log for as long as there is one and somebody may look. */
export async function listen(shared: Shared, signal: AbortSignal): Promise<void> {
  const { session, outbox, bell, talk, call, take, change, streams } = shared;
  let own: AbortController | undefined;
  for (let waitMs = 500; !signal.aborted;) {
    try {
      if (!session.isOpen() && session.isKnown()) {
        await shared.open();
        outbox.look();
        change();
        bell.ring();
        continue; // meanwhile another tab may lead
      }
      const { id } = talk();
      if (!id || streams.isResting || streams.asking) {
        await bell.wait();
        continue;
      }
      streams.following = own = new AbortController();
      await followLog({
        call,
        path: `conversations/${id}/events`,
        after: () => talk().cursor,
        take,
        control: own,
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
      else if (!status && own?.signal.aborted) continue; // by ourselves, to begin anew
      if (!status) change('offline');
      await bell.wait(waitMs * (0.5 + Math.random()));
      waitMs = Math.min(waitMs * 2, 30_000);
    } finally {
      if (streams.following === own) streams.following = undefined; // and not the one of who leads since
    }
  }
}
