import { expect, test } from 'vitest';
import { aTenant, aUser, send } from '../../../test/harness.ts';
import type { SavedReply } from './saved-replies.contract.ts';

const replyIn = (response: { json<T>(): T }) => response.json<{ savedReply: SavedReply }>().savedReply;

test('saves replies for all agents, who change and delete them', async () => {
  const tenant = await aTenant();
  const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
  const created = await tenant.post('/saved-replies', { name: 'hours', text: 'Hi {{visitor.name}}, 9 to 5.' });
  expect(created.statusCode, created.body).toBe(201);
  const saved = replyIn(created);
  expect(saved).toMatchObject({ name: 'hours', text: 'Hi {{visitor.name}}, 9 to 5.', createdBy: tenant.userId });
  const url = `/saved-replies/${saved.id}`;

  const renamed = replyIn(await agent.patch(url, { name: 'opening hours' }));
  expect(renamed).toEqual({ ...saved, name: 'opening hours', updatedAt: expect.any(String) });
  expect(renamed.updatedAt > saved.updatedAt).toBe(true);
  expect(replyIn(await agent.patch(url, { text: '8 to 6.' }))).toMatchObject({
    name: 'opening hours',
    text: '8 to 6.',
  });
  await tenant.post('/saved-replies', { name: 'a first one', text: 'Hello.' });
  const list = (await agent.get('/saved-replies')).json<{ data: SavedReply[] }>().data;
  expect(list.map(({ name, text }) => [name, text])).toEqual([
    ['a first one', 'Hello.'],
    ['opening hours', '8 to 6.'],
  ]);
  expect((await send('DELETE', url, agent.headers)).statusCode).toBe(200);
  expect((await agent.patch(url, { name: 'hours' })).statusCode).toBe(404);
});

test('returns 404 to another tenant, 403 to members who can’t reply, and 400 for an empty text', async () => {
  const tenant = await aTenant();
  const [viewer, stranger] = [await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]), await aTenant()];
  const { id } = replyIn(await tenant.post('/saved-replies', { name: 'hours', text: '9 to 5.' }));
  const url = `/saved-replies/${id}`;
  expect((await stranger.patch(url, { text: 'never' })).statusCode).toBe(404);
  expect((await viewer.patch(url, { text: 'never' })).statusCode).toBe(403);
  expect((await tenant.patch(url, { text: ' ' })).statusCode).toBe(400);
  expect((await viewer.get('/saved-replies')).json<{ data: SavedReply[] }>().data).toMatchObject([{ text: '9 to 5.' }]);
});
