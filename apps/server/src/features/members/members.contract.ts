import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

export const TenantRole = z.enum(['owner', 'admin', 'developer', 'agent', 'viewer']);
export type TenantRole = z.infer<typeof TenantRole>;

const requestedRoles = z
  .array(TenantRole)
  .min(1)
  .max(TenantRole.options.length)
  .refine((roles) => new Set(roles).size === roles.length, 'List each role only once.')
  .meta({
    uniqueItems: true,
    description: 'Permissions of several roles add up. You can only grant permissions you have.',
  });
const roles = z.array(TenantRole).describe('In alphabetical order.');

export const MemberId = z.object({ userId: idOf('user') });
export const ChangeMember = z.strictObject({ roles: requestedRoles });

export const Member = z
  .object({
    userId: idOf('user'),
    email: z.string(),
    name: z.string(),
    roles,
    isDisabled: z.boolean().describe('Cannot sign in to this or any other tenant.'),
    createdAt: z.date().describe('When they joined.'),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

export const OneMember = z.object({ member: Member });
export const RemovedMember = OneMember.extend({
  serverKeys: z
    .array(z.object({ id: idOf('apiKey'), name: z.string(), lastUsedAt: z.date().nullable() }))
    .describe('Active server keys that they created. These keep working: revoke the ones you don’t need.'),
});
export const Members = Page(Member);
export const ListMembers = ListQuery.extend({
  q: z.string().trim().min(1).max(120).optional().describe('Start of their name or email address. Not case-sensitive.'),
});
export type ListMembers = z.infer<typeof ListMembers>;
export const TransferredOwnership = OneMember.extend({ previousOwner: Member });

const locale = z.enum(['en', 'de']);
export type Locale = z.infer<typeof locale>;

export const CreateInvitation = z.strictObject({
  email: z.email().max(254).toLowerCase(),
  roles: requestedRoles,
  locale: locale.default('en').describe('The language of the email.'),
});
export type CreateInvitation = z.infer<typeof CreateInvitation>;

/** An invitation for a tenant's first owner, created by an operator. */
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
  status: z.enum(['open', 'all']).default('open').describe('Only open invitations, or all.'),
});
export type ListInvitations = z.infer<typeof ListInvitations>;
