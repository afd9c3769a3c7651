import { operations, type Operations } from './generated/operations.ts';
import type { CallOptions, ParleyOptions } from './options.ts';
import { createSender, type Input } from './send.ts';
import { widgetSessions, type WidgetSession, type WidgetSessionInput } from './widget-session.ts';

export { each } from './each.ts';
export { ParleyError, type ErrorCode, type ErrorReason } from './errors.ts';
export type { Operations } from './generated/operations.ts';
export type * from './generated/types.ts';
export type { CallOptions, Connection, Credential, ParleyOptions } from './options.ts';
export type { WidgetSession, WidgetSessionInput } from './widget-session.ts';

export interface Parley extends Operations {
  /**
   * Opens a chat session for a user who is signed in to your site. Pass the token to your page, never the key. `tenantId`,
   * `workspaceId` and `environmentId` are optional and resolved once: the key's tenant, the bot's workspace, and the
   * environment `live` (requires the permissions `bot.view` and `tenant.view`).
   */
  createWidgetSession: (input: WidgetSessionInput, call?: CallOptions) => Promise<WidgetSession>;
}

/**
 * A client with one method for each API operation. Methods return the response body and throw a `ParleyError` on failure.
 * Create operations send an `Idempotency-Key`, so that they can be retried safely.
 *
 * @example
 * const parley = createParley({ apiUrl, keyId, key });
 * const { webhook, secret } = await parley.createWebhook({ body: { url, eventTypes: ['conversation.*'] } });
 */
export function createParley(options: ParleyOptions): Parley {
  const required = options.accessToken === undefined ? (['apiUrl', 'keyId', 'key'] as const) : (['apiUrl'] as const);
  for (const name of required) if (!options[name]) throw new TypeError(`createParley: ${name} is missing`);
  const send = createSender(options, () => credentialOf(options));
  const methods = Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, (call?: Input) => send(operation, call)]),
  ) as unknown as Operations;
  return { ...methods, createWidgetSession: widgetSessions(methods) };
}

async function credentialOf({ keyId, key, accessToken }: ParleyOptions): Promise<Record<string, string>> {
  if (keyId !== undefined) return { authorization: `Bearer ${key}`, 'x-service-api-key-id': keyId };
  return { authorization: `Bearer ${typeof accessToken === 'function' ? await accessToken() : accessToken}` };
}
