import { sendOptions, type RestateClient } from '../../../platform/restate.ts';
import { conversationObject, type TurnCall } from './conversation.interface.ts';

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

/** For a call that Restate lost or that exhausted its retries: always a new invocation. */
export async function forceWakeConversation(restate: RestateClient, call: TurnCall): Promise<void> {
  await clientFor(restate, call).run(call);
}
