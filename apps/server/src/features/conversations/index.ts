// What other features may use. Everything else here is private.
export { conversationCommands } from './commands.ts';
export { contactConversations } from './contact-conversations.store.ts';
export { purgeConversations } from './visitor/retention.ts';
export { runChats } from './turn/action-runs.ts';
export { createTurnDeps } from './turn/turn-deps.ts';
