import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { Invitation, Member } from './members.contract.ts';

// For the audit log and our own reactions: they name people, so customers are not offered these for their webhooks.
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
/** Says all of it: no change of roles is told besides. */
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
