// What other features may use. Everything else here is private.
export {
  acceptInvitation,
  describeInvitation,
  findInvitationByToken,
  findInvitationsFor,
  findOwnerInvitation,
  inviteOwner,
  writeInvitationToken,
} from './invitations.service.ts';
export { addMember, findMember, listMembers, listOwners, mayMember, membersWho } from './members.service.ts';
