import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { aBot, aVisitor, type TestBot } from '../../../../test/chat/fixture.ts';
import { open, publish, until } from '../../../../test/chat/helpers.ts';
import {
  admin,
  api,
  aSessionKey,
  aTenant,
  countLockWaits,
  send as request,
  type TestTenant,
} from '../../../../test/harness.ts';
import { atPage, aTalkingVisitor, talk, tokens } from '../../../../test/rules/chats.ts';

let tenant: TestTenant;
let bot: TestBot;
let key: Awaited<ReturnType<typeof aSessionKey>>;
beforeAll(async () => {
  tenant = await aTenant({ plan: 'enterprise' });
  bot = await aBot(tenant);
  key = await aSessionKey(tenant);
});

const { app } = api;
let users = 0;
/** A signed-in user of the tenant. */
async function aUserOfShop({ environmentId = tenant.environmentId } = {}) {
  const externalUserId = `shopper-${users}`;
  const name = `Marigold${users++}`;
  const { tenantId, workspaceId, botId } = tenant;
  const opened = await key.post('/widget/sessions/authenticated', {
    tenantId,
    workspaceId,
    environmentId,
    botId,
    externalUserId,
    email: `${externalUserId}@example.com`,
    name,
  });
  expect(opened.statusCode, opened.body).toBe(200);
  const { sessionToken, contactId } = opened.json<{ sessionToken: string; contactId: string }>();
  const identify = async (visitorToken?: string) => {
    const response = await app.inject({
      method: 'POST',
      url: '/widget/conversation',
      headers: atPage(sessionToken),
      payload: { visitorToken },
    });
    expect(response.statusCode, response.body).toBe(200);
    return response.json<{ conversation: { id: string } | null }>().conversation?.id ?? null;
  };
  return { contactId, sessionToken, externalUserId, name, identify, session: await tokens.readSession(sessionToken) };
}
const contactOf = async (conversationId: string) =>
  (await admin.selectFrom('conversations').select('contactId').where('id', '=', conversationId).executeTakeFirst())
    ?.contactId;
const identifiedEvents = async (contactId: string) =>
  (
    await admin
      .selectFrom('events')
      .select('body')
      .where('subjectId', '=', contactId)
      .where('type', '=', 'contact.identified')
      .execute()
  ).map(({ body }) => (JSON.parse(body) as { data: unknown }).data);
const send = (sessionToken: string, message: string) =>
  app.inject({
    method: 'POST',
    url: `/widget/chatbots/${bot.botId}/message`,
    headers: { accept: 'text/event-stream', ...atPage(sessionToken) },
    payload: { sessionToken, message },
  });

test('the anonymous conversations of the browser become the user’s, once', async () => {
  const visitor = await aTalkingVisitor(bot, 'before I sign in');
  const user = await aUserOfShop();
  expect(await user.identify(visitor.visitorToken)).toBe(visitor.conversationId);
  expect(await contactOf(visitor.conversationId)).toBe(user.contactId);
  const { visitorId } = visitor.session;
  expect(await identifiedEvents(user.contactId)).toMatchObject([
    { object: { id: user.contactId, externalUserId: user.externalUserId }, visitorId },
  ]);
  const { contact } = (await tenant.get(`/contacts/${user.contactId}`)).json<{ contact: { firstSeenAt: string } }>();
  const { createdAt } = await admin
    .selectFrom('visitors')
    .select('createdAt')
    .where('id', '=', visitorId)
    .executeTakeFirstOrThrow();
  expect(contact.firstSeenAt).toBe(createdAt.toISOString());

  expect(await user.identify(visitor.visitorToken)).toBe(visitor.conversationId);
  expect(await identifiedEvents(user.contactId)).toHaveLength(1);
  // Messages of both are in one conversation, which the user continues.
  expect((await talk(user.session, 'after I signed in')).conversationId).toBe(visitor.conversationId);
  for (const q of [user.externalUserId, user.name]) {
    const found = await tenant.get(`/conversations?q=${q}`);
    expect(found.json(), q).toMatchObject({ data: [{ id: visitor.conversationId }] });
  }
});

test('a repeated identification of a known contact locks and writes nothing', async () => {
  const [visitor, user] = [await aTalkingVisitor(bot, 'hello'), await aUserOfShop()];
  await user.identify(visitor.visitorToken);
  await admin.transaction().execute(async (tx) => {
    await sql`select from visitors where id = ${visitor.session.visitorId} for update`.execute(tx);
    await sql`select from contacts where id = ${user.contactId} for update`.execute(tx);
    expect(await user.identify(visitor.visitorToken)).toBe(visitor.conversationId);
  });
});

describe('ends the visitor', () => {
  test('returns 401 for a message of an anonymous session of theirs, and 404 for reading', async () => {
    const [visitor, user] = [await aTalkingVisitor(bot, 'hello'), await aUserOfShop()];
    await user.identify(visitor.visitorToken);
    const sent = await send(visitor.sessionToken, 'from another tab');
    expect([sent.statusCode, sent.json<{ error: { reason: string } }>().error.reason]).toEqual([401, 'session_ended']);
    const read = await app.inject({
      url: `/widget/conversations/${visitor.conversationId}/messages`,
      headers: visitor.headers,
    });
    expect(read.statusCode).toBe(404);
  });

  test('opens the next anonymous session as a new visitor, without the user’s conversation', async () => {
    const [visitor, user] = [await aTalkingVisitor(bot, 'hello'), await aUserOfShop()];
    await user.identify(visitor.visitorToken);
    const next = await aVisitor(app, bot, visitor.visitorToken);
    expect(next.conversation).toBeNull();
    const session = await tokens.readSession(next.sessionToken);
    expect(session.visitorId).not.toBe(visitor.session.visitorId);
    expect(await contactOf((await talk(session, 'someone else')).conversationId)).toBeNull();
  });

  test('closes an open anonymous stream of the conversation', async () => {
    const [visitor, user] = [await aTalkingVisitor(bot, 'hello'), await aUserOfShop()];
    const stream = app.inject({
      url: `/widget/conversations/${visitor.conversationId}/events`,
      headers: { accept: 'text/event-stream', ...visitor.headers },
    });
    await new Promise((resolve) => setTimeout(resolve, 200)); // it is open
    await user.identify(visitor.visitorToken);
    expect((await stream).body).toMatch(/event: visitor\.identified\n[^]*$/); // resolves only when the stream ends
  });
});

describe('merges nothing', () => {
  const expectUnmerged = async (
    visitor: { conversationId: string },
    user: Awaited<ReturnType<typeof aUserOfShop>>,
    token?: string,
  ) => {
    expect(await user.identify(token)).toBeNull();
    expect(await contactOf(visitor.conversationId)).toBeNull();
    expect(await identifiedEvents(user.contactId)).toEqual([]);
  };

  test('without a visitor token, or with a visitor id, a session token or a forged token instead', async () => {
    const visitor = await aTalkingVisitor(bot, 'mine');
    const [header, body] = visitor.visitorToken.split('.');
    for (const token of [
      undefined,
      visitor.session.visitorId,
      visitor.session.label,
      visitor.sessionToken,
      `${header}.${body}.forged`,
    ])
      await expectUnmerged(visitor, await aUserOfShop(), token);
  });

  test('with a token of another tenant, bot or environment', async () => {
    const other = await aTenant({ plan: 'enterprise' });
    const theirs = await aTalkingVisitor(await aBot(other), 'of another tenant');
    await expectUnmerged(theirs, await aUserOfShop(), theirs.visitorToken);

    const visitor = await aTalkingVisitor(bot, 'mine');
    const { tenantId, environmentId, botId, visitorId } = visitor.session;
    const otherEnvironment = await admin
      .selectFrom('environments')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('id', '<>', environmentId)
      .executeTakeFirstOrThrow();
    const scopes = [
      { environmentId: otherEnvironment.id, botId },
      { environmentId, botId: 'bot_another' },
    ];
    for (const scope of scopes)
      await expectUnmerged(visitor, await aUserOfShop(), tokens.signVisitor({ tenantId, visitorId, ...scope }));
    await publish(tenant, bot.botId, { title: 'Test' }, otherEnvironment.id);
    await expectUnmerged(visitor, await aUserOfShop({ environmentId: otherEnvironment.id }), visitor.visitorToken);
  });

  test('with a token that a newer session has replaced', async () => {
    const visitor = await aTalkingVisitor(bot, 'mine');
    await sql`update visitors set tokens_after = now() + interval '1 minute' where id = ${visitor.session.visitorId}`.execute(
      admin,
    );
    await expectUnmerged(visitor, await aUserOfShop(), visitor.visitorToken);
  });

  test('for an anonymous session', async () => {
    const [visitor, other] = [await aTalkingVisitor(bot, 'mine'), await aTalkingVisitor(bot, 'other')];
    const response = await app.inject({
      method: 'POST',
      url: '/widget/conversation',
      headers: other.headers,
      payload: { visitorToken: visitor.visitorToken },
    });
    expect(response.json()).toMatchObject({ conversation: { id: other.conversationId } });
    expect(await contactOf(visitor.conversationId)).toBeNull();
  });

  test('of a visitor who was identified as someone else', async () => {
    const visitor = await aTalkingVisitor(bot, 'hello');
    const [first, second] = [await aUserOfShop(), await aUserOfShop()];
    await first.identify(visitor.visitorToken);
    expect(await second.identify(visitor.visitorToken)).toBeNull();
    expect(await contactOf(visitor.conversationId)).toBe(first.contactId);
    expect(await identifiedEvents(second.contactId)).toEqual([]);
  });
});

describe('races', () => {
  /** Starts the work while the visitor's row is locked, until all of it waits: this proves that it takes the lock. */
  const whileLocked = async <T>(visitorId: string, waiting: number, work: () => Promise<T>[]): Promise<T[]> => {
    const started = await admin.transaction().execute(async (tx) => {
      await sql`select from visitors where id = ${visitorId} for update`.execute(tx);
      const promises = work();
      await until(async () => (await countLockWaits()) === waiting);
      return { promises };
    });
    return Promise.all(started.promises);
  };

  test('of two users for one visitor, one gets the conversations', async () => {
    const visitor = await aTalkingVisitor(bot, 'hello');
    const both = [await aUserOfShop(), await aUserOfShop()];
    const results = await whileLocked(visitor.session.visitorId, 2, () =>
      both.map((user) => user.identify(visitor.visitorToken)),
    );
    expect(results.filter((id) => id === visitor.conversationId)).toHaveLength(1);
    const winner = await contactOf(visitor.conversationId);
    expect(both.map(({ contactId }) => contactId)).toContain(winner);
    const events = await Promise.all(both.map(({ contactId }) => identifiedEvents(contactId)));
    expect(events.flat()).toHaveLength(1);
  });

  test('of the same user in several tabs, it is published once', async () => {
    const [visitor, user] = [await aTalkingVisitor(bot, 'hello'), await aUserOfShop()];
    await whileLocked(visitor.session.visitorId, 3, () =>
      Array.from({ length: 3 }, () => user.identify(visitor.visitorToken)),
    );
    expect(await identifiedEvents(user.contactId)).toHaveLength(1);
  });

  test('of a message and the identification, the message is the user’s or is refused', async () => {
    const [visitor, user] = [await aTalkingVisitor(bot, 'hello'), await aUserOfShop()];
    const [sent] = await whileLocked<unknown>(visitor.session.visitorId, 2, () => [
      send(visitor.sessionToken, 'in the middle').then(({ statusCode }) => statusCode),
      user.identify(visitor.visitorToken),
    ]);
    expect([200, 401]).toContain(sent);
    const owners = await admin
      .selectFrom('conversations')
      .select('contactId')
      .where('visitorId', '=', visitor.session.visitorId)
      .execute();
    expect(owners).toEqual([{ contactId: user.contactId }]);
  });

  test('of the identification and an erasure, no conversation or visitor is left without its contact', async () => {
    const [visitor, user] = [await aTalkingVisitor(bot, 'hello'), await aUserOfShop()];
    await talk(user.session, 'as the user');
    const both = await admin.transaction().execute(async (tx) => {
      await sql`select from contacts where id = ${user.contactId} for update`.execute(tx);
      const merging = user.identify(visitor.visitorToken);
      await until(async () => (await countLockWaits()) === 1);
      const erasing = request('DELETE', `/contacts/${user.contactId}`, tenant.headers);
      await until(async () => (await countLockWaits()) === 2);
      return [merging, erasing.then(({ statusCode }) => expect(statusCode).toBe(200))] as const;
    });
    await Promise.all(both);
    const orphans = await sql`select c.id from conversations c where c.contact_id = ${user.contactId}
      and not exists (select from contacts where id = c.contact_id)`.execute(admin);
    expect(orphans.rows).toEqual([]);
    const visitors = await sql`select v.id from visitors v where v.contact_id = ${user.contactId}
      and not exists (select from contacts where id = v.contact_id)`.execute(admin);
    expect(visitors.rows).toEqual([]);
  });
});

test('opening an anonymous session needs no lock while the visitor is being identified', async () => {
  const visitor = await aTalkingVisitor(bot, 'hello');
  await admin.transaction().execute(async (tx) => {
    await sql`select from visitors where id = ${visitor.session.visitorId} for update`.execute(tx);
    expect((await open(app, bot, { visitorToken: visitor.visitorToken })).statusCode).toBe(200);
  });
});
