import { iface } from '@restatedev/restate-sdk-core';
import type { ConversationRef } from './turn.ts';
import { sendOptions, type RestateClient } from '../../../platform/restate-client.ts';

export interface TurnCall extends ConversationRef {
  turnId: string;
  /** When the turn was started, if an earlier invocation has started it. */
  startedAt?: number;
}

/** Stored by Restate: renaming it, or a handler, abandons turns under way. */
export const conversationObject = iface.object('Conversation', { run: iface.json<TurnCall>() });

const clientFor = (restate: RestateClient, { tenantId, conversationId }: TurnCall) =>
  restate.sendClient(conversationObject, `${tenantId}/${conversationId}`);

/** Requests that a turn be run. Idempotent per turn. */
export async function wakeConversation(
  restate: RestateClient,
  call: TurnCall,
  traceparent?: string | null,
): Promise<void> {
  await clientFor(restate, call).run(call, sendOptions({ idempotencyKey: call.turnId, traceparent }));
}

/** For a call that Restate lost or that exhausted its retries: a new invocation. */
export async function forceWakeConversation(
  restate: RestateClient,
  call: TurnCall,
  idempotencyKey?: string,
): Promise<void> {
  await clientFor(restate, call).run(call, sendOptions({ idempotencyKey }));
}
