import type { Shop } from './layout.ts';

/** What the shop's server has and its pages never see. */
export interface Backend {
  tenantId: string;
  workspaceId: string;
  environmentId: string;
  serverKey: string;
  serverKeyId: string;
}

const users = new Map([
  [
    'ada',
    {
      externalUserId: 'shop-ada',
      email: 'ada@northlight.example',
      name: 'Ada Berg',
      attributes: { plan: 'Plus', orders: 12, newsletter: true, customerSince: '2024-03-18' },
    },
  ],
  [
    'grace',
    {
      externalUserId: 'shop-grace',
      email: 'grace@northlight.example',
      name: 'Grace Lind',
      attributes: { plan: 'Basic', orders: 1, newsletter: false, customerSince: '2026-09-02' },
    },
  ],
]);

/** A session for a user of the shop. A real shop takes the user from its own cookie, never from the URL. */
export async function sessionFor(name: string, { apiUrl, botId }: Shop, backend: Backend | undefined) {
  const user = users.get(name);
  if (!user) return { status: 404, body: { message: 'Unknown user.' } };
  if (!backend) return { status: 501, body: { message: 'This shop was started without a server key.' } };
  const { serverKey, serverKeyId, tenantId, workspaceId, environmentId } = backend;
  const response = await fetch(`${apiUrl}/widget/sessions/authenticated`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${serverKey}`,
      'x-service-api-key-id': serverKeyId,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ tenantId, workspaceId, environmentId, botId, ...user }),
  }).catch(() => undefined);
  if (!response?.ok)
    return {
      status: 502,
      body: { message: `Couldn’t create a Parley session (${response?.status ?? 'no response'}).` },
    };
  const { sessionToken } = (await response.json()) as { sessionToken: string };
  return { status: 200, body: { sessionToken } };
}
