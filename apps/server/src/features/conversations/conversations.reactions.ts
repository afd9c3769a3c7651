import type { Id } from '../../platform/ids.contract.ts';
import type { Subscriber } from '../../platform/relay.ts';
import type { RestateClient } from '../../platform/restate-client.ts';
import type { TimerHandlers } from '../../platform/timers.ts';
import { turnTimer } from './visitor/accept.ts';
import { forceWakeConversation, wakeConversation } from './turn/conversation.interface.ts';

/** The API calls Restate right after the commit; this covers calls that it lost. */
export const wakeConversations =
  (restate: RestateClient): Subscriber =>
  async (tenantId, events) => {
    for (const { type, body, conversationId, traceparent } of events) {
      if (type !== 'message.created' || conversationId === null) continue;
      const { data } = JSON.parse(body) as { data: { object: { role?: string; turnId?: string | null } } };
      const { role, turnId } = data.object;
      if (role !== 'visitor' || !turnId) continue;
      const call = { tenantId, conversationId: conversationId as Id<'conversation'>, turnId };
      await wakeConversation(restate, call, traceparent);
    }
  };

/** Timers that the sweeper fires for overdue turns. */
export const overdueTurns = (restate: RestateClient): TimerHandlers => ({
  [turnTimer]: async ({ tenantId, subjectId, callKey }) => {
    const [conversationId, turnId] = subjectId.split('/') as [Id<'conversation'>, string];
    await forceWakeConversation(restate, { tenantId, conversationId, turnId }, callKey);
  },
});
