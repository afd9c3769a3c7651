import type { ReceiveWebhookData, ReceiveWebhookResponse } from './generated/types.ts';
import { hex } from './hex.ts';
import type { CallOptions, Connection } from './options.ts';
import { createSender } from './send.ts';

export interface InboundOptions extends Connection {
  tenantId: string;
  webhookId: string;
  /** What `makeInboundSecret` answered. Not the secret that calls to you are signed with. */
  secret: string;
}

/** What your system may tell: `action.completed`, `message.send`, `contact.update`, `conversation.close`. */
export type Told = ReceiveWebhookData['body'];

const encoder = new TextEncoder();

/**
 * For telling the service something, signed as its calls to you are: how an action ended that you took on with
 * `accepted`, a message, what you know of a contact.
 *
 * @example
 * const tell = createInbound({ apiUrl, tenantId, webhookId, secret });
 * await tell({ type: 'action.completed', data: { runId: call.id, status: 'succeeded', output: {} } });
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
  return (told: Told, call: CallOptions = {}): Promise<ReceiveWebhookResponse> =>
    send(operation, { ...call, body: told }) as Promise<ReceiveWebhookResponse>;
}

async function sign(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  return hex(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
}
