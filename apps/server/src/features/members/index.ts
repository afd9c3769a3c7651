// The public interface of this feature. Other features import only from here.
export {
  acceptInvitation,
  describeInvitation,
  findInvitationByToken,
  findInvitationsFor,
  findOwnerInvitation,
  inviteOwner,
  writeInvitationToken,
} from './invitations.service.ts';
export {
  addMember,
  findMember,
  listMembers,
  listOwners,
  hasMemberPermission,
  listMembersWithPermission,
  rolesAllow,
} from './members.service.ts';
