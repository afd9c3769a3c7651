import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import type { Subscriber } from '../../../platform/relay.ts';
import { assignOldest, releaseSome } from './assign.ts';

/** Events after which an agent may have room for a conversation, or a conversation may need one. */
const changes = new Set([
  'conversation.resolved',
  'conversation.reopened',
  'conversation.assigned',
  'conversation.unassigned',
  'conversation.handoff_accepted',
  'agent.presence_changed',
  'assignment.updated',
  'team.updated',
]);

/** One batch of events must not delay the next for long. What is left follows: each assignment is such an event, too. */
const maxAssigned = 20;

/** Round robin assigns those who asked while no agent had room. */
export const assignUnassigned =
  (services: Services): Subscriber =>
  async (tenantId, events) => {
    if (!events.some(({ type }) => changes.has(type))) return;
    const assign = () => inTenant(services, asSystem(tenantId, 'assignment'), assignOldest);
    for (let n = 0; n < maxAssigned && (await assign()); n++);
  };

/** The conversations of a member who can't reply any more wait for someone else. */
export const releaseOfFormerAgents =
  (services: Services): Subscriber =>
  async (tenantId, events) => {
    for (const { type, subjectId } of events) {
      if (type !== 'member.removed' && type !== 'member.roles_changed') continue;
      const release = (ctx: Context) => releaseSome(ctx, subjectId);
      while (await inTenant(services, asSystem(tenantId, 'assignment'), release));
    }
  };
