// What other features may use. Everything else here is private.
export { conversationCommands } from './commands.ts';
export { forgetConversations } from './retention.ts';
export { runChats } from './run-chats.ts';
export { turnParts } from './turn-parts.ts';
