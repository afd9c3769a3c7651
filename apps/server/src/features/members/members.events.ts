import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { Invitation, Member } from './members.contract.ts';

// For the audit log and internal consumers. Not available for webhooks, because they contain personal data.
const internal = { isPublic: false } as const;
const member = z.object({ object: Member });
const invitation = z.object({ object: Invitation });

export const memberAdded = defineEvent('member.added', member, internal);
export const memberRolesChanged = defineEvent(
  'member.roles_changed',
  member.extend({ previous: Member.pick({ roles: true }) }),
  internal,
);
export const memberRemoved = defineEvent('member.removed', member, internal);
/** Covers both members: no `member.roles_changed` is emitted in addition. */
export const ownershipTransferred = defineEvent(
  'ownership.transferred',
  member.extend({ previousOwner: Member }),
  internal,
);

export const invitationCreated = defineEvent('invitation.created', invitation, internal);
export const invitationResent = defineEvent('invitation.resent', invitation, internal);
export const invitationRevoked = defineEvent('invitation.revoked', invitation, internal);
export const invitationAccepted = defineEvent(
  'invitation.accepted',
  invitation.extend({ userId: idOf('user') }),
  internal,
);
