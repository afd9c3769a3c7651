import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

export const TenantRole = z.enum(['owner', 'admin', 'developer', 'agent', 'viewer']);
export type TenantRole = z.infer<typeof TenantRole>;

const wantedRoles = z
  .array(TenantRole)
  .min(1)
  .max(TenantRole.options.length)
  .refine((roles) => new Set(roles).size === roles.length, 'Name each role once.')
  .meta({ uniqueItems: true, description: 'What they hold is the union. You can give only what you hold yourself.' });
const roles = z.array(TenantRole).describe('In the order of the alphabet.');

export const MemberId = z.object({ userId: idOf('user') });
export const ChangeMember = z.strictObject({ roles: wantedRoles });

export const Member = z
  .object({
    userId: idOf('user'),
    email: z.string(),
    name: z.string(),
    roles,
    isDisabled: z.boolean().describe('Cannot sign in, here or in any other tenant.'),
    createdAt: z.date().describe('When they became a member.'),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

export const OneMember = z.object({ member: Member });
export const Members = Page(Member);
export const ListMembers = ListQuery.extend({
  q: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .optional()
    .describe('How their name or their address begins. Case does not matter.'),
});
export type ListMembers = z.infer<typeof ListMembers>;
export const TransferredOwnership = OneMember.extend({ previousOwner: Member });

const locale = z.enum(['en', 'de']);
export type Locale = z.infer<typeof locale>;

export const CreateInvitation = z.strictObject({
  email: z.email().max(254).toLowerCase(),
  roles: wantedRoles,
  locale: locale.default('en').describe('The language of the letter.'),
});
export type CreateInvitation = z.infer<typeof CreateInvitation>;

/** For a tenant's first owner, by the operator of the service. */
export const InviteOwner = CreateInvitation.pick({ email: true, locale: true });
export type InviteOwner = z.infer<typeof InviteOwner>;

export const InvitationId = z.object({ id: idOf('invitation') });

export const Invitation = z
  .object({
    id: idOf('invitation'),
    email: z.string(),
    roles,
    status: z.enum(['open', 'accepted', 'expired', 'revoked']),
    invitedBy: z.string(),
    createdAt: z.date(),
    expiresAt: z.date(),
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;

export const OneInvitation = z.object({ invitation: Invitation });
export const Invitations = Page(Invitation);
export const ListInvitations = ListQuery.extend({
  status: z.enum(['open', 'all']).default('open').describe('Only those that can be accepted, or all there ever were.'),
});
export type ListInvitations = z.infer<typeof ListInvitations>;
