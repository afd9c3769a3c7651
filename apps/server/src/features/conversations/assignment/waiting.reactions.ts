import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { StoredEvent } from '../../../platform/events.store.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import type { Subscriber } from '../../../platform/relay.ts';
import { sendOptions, type RestateClient } from '../../../platform/restate-client.ts';
import type { TimerHandlers } from '../../../platform/timers.ts';
import { waitingIn } from './assignment.store.ts';
import { waitingService } from './waiting.interface.ts';
import { waitingTimer } from './waiting-timer.ts';

/** Events after which a conversation may wait for an agent, or from another time on. */
const starts = new Set([
  'conversation.handoff_requested',
  'conversation.handoff_accepted',
  'conversation.assigned',
  'conversation.unassigned',
  'conversation.reopened',
  'conversation.snoozed',
]);

export const watchWaiting =
  (restate: RestateClient): Subscriber =>
  async (tenantId, events) => {
    for (const event of events) {
      const { id, type, conversationId, traceparent } = event;
      if (conversationId === null || !(starts.has(type) || isForAgent(event))) continue;
      const call = { tenantId, conversationId: conversationId as Id<'conversation'> };
      await restate
        .sendClient(waitingService)
        .check(call, sendOptions({ idempotencyKey: `${tenantId}/${id}`, traceparent }));
    }
  };

/** A visitor's message that no turn of the bot answers. */
function isForAgent({ type, body }: StoredEvent): boolean {
  if (type !== 'message.created') return false;
  const { data } = JSON.parse(body) as { data: { object: { role?: string; turnId?: string | null } } };
  return data.object.role === 'visitor' && !data.object.turnId;
}

/** Settings of a workspace that say when the time limits of its waiting conversations are due. */
const settings = new Set(['assignment.updated', 'business_hours.updated']);
const page = 50;

/** Checks all that wait there again, page by page. */
export const checkAfterSettings =
  (services: Services, restate: RestateClient): Subscriber =>
  async (tenantId, events) => {
    for (const { id, type, subjectId, traceparent } of events) {
      if (!settings.has(type)) continue;
      const list = (after: string) =>
        inTenant(
          services,
          asSystem(tenantId, 'assignment'),
          ({ tx }) => waitingIn(tx, { workspaceId: subjectId, after, max: page }),
          { readOnly: true },
        );
      for (let ids = await list(''); ids.length > 0; ids = await list(ids.at(-1) ?? ''))
        await Promise.all(
          ids.map((conversationId) =>
            restate
              .sendClient(waitingService)
              .check(
                { tenantId, conversationId },
                sendOptions({ idempotencyKey: `${tenantId}/${id}/${conversationId}`, traceparent }),
              ),
          ),
        );
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
