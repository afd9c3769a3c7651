// What other features may use. Everything else here is private.
export { conversationCommands } from './commands.ts';
export { purgeConversations as forgetConversations } from './visitor/retention.ts';
export { runChats } from './turn/action-runs.ts';
export { turnParts } from './turn/turn-deps.ts';
