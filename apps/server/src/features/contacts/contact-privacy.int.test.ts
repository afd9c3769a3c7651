import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { aBot } from '../../../test/chat/fixture.ts';
import { allTables } from '../../../test/chat/helpers.ts';
import { admin, api, aSessionKey, aTenant, send } from '../../../test/harness.ts';
import { atPage, aTalkingVisitor, talk, tokens } from '../../../test/rules/chats.ts';

/** Tables with a row that contains the text. */
async function whereIs(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of await allTables()) {
    const { rows } = await sql`select from ${sql.raw(table)} as t where t::text ilike ${`%${text}%`} limit 1`.execute(
      admin,
    );
    if (rows.length > 0) found.push(table.replace(/_p\d+$/, ''));
  }
  return [...new Set(found)];
}

/** Two contacts of a tenant with the same kinds of data, each with its own marker in all of it. */
async function twoContacts() {
  const tenant = await aTenant({ plan: 'enterprise' });
  const bot = await aBot(tenant);
  const { tenantId, workspaceId, environmentId, botId } = tenant;
  const key = await aSessionKey(tenant);
  const aContact = async () => {
    const marker = `marker${randomUUID().replaceAll('-', '')}`;
    const visitor = await aTalkingVisitor(bot, `anonymous ${marker}`);
    const opened = await key.post('/widget/sessions/authenticated', {
      tenantId,
      workspaceId,
      environmentId,
      botId,
      externalUserId: marker,
      email: `${marker}@example.com`,
      name: marker,
      attributes: { marker },
    });
    const { sessionToken, contactId } = opened.json<{ sessionToken: string; contactId: string }>();
    await api.app.inject({
      method: 'POST',
      url: '/widget/conversation',
      headers: atPage(sessionToken),
      payload: { visitorToken: visitor.visitorToken },
    });
    await talk(await tokens.readSession(sessionToken), `identified ${marker}`);
    await sql`update visitors set label = ${marker} where contact_id = ${contactId}`.execute(admin);
    const tagged = await tenant.patch(`/contacts/${contactId}`, { tags: [marker.slice(0, 38)] });
    expect(tagged.statusCode, tagged.body).toBe(200);
    return { contactId, marker, sessionToken, visitorId: visitor.session.visitorId };
  };
  return { tenant, mine: await aContact(), other: await aContact() };
}

test('exports the contact, its conversations and the visitors merged into it', async () => {
  const { tenant, mine, other } = await twoContacts();
  const exported = await tenant.get(`/contacts/${mine.contactId}/export`);
  expect(exported.statusCode, exported.body).toBe(200);
  expect(exported.json()).toMatchObject({
    contact: { id: mine.contactId, name: mine.marker, attributes: { marker: mine.marker }, tags: [expect.any(String)] },
    mergedVisitors: [{ id: mine.visitorId, label: mine.marker }],
    conversations: [
      { messages: expect.arrayContaining([expect.objectContaining({ text: `anonymous ${mine.marker}` })]) },
    ],
  });
  expect(exported.body).toContain(`identified ${mine.marker}`);
  expect(exported.body).not.toContain(other.marker);
});

test('a visitor’s own export is the same without attributes, tags and what else only staff see', async () => {
  const { tenant, mine } = await twoContacts();
  interface Exported {
    exportedAt: string;
    contact: Record<string, unknown>;
    conversations: Record<string, unknown>[];
  }
  const exported = (await tenant.get(`/contacts/${mine.contactId}/export`)).json<Exported>();
  const own = await api.app.inject({ url: '/widget/me', headers: atPage(mine.sessionToken) });
  const { attributes: _attributes, tags: _tags, ...contact } = exported.contact;
  const conversations = exported.conversations.map(
    ({ tags: _conversationTags, assigneeId: _assignee, teamId: _team, snoozedUntil: _snoozed, ...shown }) => shown,
  );
  const { exportedAt } = own.json<Exported>();
  expect(own.json()).toEqual({ ...exported, exportedAt, contact, conversations });
});

test('erases every trace of the contact and returns a receipt, without affecting others', async () => {
  const { tenant, mine, other } = await twoContacts();
  expect(await whereIs(mine.marker.slice(0, 38))).toEqual(
    expect.arrayContaining([
      'public.contacts',
      'public.contact_terms',
      'public.visitors',
      'public.conversation_events',
      'public.events',
    ]),
  );
  const before = await whereIs(other.marker);
  const erased = await send('DELETE', `/contacts/${mine.contactId}`, tenant.headers);
  expect(erased.statusCode, erased.body).toBe(200);
  const receipt = erased.json<{ receiptId: string }>();
  expect(receipt).toMatchObject({ conversations: 1 });
  expect(await whereIs(mine.marker.slice(0, 38))).toEqual([]);
  expect(await whereIs(other.marker)).toEqual(before);
  expect((await tenant.get(`/contacts/${mine.contactId}`)).statusCode).toBe(404);
  const events = await admin
    .selectFrom('events')
    .select(['type', 'body'])
    .where('subjectId', '=', mine.contactId)
    .orderBy('position')
    .execute();
  expect(events.map(({ type }) => type)).toEqual([
    'contact.created',
    'contact.identified',
    'contact.updated',
    'contact.deleted',
  ]);
  for (const { body } of events.slice(0, -1))
    expect((JSON.parse(body) as { data: unknown }).data).toEqual({ object: { id: mine.contactId, isErased: true } });
  expect((await tenant.get('/audit-log?action=data.erased')).json()).toMatchObject({
    data: [{ subjectId: receipt.receiptId, data: { object: receipt } }],
  });
  expect((await send('DELETE', `/contacts/${mine.contactId}`, tenant.headers)).statusCode).toBe(404);
});
