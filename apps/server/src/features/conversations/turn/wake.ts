import { sendToObject, type RestateClient } from '../../../platform/restate.ts';
import type { ConversationRef } from './turn.ts';

export interface TurnCall extends ConversationRef {
  turnId: string;
}

const runOf = ({ tenantId, conversationId }: ConversationRef) => ({
  object: 'Conversation',
  key: `${tenantId}/${conversationId}`,
  handler: 'run',
});

/** Requests that a turn be run. Idempotent per turn. */
export const wakeConversation = (restate: RestateClient, call: TurnCall, traceparent?: string | null) =>
  sendToObject(restate, { ...runOf(call), idempotencyKey: call.turnId, traceparent }, call);

/** For a call that Restate lost or that exhausted its retries: always a new invocation. */
export const forceWakeConversation = (restate: RestateClient, call: TurnCall) =>
  sendToObject(restate, runOf(call), call);
