// What other features may use. Everything else here is private.
export {
  acceptInvitation,
  describeInvitation,
  findInvitationByToken,
  findInvitationsFor,
  writeInvitationToken,
} from './invitations.service.ts';
export { addMember, mayMember, membersWho } from './members.service.ts';
