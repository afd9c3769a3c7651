// What other features may use. Everything else here is private.
export { find as findTeam, membersOf as membersOfTeam } from './teams.store.ts';
