// What other features may use. Everything else here is private.
export { chooseAgent, emailTimesOf, listRoom } from './agents.service.ts';
export { listAvailable as listAvailableAgents, listDigestReaders, noteAssigned } from './agents.store.ts';
