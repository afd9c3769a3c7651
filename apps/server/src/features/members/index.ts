// What other features may use. Everything else here is private.
export {
  acceptInvitation,
  describeInvitation,
  findInvitationByToken,
  findInvitationsFor,
  writeInvitationToken,
} from './invitations.service.ts';
export { addMember, findMember, mayMember, membersWho } from './members.service.ts';
