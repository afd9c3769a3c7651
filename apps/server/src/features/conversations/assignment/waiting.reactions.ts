import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import type { Subscriber } from '../../../platform/relay.ts';
import { sendOptions, type RestateClient } from '../../../platform/restate-client.ts';
import type { TimerHandlers } from '../../../platform/timers.ts';
import { waitingTimer } from './assign.ts';
import { waitingService } from './waiting.interface.ts';

/** Events after which a conversation may wait for an agent, or from another time on. */
const starts = new Set([
  'conversation.handoff_requested',
  'conversation.assigned',
  'conversation.unassigned',
  'conversation.reopened',
  'conversation.snoozed',
]);

export const watchWaiting =
  (restate: RestateClient): Subscriber =>
  async (tenantId, events) => {
    for (const { id, type, conversationId, traceparent } of events) {
      if (!starts.has(type) || conversationId === null) continue;
      const call = { tenantId, conversationId: conversationId as Id<'conversation'> };
      await restate
        .sendClient(waitingService)
        .check(call, sendOptions({ idempotencyKey: `${tenantId}/${id}`, traceparent }));
    }
  };

/** For the sweeper: Restate's timer was lost or is late, so the call is made now. */
export const overdueWaiting = (restate: RestateClient): TimerHandlers => ({
  [waitingTimer]: async ({ tenantId, subjectId, callKey }) => {
    const call = { tenantId, conversationId: subjectId as Id<'conversation'> };
    await restate
      .sendClient(waitingService)
      .check(call, sendOptions({ idempotencyKey: `${tenantId}/${callKey ?? newId('request')}` }));
  },
});
