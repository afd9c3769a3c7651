import { sendToObject, type RestateClient } from '../../../platform/restate.ts';
import type { Place } from './turn.ts';

export interface TurnCall extends Place {
  turnId: string;
}

const runOf = ({ tenantId, conversationId }: Place) => ({
  object: 'Conversation',
  key: `${tenantId}/${conversationId}`,
  handler: 'run',
});

/** Asks for a turn to be run. Asking again, with the same turn, asks for nothing new. */
export const wakeConversation = (restate: RestateClient, call: TurnCall, traceparent?: string | null) =>
  sendToObject(restate, { ...runOf(call), idempotencyKey: call.turnId, traceparent }, call);

/** For what the engine has lost or given up: a new call, whatever became of the first. */
export const wakeAnew = (restate: RestateClient, call: TurnCall) => sendToObject(restate, runOf(call), call);
