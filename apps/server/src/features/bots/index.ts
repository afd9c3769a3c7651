// What other features may use. Everything else here is private.
export type { BotStates, BotState } from './bot-state.ts';
export { areBots, environmentsOfBot, limitsOf } from './bots.store.ts';
export { readBot } from './bots.service.ts';
export { isOriginAllowed } from './origins.ts';
export { draftContent, freezeDraft } from './versions.service.ts';
export { contentOf, findDeployment } from './versions.store.ts';
