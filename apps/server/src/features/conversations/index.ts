// What other features may use. Everything else here is private.
export { forgetConversations } from './retention.ts';
export { turnParts } from './turn-parts.ts';
