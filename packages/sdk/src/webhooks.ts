import type { ParleyEvent } from './events.ts';
import { verify, type VerifyOptions } from './verify.ts';

export type { ActionCall, ActionInvoke, ActionStatus, Actor, WebhookEvent, ParleyEvent } from './events.ts';
export type { EventData } from './generated/events.ts';
export { WebhookVerificationError, type HeadersLike, type VerifyOptions, type WebhookProblem } from './verify.ts';

/**
 * Verifies a webhook request and returns its event. Throws a `WebhookVerificationError` with a `reason` if it is forged, changed
 * or too old: respond with 401. An event can be delivered more than once: process each `id` once.
 *
 * @example
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secrets: SECRET });
 * if (event.type === 'conversation.created') greet(event.data.object.id);
 */
export const verifyWebhook = async (options: VerifyOptions): Promise<ParleyEvent> => (await verify(options)).event;
