// What other features may use. Everything else here is private.
export { lockShared as lockTeam, membersOf as membersOfTeam } from './teams.store.ts';
