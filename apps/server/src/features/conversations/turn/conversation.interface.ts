import { iface } from '@restatedev/restate-sdk';
import type { ConversationRef } from './turn.ts';

export interface TurnCall extends ConversationRef {
  turnId: string;
}

/** Stored by Restate: renaming it, or a handler, abandons turns under way. */
export const conversationObject = iface.object('Conversation', { run: iface.json<TurnCall>() });
