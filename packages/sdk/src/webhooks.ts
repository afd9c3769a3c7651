import type { ParleyEvent } from './events.ts';
import { verify, type VerifyOptions } from './verify.ts';

export type { ActionCall, ActionInvoke, ActionStatus, Actor, HappenedEvent, ParleyEvent } from './events.ts';
export type { EventData } from './generated/events.ts';
export { WebhookVerificationError, type HeadersLike, type VerifyOptions, type WebhookProblem } from './verify.ts';

/**
 * The event in a call, if it is ours, of now, and unchanged; else it throws a `WebhookVerificationError`, whose `reason`
 * says what is wrong. Answer that with 401. The same event may come again: do the work of an `id` once.
 *
 * @example
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secrets: SECRET });
 * if (event.type === 'conversation.created') greet(event.data.object.id);
 */
export const verifyWebhook = async (options: VerifyOptions): Promise<ParleyEvent> => (await verify(options)).event;
