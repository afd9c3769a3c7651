import type { Id } from '../../platform/ids.contract.ts';
import type { Subscriber } from '../../platform/relay.ts';
import type { Engine } from '../../platform/restate.ts';
import type { TimerHandlers } from '../../platform/timers.ts';
import { turnTimer } from './accept.ts';
import { wakeAnew, wakeConversation } from './waking.ts';

/** Behind the API, which asks at once: whatever it had no time for after the commit is asked for here. */
export const wakeConversations =
  (engine: Engine): Subscriber =>
  async (tenantId, events) => {
    for (const { type, body, conversationId, traceparent } of events) {
      if (type !== 'message.created' || conversationId === null) continue;
      const { data } = JSON.parse(body) as { data: { object: { role?: string; turnId?: string | null } } };
      const { role, turnId } = data.object;
      if (role !== 'visitor' || !turnId) continue;
      const call = { tenantId, conversationId: conversationId as Id<'conversation'>, turnId };
      await wakeConversation(engine, call, traceparent);
    }
  };

/** For the sweeper. */
export const overdueTurns = (engine: Engine): TimerHandlers => ({
  [turnTimer]: async ({ tenantId, subjectId }) => {
    const [conversationId, turnId] = subjectId.split('/') as [Id<'conversation'>, string];
    await wakeAnew(engine, { tenantId, conversationId, turnId });
  },
});
