import { afterAll, expect, test } from 'vitest';
import { readEvents } from '../../../test/chat/stream-reader.ts';
import { plantConversation } from '../../../test/rules/chats.ts';
import { admin, aTenant, aUser, openApi, send } from '../../../test/harness.ts';
import { newId } from '../../platform/ids.ts';

// Removing a member ends their access, and returns the server keys that keep working.

const api = await openApi();
const base = await api.app.listen({ port: 0, host: '127.0.0.1' });
afterAll(api.close);

const remove = (tenant: { headers: Record<string, string> }, userId: string) =>
  send('DELETE', `/members/${userId}`, tenant.headers, undefined, api.app);

test('closes the event stream of a removed member within five seconds and keeps those of others', async () => {
  const tenant = await aTenant();
  const { tenantId, environmentId, botId } = tenant;
  const version = await tenant.post(`/bots/${botId}/versions`, {});
  const versionId = version.json<{ version: { id: string } }>().version.id;
  const owner = { tenantId, environmentId, botId, visitorId: newId('visitor'), versionId, contactId: null };
  const [id] = await plantConversation(owner, { state: 'human' });
  const leaving = await aUser([{ tenantId, roles: ['agent'] }]);
  const url = `${base}/conversations/${id}/events`;
  const [leavingStream, ownerStream] = [
    await readEvents(url, { headers: leaving.headers }),
    await readEvents(url, { headers: tenant.headers }),
  ];
  await Promise.all([leavingStream.waitFor(({ event }) => event), ownerStream.waitFor(({ event }) => event)]);
  let isOwnerStreamClosed = false;
  void ownerStream.ended.then(() => (isOwnerStreamClosed = true));
  expect((await remove(tenant, leaving.userId)).statusCode).toBe(200);
  expect(await leavingStream.ended).toBe('ended');
  expect(isOwnerStreamClosed).toBe(false);
  expect((await fetch(url, { headers: leaving.headers })).status).toBe(401);
});

test('revokes open invitations sent by a removed admin and returns their server keys', async () => {
  const tenant = await aTenant({ plan: 'team' });
  const leaving = await aUser([{ tenantId: tenant.tenantId, roles: ['admin'] }]);
  const email = `${crypto.randomUUID()}@example.com`;
  const invited = await leaving.post('/invitations', { email, roles: ['admin'] });
  const { id } = invited.json<{ invitation: { id: string } }>().invitation;
  await tenant.post('/invitations', { email: `${crypto.randomUUID()}@example.com`, roles: ['viewer'] });
  const createKey = async (client: typeof leaving | typeof tenant, name: string, more = {}) => {
    const response = await client.post('/api-keys', { name, keyType: 'secret_server', ...more });
    return response.json<{ apiKey: { id: string } }>().apiKey.id;
  };
  const [key, revoked] = [await createKey(leaving, 'Their backend'), await createKey(leaving, 'Gone')];
  await createKey(tenant, 'Mine');
  await tenant.post(`/api-keys/${revoked}/revoke`);

  const response = await remove(tenant, leaving.userId);
  expect(response.json()).toMatchObject({ serverKeys: [{ id: key, name: 'Their backend', lastUsedAt: null }] });
  expect((await tenant.get(`/invitations/${id}`)).json()).toMatchObject({ invitation: { status: 'revoked' } });
  const open = await admin
    .selectFrom('invitations')
    .select('invitedBy')
    .where('tenantId', '=', tenant.tenantId)
    .where('revokedAt', 'is', null)
    .execute();
  expect(open).toEqual([{ invitedBy: tenant.userId }]);
});
