import { randomBytes } from 'node:crypto';
import { headersOf } from '../../src/features/webhooks/delivery/send.ts';

export const aSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

interface SigningOptions {
  secrets: readonly string[];
  /** Unix seconds. */
  at?: number;
}
type Body = Record<string, unknown> & { id: string; type: string; environmentId: string | null; actionId: string };

/** A request as the service sends it. */
export function signed(event: Body, { secrets, at = Math.floor(Date.now() / 1_000) }: SigningOptions) {
  const body = JSON.stringify(event);
  const headers = headersOf(
    { url: '', headers: {}, secrets, tenantId: 'ten_1', environmentId: 'env_of_endpoint' },
    {
      eventId: event.id,
      eventType: event.type,
      environmentId: event.environmentId,
      body: Buffer.from(body),
      actionId: event.actionId,
    },
    1,
    at,
  );
  return { body, headers };
}

export const anEvent = (more: Record<string, unknown> = {}): Body => ({
  id: 'evt_1',
  type: 'conversation.created',
  apiVersion: '2026-11-14',
  createdAt: '2026-11-14T09:30:00.000Z',
  tenantId: 'ten_1',
  environmentId: 'env_1',
  actionId: 'event:conversation.created',
  botId: 'bot_1',
  conversationId: 'conv_1',
  sequence: 1,
  actor: { type: 'visitor', id: 'vis_1' },
  traceId: null,
  test: false,
  data: { object: { id: 'conv_1' } },
  ...more,
});

export const anActionCall = (more: Record<string, unknown> = {}): Body => ({
  id: 'arun_1',
  type: 'action.invoke',
  apiVersion: '2026-11-14',
  tenantId: 'ten_1',
  environmentId: 'env_1',
  actionId: 'act_1',
  action: 'my_order',
  botId: 'bot_1',
  conversationId: 'conv_1',
  step: null,
  createdAt: '2026-11-14T09:30:00.000Z',
  deadline: new Date(Date.now() + 8_000).toISOString(),
  attempt: 1,
  test: false,
  actor: { type: 'contact', id: 'con_1', externalUserId: 'user-7' },
  argsHash: '',
  input: { orderId: 'A-1001' },
  ...more,
});
