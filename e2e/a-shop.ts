import { backend, demo } from './browser.ts';
import { post } from './people.ts';
import { aName } from './steps.ts';

const origin = { origin: new URL(demo.siteUrl).origin };

interface Entry {
  type: string;
  data: { runId?: string; argsHash?: string; message?: { role: string; text: string } };
}

/** An order, by its number. */
export const orderSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['orderId'],
  properties: { orderId: { type: 'string', title: 'Order number', pattern: '^[A-Z]-\\d{4}$' } },
};

/** A bot in the demo's organisation, with its own endpoint at the shop's system, and no actions yet. */
export async function aShop() {
  const { accessToken } = await post<{ accessToken: string }>('/auth/login', demo.customer);
  const headers = { authorization: `Bearer ${accessToken}` };
  const { workspaceId, environmentId } = demo;
  const scope = { workspaceId, allowedOrigins: [origin.origin] };
  const name = aName('Shop');
  const { bot } = await post<{ bot: { id: string } }>('/bots', { name, ...scope, draft: { title: 'Shop' } }, headers);
  const { webhook, secret } = await post<{ webhook: { id: string }; secret: string }>(
    '/webhooks',
    { url: `${demo.receiverUrl}/${name.replace(' ', '-')}`, description: name, eventTypes: ['ping'] },
    headers,
  );
  await backend.put(`${demo.receiverUrl}/secrets`, { data: secret });
  const key = { name, keyType: 'public_widget', boundBotId: bot.id, workspaceId, environmentId };
  const { secret: publicKey } = await post<{ secret: string }>('/api-keys', key, headers);

  const read = async <T>(path: string) => (await (await fetch(demo.apiUrl + path, { headers })).json()) as T;
  return {
    id: bot.id,
    name,
    webhookId: webhook.id,
    read,
    addAction: async (action: object) =>
      (
        await post<{ action: { id: string } }>(
          `/bots/${bot.id}/actions`,
          { webhookId: webhook.id, inputSchema: orderSchema, ...action },
          headers,
        )
      ).action.id,
    tryAction: async (id: string, input: object) =>
      (await post<{ run: { id: string; state: string } }>(`/actions/${id}/try`, { input }, headers)).run,
    publish: async () => {
      const { version } = await post<{ version: { id: string } }>(`/bots/${bot.id}/versions`, {}, headers);
      await post(`/bots/${bot.id}/deployments`, { environmentId, versionId: version.id }, headers);
    },
    /** A visitor on a page of the shop. */
    visitor: async () => {
      const body = { publicKey, botId: bot.id, visitorId: 'web' };
      const { sessionToken } = await post<{ sessionToken: string }>('/widget/sessions/anonymous', body, origin);
      const session = { authorization: `Bearer ${sessionToken}`, ...origin };
      return {
        say: (message: string) =>
          post<{ conversationId: string; reply: { text: string } | null }>(
            `/widget/chatbots/${bot.id}/message`,
            { sessionToken, message },
            origin,
          ),
        confirm: (conversationId: string, { runId, argsHash }: Entry['data']) =>
          post(`/widget/conversations/${conversationId}/confirm`, { runId, argsHash, isConfirmed: true }, session),
        log: async (conversationId: string) => {
          const response = await fetch(`${demo.apiUrl}/widget/conversations/${conversationId}/events`, {
            headers: session,
          });
          return ((await response.json()) as { data: Entry[] }).data;
        },
      };
    },
  };
}
