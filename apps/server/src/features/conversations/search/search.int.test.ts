import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aBot, aChatStack, aVisitor, startWorkerInProcess, type TestBot } from '../../../../test/chat/fixture.ts';
import { anIp, until, type SendResponse } from '../../../../test/chat/helpers.ts';
import {
  admin,
  aSessionKey,
  aTenant,
  aUser,
  services,
  inside,
  openApi,
  type TestTenant,
} from '../../../../test/harness.ts';
import { asSystem, inTenant } from '../../../platform/context.ts';
import { eventsAfter } from '../../../platform/events.store.ts';
import { newId } from '../../../platform/ids.ts';
import { indexMessages } from './index-messages.ts';
import { lockForErasure } from '../conversations.store.ts';

const { chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
afterAll(async () => {
  await close();
  await worker.stop();
});

let tenant: TestTenant;
let bot: TestBot;
beforeAll(async () => {
  tenant = await aTenant();
  bot = await aBot(tenant);
});

const ok = (response: { statusCode: number; body: string }) =>
  expect(response.statusCode, response.body).toBeLessThan(300);
const find = async (query: Record<string, string>, who = tenant) => {
  const response = await who.get(`/conversations?${new URLSearchParams(query).toString()}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ data: { id: string }[] }>().data.map(({ id }) => id);
};
const tokensOf = async (conversationId: string) =>
  (
    await admin.selectFrom('conversationTokens').select('token').where('conversationId', '=', conversationId).execute()
  ).map(({ token }) => token);

/** A conversation that is indexed up to its last message. */
async function aChat(text: string, at = bot) {
  const visitor = await aVisitor(app, at);
  const sent = (await visitor.say(text)).json<SendResponse>();
  const { conversationId } = sent;
  await isListed(conversationId, sent.reply?.text ?? '');
  return { visitor, conversationId };
}
const isListed = (conversationId: string, text: string) => {
  const last = (text.toLowerCase().match(/[a-z]{3,}/g) ?? []).at(-1) ?? '';
  return until(async () => (await tokensOf(conversationId)).includes(last));
};

describe('GET /conversations?q=', () => {
  test('matches all tokens in any order and case, the last one as a prefix', async () => {
    const { conversationId } = await aChat('Où est ma Précieuse commande? Straßenbahn 4711');
    for (const q of ['precieuse', 'PRÉCIEUSE où', 'commande precieuse', 'precieuse comm', 'strassenb', '4711', '47'])
      expect(await find({ q }), q).toEqual([conversationId]);
    for (const q of ['precieuse elephants', 'comm precieuse', 'bahn', '???', 'x'])
      expect(await find({ q }), q).not.toContain(conversationId);
  });

  test('returns only conversations that contain every token', async () => {
    const both = await aChat('a heron and a crane');
    for (const one of ['a heron', 'a crane']) await aChat(one);
    for (const q of ['heron crane', 'crane heron', 'heron cra'])
      expect(await find({ q }), q).toEqual([both.conversationId]);
  });

  test('finds bot and agent messages and conversation ids, but not notes', async () => {
    const { visitor, conversationId } = await aChat('how much is delivery?');
    ok(await visitor.say('thank you, kangaroo'));
    await isListed(conversationId, 'kangaroo');
    expect(await find({ q: 'kangaroo euros' })).toEqual([conversationId]);
    const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
    ok(await agent.post(`/conversations/${conversationId}/claim`, {}));
    ok(await agent.post(`/conversations/${conversationId}/notes`, { text: 'a troublesome wallaby' }));
    ok(await agent.post(`/conversations/${conversationId}/replies`, { text: 'Certainly, by hovercraft' }));
    await isListed(conversationId, 'hovercraft');
    expect(await find({ q: 'hovercraft' })).toEqual([conversationId]);
    expect(await find({ q: 'wallaby' })).toEqual([]);
    expect(await find({ q: conversationId })).toEqual([conversationId]);
  });

  test('finds a contact by email and external id, complete or in part', async () => {
    const { conversationId } = await aContactChat('Crm-Ümlaut-90210', 'Zoe.Quill@Example.com');
    await until(async () => (await tokensOf(conversationId)).includes('zoe.quill@example.com'));
    for (const q of ['zoe.quill@example.com', 'zoe.quill@exam', 'quill', 'Crm-Ümlaut-90210', '90210', 'umlaut'])
      expect(await find({ q }), q).toEqual([conversationId]);
    expect(await find({ q: 'joe.quill@example.com' })).toEqual([]);
  });

  test('finds a contact by a name and an email that were changed after the last message', async () => {
    const { conversationId, contactId, reply } = await aContactChat('renamed', 'renamed@example.com');
    await isListed(conversationId, reply?.text ?? '');
    const body = { name: 'Quetzalcoatl Prim', email: 'prim@new.example' };
    ok(await tenant.patch(`/contacts/${contactId}`, body));
    await until(async () => (await tokensOf(conversationId)).includes('prim@new.example'));
    for (const q of ['quetzal', 'Prim', 'prim@new.example']) expect(await find({ q }), q).toEqual([conversationId]);
  });

  test('never returns another tenant’s conversations', async () => {
    const { conversationId } = await aChat('a platypus of ours');
    const stranger = await aTenant();
    for (const q of ['platypus', 'platy', conversationId]) expect(await find({ q }, stranger), q).toEqual([]);
    expect(await find({ q: 'platypus' })).toEqual([conversationId]);
    const rows = await inside(stranger.tenantId, ({ tx }) =>
      sql`select from conversation_tokens where token >= 'p'`.execute(tx),
    );
    expect(rows.rows).toEqual([]);
  });

  test('pages through more than a thousand matches, newest first', async () => {
    const many = await aTenant();
    const idOf = (n: number) => `conv_${String(n).padStart(26, '0')}`;
    const { tenantId } = many;
    const manyBot = await aBot(many);
    await sql`insert into conversations (tenant_id, id, environment_id, bot_id, version_id, visitor_id, last_message_at, expires_at)
      select ${tenantId}, 'conv_' || lpad(n::text, 26, '0'), ${many.environmentId}, ${manyBot.botId}, ${manyBot.versionId}, ${newId('visitor')},
        now() - n * interval '1 minute', now() + interval '1 day' from generate_series(0, 1200) as n`.execute(admin);
    await sql`insert into conversation_tokens (tenant_id, token, conversation_id)
      select tenant_id, token, id from conversations, unnest(array['common', case when right(id, 1) = '7' then 'seventh' end]) as token
      where tenant_id = ${tenantId} and token is not null and id <> ${idOf(0)}`.execute(admin);
    expect(await find({ q: 'common', limit: '3' }, many)).toEqual([1, 2, 3].map(idOf));
    expect(await find({ q: 'common seventh', limit: '2' }, many)).toEqual([7, 17].map(idOf));
    const cursor = Buffer.from(idOf(1199)).toString('base64url');
    expect(await find({ q: 'comm', cursor }, many)).toEqual([idOf(1200)]);
    expect(await find({ q: 'seventh', cursor: Buffer.from(idOf(1180)).toString('base64url') }, many)).toEqual(
      [1187, 1197].map(idOf),
    );
  });
});

test('returns 400 for a query that is too long, an invalid rating or an invalid time', async () => {
  for (const query of [`q=${'x'.repeat(201)}`, 'rating=6', 'rating=0', 'since=yesterday', 'until=2026-01-01'])
    expect((await tenant.get(`/conversations?${query}`)).statusCode, query).toBe(400);
});

test('filters by rating and by the time of the last message', async () => {
  const [rated, other] = [await aChat('pelican one'), await aChat('pelican two')];
  ok(await rated.visitor.post(`/widget/conversations/${rated.conversationId}/rating`, { rating: 2 }));
  expect(await find({ q: 'pelican', rating: '2' })).toEqual([rated.conversationId]);
  expect(await find({ q: 'pelican', rating: '3' })).toEqual([]);
  const moment = new Date(Date.now() - 3_600_000);
  await admin
    .updateTable('conversations')
    .set({ lastMessageAt: moment })
    .where('id', '=', other.conversationId)
    .execute();
  const at = moment.toISOString();
  expect(await find({ q: 'pelican', since: at })).toEqual([rated.conversationId, other.conversationId]);
  expect(await find({ q: 'pelican', until: at })).toEqual([]);
  const later = new Date(moment.getTime() + 1).toISOString();
  expect(await find({ q: 'pelican', until: later })).toEqual([other.conversationId]);
  expect(await find({ q: 'pelican', since: later })).toEqual([rated.conversationId]);
});

async function aContactChat(externalUserId: string, email: string) {
  const key = await aSessionKey(tenant);
  const { tenantId, workspaceId, environmentId } = tenant;
  const opened = await app.inject({
    method: 'POST',
    url: '/widget/sessions/authenticated',
    headers: key.headers,
    payload: { tenantId, workspaceId, environmentId, botId: bot.botId, externalUserId, email },
  });
  const { sessionToken, contactId } = opened.json<{ sessionToken: string; contactId: string }>();
  const response = await app.inject({
    method: 'POST',
    url: `/widget/chatbots/${bot.botId}/message`,
    remoteAddress: anIp(),
    payload: { sessionToken, message: 'hello' },
  });
  ok(response);
  return { ...response.json<SendResponse>(), contactId };
}

describe('erasure', () => {
  test('deletes the tokens of a conversation, and so does retention', async () => {
    const [erased, expired] = [await aChat('my secret is an armadillo'), await aChat('another armadillo')];
    ok(await erased.visitor.del('/widget/me'));
    expect(await tokensOf(erased.conversationId)).toEqual([]);
    expect(await find({ q: 'armadillo' })).toEqual([expired.conversationId]);
    await admin.deleteFrom('conversations').where('id', '=', expired.conversationId).execute();
    expect(await tokensOf(expired.conversationId)).toEqual([]);
  });

  test('wins over a relay that read the message before and indexes it after', async () => {
    const { visitor, conversationId } = await aChat('an old capybara');
    const read = await inside(tenant.tenantId, (ctx) => eventsAfter(ctx, 0, 1_000));
    const events = read.filter((event) => event.conversationId === conversationId);
    const listAgain = () => indexMessages(services)(tenant.tenantId, events);
    await listAgain(); // idempotent
    expect(await tokensOf(conversationId)).toContain('capybara');
    ok(await visitor.del('/widget/me'));
    await listAgain();
    expect(await tokensOf(conversationId)).toEqual([]);
  });

  test('and indexing wait for each other', async () => {
    const { conversationId } = await aChat('a race of ocelots');
    const read = await inside(tenant.tenantId, (ctx) => eventsAfter(ctx, 0, 1_000));
    const events = read.filter((event) => event.conversationId === conversationId);
    let listing: Promise<void> | undefined;
    // Erasure, concurrent with the relay.
    await inTenant(services, asSystem(tenant.tenantId, 'test'), async ({ tx }) => {
      await lockForErasure(tx, conversationId);
      await tx.deleteFrom('conversationTokens').where('conversationId', '=', conversationId).execute();
      listing = indexMessages(services)(tenant.tenantId, events);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await tx.updateTable('conversations').set({ visitorId: null }).where('id', '=', conversationId).execute();
    });
    await listing;
    expect(await tokensOf(conversationId)).toEqual([]);
  });
});

describe('GET /conversations/:id', () => {
  test('returns contact, visitor and assignee, or null', async () => {
    const { conversationId, contactId } = await aContactChat('who-it-is', 'who@example.com');
    const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
    const get = async (id: string) => (await tenant.get(`/conversations/${id}`)).json<Record<string, unknown>>();
    expect(await get(conversationId)).toMatchObject({
      conversation: { id: conversationId, contactId },
      contact: { id: contactId, externalUserId: 'who-it-is', email: 'who@example.com', createdAt: expect.any(String) },
      visitor: { createdAt: expect.any(String) },
      assignee: null,
    });
    ok(await agent.post(`/conversations/${conversationId}/claim`, {}));
    expect((await get(conversationId))['assignee']).toEqual({ id: agent.userId, name: 'Test Person' });

    const anonymous = await aChat('hello');
    expect(await get(anonymous.conversationId)).toMatchObject({ contact: null, visitor: { label: 'label' } });
    ok(await anonymous.visitor.del('/widget/me'));
    expect(await get(anonymous.conversationId)).toMatchObject({ contact: null, visitor: null, assignee: null });
  });
});
