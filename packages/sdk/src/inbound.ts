import type { ReceiveWebhookData, ReceiveWebhookResponse } from './generated/types.ts';
import { hex } from './hex.ts';
import type { CallOptions, Connection } from './options.ts';
import { createSender } from './send.ts';

export interface InboundOptions extends Connection {
  tenantId: string;
  webhookId: string;
  /** The secret returned by `makeInboundSecret`. Not the one that requests to you are signed with. */
  secret: string;
}

/** A command that your system can send: `action.completed`, `message.send`, `contact.update`, `conversation.close`. */
export type InboundCommand = ReceiveWebhookData['body'];

const encoder = new TextEncoder();

/**
 * Sends signed commands to the service: the result of an action that you answered with `accepted`, a message, or the
 * attributes of a contact.
 *
 * @example
 * const sendCommand = createInbound({ apiUrl, tenantId, webhookId, secret });
 * await sendCommand({ type: 'action.completed', data: { runId: call.id, status: 'succeeded', output: {} } });
 */
export function createInbound({ tenantId, webhookId, secret, ...connection }: InboundOptions) {
  for (const [name, value] of Object.entries({ apiUrl: connection.apiUrl, tenantId, webhookId, secret }))
    if (!value) throw new TypeError(`createInbound: ${name} is missing`);
  const operation = { method: 'POST', path: '/webhooks/inbound', takesKey: true };
  const send = createSender(connection, async (body) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    return {
      'x-service-tenant-id': tenantId,
      'x-service-webhook-id': webhookId,
      'x-service-timestamp': timestamp,
      'x-service-signature': `v1=${await sign(secret, `${timestamp}.${body}`)}`,
    };
  });
  return (command: InboundCommand, call: CallOptions = {}): Promise<ReceiveWebhookResponse> =>
    send(operation, { ...call, body: command }) as Promise<ReceiveWebhookResponse>;
}

async function sign(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  return hex(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
}
