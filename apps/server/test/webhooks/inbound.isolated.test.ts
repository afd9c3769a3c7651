import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { signatureHeader } from '../../src/features/webhooks/delivery/signature.ts';
import { aChat } from '../rules/chats.ts';
import { admin, api, aTenant, type TestTenant } from '../harness.ts';

async function anEndpoint(tenant: TestTenant) {
  const created = await tenant.post('/webhooks', { url: 'https://hooks.example.com/', eventTypes: ['*'] });
  const { webhook, secret: outbound } = created.json<{ webhook: { id: string }; secret: string }>();
  const { secret } = (await tenant.post(`/webhooks/${webhook.id}/inbound-secret`)).json<{ secret: string }>();
  return { tenant, webhookId: webhook.id, secret, outbound };
}
const [own, other] = [await anEndpoint(await aTenant()), await anEndpoint(await aTenant())];
const [ownChat, otherChat] = [await aChat(own.tenant, 'Mine'), await aChat(other.tenant, 'Theirs')];

interface CallOptions {
  secret?: string;
  at?: number;
  key?: string;
  headers?: Record<string, string>;
  signed?: string;
}
const seconds = () => Math.floor(Date.now() / 1_000);
function call(
  body: object | string,
  { secret = own.secret, at = seconds(), key = randomUUID(), headers = {}, signed }: CallOptions = {},
) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  return api.app.inject({
    method: 'POST',
    url: '/webhooks/inbound',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': signed ?? signatureHeader([secret], at, Buffer.from(payload)),
      'x-service-timestamp': String(at),
      'x-service-tenant-id': own.tenant.tenantId,
      'x-service-webhook-id': own.webhookId,
      'idempotency-key': key,
      ...headers,
    },
    payload,
  });
}
const closeCommand = (conversationId: string) => ({ type: 'conversation.close', data: { conversationId } });
const messageCommand = (text: string, conversationId = ownChat.visitor.conversationId) => ({
  type: 'message.send',
  data: { conversationId, text, name: 'Kim' },
});
const messages = async (text: string) =>
  (await admin.selectFrom('conversationEvents').select('payload').execute()).filter(
    ({ payload }) => (payload as { text?: string }).text === text,
  ).length;

test('creating an inbound secret is recorded in the audit log without the secret, and is not sent to endpoints', async () => {
  const { tenant, webhookId, secret } = await anEndpoint(await aTenant());
  const { data } = (await tenant.get(`/audit-log?subjectId=${webhookId}`)).json<{ data: { action: string }[] }>();
  expect(data.map(({ action }) => action)).toEqual(['webhook.inbound_secret_created', 'webhook.created']);
  expect(JSON.stringify(data)).not.toContain(secret);
  const queued = await admin.selectFrom('webhookQueue').selectAll().where('tenantId', '=', tenant.tenantId).execute();
  expect(queued).toEqual([]);
});

test('returns 200 for message.send, contact.update and conversation.close', async () => {
  expect((await call(messageCommand('Your parcel is on its way.'))).statusCode).toBe(200);
  expect(await messages('Your parcel is on its way.')).toBe(1);
  const change = {
    environmentId: own.tenant.environmentId,
    externalUserId: 'user-1',
    name: 'Kim',
    attributes: { plan: 'gold' },
  };
  const updated = await call({ type: 'contact.update', data: change });
  expect(updated.statusCode, updated.body).toBe(200);
  const closed = await call(closeCommand(ownChat.visitor.conversationId));
  expect(closed.json()).toEqual({ result: { type: 'conversation.close', id: ownChat.visitor.conversationId } });
});

test('replays the response for a repeated key, returns 422 for another body, and runs one of several concurrent requests', async () => {
  const key = randomUUID();
  const { conversationId } = ownChat.contact;
  const first = await call(messageCommand('Once', conversationId), { key });
  const again = await call(messageCommand('Once', conversationId), { key });
  expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true']);
  expect((await call(messageCommand('Other', conversationId), { key })).statusCode).toBe(422);
  const race = randomUUID();
  const all = await Promise.all(
    Array.from({ length: 8 }, () => call(messageCommand('Raced', conversationId), { key: race })),
  );
  expect(all.map(({ statusCode }) => statusCode).every((status) => status === 200 || status === 409)).toBe(true);
  expect([await messages('Once'), await messages('Other'), await messages('Raced')]).toEqual([1, 0, 1]);
});

test('distinguishes keys of 255 characters that differ only at the end', async () => {
  const { conversationId } = ownChat.contact;
  for (const end of ['a', 'b']) {
    const response = await call(messageCommand('Long', conversationId), { key: 'k'.repeat(254) + end });
    expect([response.statusCode, response.headers['idempotency-replayed']]).toEqual([200, undefined]);
  }
  expect(await messages('Long')).toBe(2);
});

test('returns 401 for missing, foreign and expired signatures, and changes nothing', async () => {
  const body = messageCommand('Forged', ownChat.contact.conversationId);
  const text = JSON.stringify(body);
  const invalidCalls: CallOptions[] = [
    { secret: own.outbound },
    { secret: other.secret },
    { at: seconds() - 301 },
    { at: seconds() + 330 }, // with a margin, because the test takes time
    { signed: '' },
    { signed: 'v1=' },
    { signed: signatureHeader([own.secret], seconds(), Buffer.from(`${text} `)) },
    { headers: { 'x-service-tenant-id': other.tenant.tenantId } },
    { headers: { 'x-service-webhook-id': other.webhookId } },
    { headers: { 'x-service-tenant-id': other.tenant.tenantId, 'x-service-webhook-id': other.webhookId } },
    { headers: { 'x-service-tenant-id': 'ten_1' } },
    { headers: { 'x-service-webhook-id': '' } },
    { headers: { 'x-service-timestamp': 'now' } },
  ];
  for (const headers of invalidCalls) {
    const response = await call(body, headers);
    expect(response.statusCode, JSON.stringify(headers)).toBe(401);
  }
  expect(await messages('Forged')).toBe(0);
});

test('returns 404 for another tenant’s conversation, 400 for an unknown type, an invalid body or a missing key, and 413 above 1 MiB', async () => {
  expect((await call(messageCommand('Hello', otherChat.visitor.conversationId))).statusCode).toBe(404);
  expect(await messages('Hello')).toBe(0);
  for (const body of [{ type: 'tenant.delete', data: {} }, { type: 'message.send', data: {} }, 'nonsense', '[]', '"x"'])
    expect((await call(body)).statusCode, JSON.stringify(body)).toBe(400);
  expect((await call(messageCommand('x'), { key: '' })).statusCode).toBe(400);
  expect((await call('x'.repeat(1024 * 1024 + 1))).statusCode).toBe(413);
});
