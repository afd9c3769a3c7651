import { z } from 'zod';
import { defineEvent } from '../../../platform/events.ts';
import { idOf } from '../../../platform/ids.contract.ts';
import { Conversation } from '../conversations.contract.ts';
import { AssignmentSettings, EscalationTarget } from './assignment.contract.ts';

const unaudited = { permission: 'conversation.view', isAudited: false } as const;
const conversation = z.object({ object: Conversation });

/** To an agent or a team, by a person or automatically. */
export const conversationAssigned = defineEvent('conversation.assigned', conversation, unaudited);
export const conversationUnassigned = defineEvent('conversation.unassigned', conversation, unaudited);
export const conversationEscalated = defineEvent(
  'conversation.escalated',
  conversation.extend({ afterMinutes: z.int(), to: EscalationTarget }),
  unaudited,
);
/** Published after 5, 15 and 60 minutes within business hours. */
export const waitingUnanswered = defineEvent(
  'conversation.waiting_unanswered',
  conversation.extend({ waitedMinutes: z.int() }),
  unaudited,
);
/** For the audit log. */
export const assignmentUpdated = defineEvent(
  'assignment.updated',
  z.object({ object: AssignmentSettings.extend({ workspaceId: idOf('workspace') }) }),
  { isPublic: false },
);
