import { createHash, createSecretKey, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import { SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { purgeConversations } from '../../src/features/conversations/index.ts';
import { insert } from '../../src/features/conversations/conversations.store.ts';
import { derivedKeys } from '../../src/platform/crypto.ts';
import { newId } from '../../src/platform/ids.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { admin, aSessionKey, aUser, inside, services, settings, type TestTenant } from '../harness.ts';
import {
  aBot,
  aChatStack,
  aTenant,
  aVisitor,
  startWorkerInProcess,
  openApi,
  page,
  type SessionResponse,
  type TestBot,
} from './fixture.ts';
import {
  allTables,
  anIp,
  open,
  publish,
  until,
  valkeyUrl,
  type MessageResponse,
  type SendResponse,
} from './helpers.ts';

const { restate, model, chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
afterAll(async () => {
  await close();
  await worker.stop();
});
afterEach(() => void vi.useRealTimers());

const aMarker = () => `marker${randomUUID().replaceAll('-', '')}`;

let tenant: TestTenant;
let bot: TestBot;
beforeAll(async () => {
  tenant = await aTenant();
  bot = await aBot(tenant);
});

/** A visitor with a private message. */
async function aVictim(at: TestBot = bot) {
  const marker = aMarker();
  const visitor = await aVisitor(app, at);
  const { conversationId } = (await visitor.say(`my secret is ${marker}`)).json<SendResponse>();
  const row = await admin
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow();
  return { ...visitor, marker, conversationId, visitorId: row.visitorId ?? '' };
}

/** A session of a user whom the tenant's backend has authenticated. */
const openAs = async (externalUserId: string, email: string, more: object = {}) => {
  const key = await aSessionKey(tenant);
  const { tenantId, workspaceId, environmentId } = tenant;
  const payload = { tenantId, workspaceId, environmentId, botId: bot.botId, externalUserId, email, ...more };
  const response = await app.inject({
    method: 'POST',
    url: '/widget/sessions/authenticated',
    headers: key.headers,
    payload,
  });
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ sessionToken: string; contactId: string }>();
};

interface As {
  sessionToken: string;
}
/** Calls every visitor route for this conversation, and returns all responses. */
async function everyRoute({ sessionToken }: As, conversationId: string, botId = bot.botId) {
  const call = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
    app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${sessionToken}`, origin: page },
      remoteAddress: anIp(),
      ...(payload && { payload }),
    });
  const at = `/widget/conversations/${conversationId}`;
  const foreign = await Promise.all([
    call('GET', `${at}/messages`),
    call('GET', `${at}/events`),
    call('POST', `${at}/rating`, { rating: 1, comment: 'taken' }),
    call('POST', `${at}/handoff`, {}),
    call('POST', `${at}/stop`),
  ]);
  const sent = await call('POST', `/widget/chatbots/${botId}/message`, {
    sessionToken,
    message: 'what did I say before?',
  });
  const exported = await call('GET', '/widget/me');
  const list = await call('GET', '/widget/conversations');
  return { foreign, own: [sent, exported, list] };
}

async function getsNothing(
  thief: As,
  { conversationId, marker }: { conversationId: string; marker: string },
  botId = bot.botId,
) {
  const { foreign, own } = await everyRoute(thief, conversationId, botId);
  for (const response of foreign) expect(response.statusCode, response.body).toBe(404);
  for (const response of own) expect(response.statusCode, response.body).toBe(200);
  for (const { body } of [...foreign, ...own]) {
    expect(body).not.toContain(marker);
    expect(body).not.toContain(`"id":"${conversationId}"`);
  }
}

describe('history', () => {
  test('is restored with the visitor token', async () => {
    const victim = await aVictim();
    const back = await aVisitor(app, bot, victim.visitorToken);
    expect(back.conversation?.id).toBe(victim.conversationId);
    const messages = await back.get(`/widget/conversations/${victim.conversationId}/messages`);
    expect(messages.body).toContain(victim.marker);
  });

  test('returns 404 to a visitor who knows the label, conversation id or visitor id', async () => {
    const victim = await aVictim();
    for (const visitorId of ['label', victim.visitorId, victim.conversationId]) {
      const opened = (await open(app, bot, { visitorId })).json<SessionResponse>();
      expect(opened.conversation).toBeNull();
      await getsNothing(opened, victim);
    }
  });

  test('returns 404 for a forged token, or one of another bot, environment or tenant', async () => {
    const victim = await aVictim();
    const { tenantId, environmentId } = tenant;
    const claims = { ten: tenantId, env: environmentId, bot: bot.botId, vis: victim.visitorId };
    const key = createSecretKey(Buffer.alloc(32, 7));
    const forge = (payload: JWTPayload, kid: string, signWith = key) =>
      new SignJWT(payload)
        .setProtectedHeader({ alg: 'HS256', kid })
        .setAudience('visitor')
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(signWith);
    const [header = '', , signature = ''] = victim.visitorToken.split('.');
    const { kid = '' } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: string };
    const swapped = [
      header,
      Buffer.from(JSON.stringify({ ...claims, aud: 'visitor', iat: 1, exp: 4e9 })).toString('base64url'),
      signature,
    ];
    const none = new UnsecuredJWT(claims).setAudience('visitor').setIssuedAt().setExpirationTime('1h').encode();

    // Correctly signed for another scope, with the victim's id.
    const [text = ''] = derivedKeys(services.keyring, 'widget-session');
    const ours = createSecretKey(Buffer.from(text, 'base64url'));
    expect(createHash('sha256').update(text).digest('base64url').slice(0, 8)).toBe(kid);
    const elsewhere = await aTenant();
    const tokens = [
      await forge(claims, kid),
      await forge(claims, 'other'),
      swapped.join('.'),
      none,
      victim.sessionToken,
      await forge({ ...claims, bot: elsewhere.botId }, kid, ours),
      await forge({ ...claims, env: elsewhere.environmentId }, kid, ours),
      await forge({ ...claims, ten: elsewhere.tenantId }, kid, ours),
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid })
        .setAudience('visitor')
        .setIssuedAt()
        .sign(ours),
    ];
    for (const [n, visitorToken] of tokens.entries()) {
      const response = await open(app, bot, { visitorToken });
      expect(response.statusCode, response.body).toBe(200); // a new visitor, not an error
      expect(response.json<SessionResponse>().conversation).toBeNull();
      if (isFull || n === 0) await getsNothing(response.json<SessionResponse>(), victim);
    }
    // The unforged token works, so the others failed because they were forged.
    expect(
      (await open(app, bot, { visitorToken: await forge(claims, kid, ours) })).json<SessionResponse>().conversation?.id,
    ).toBe(victim.conversationId);
  });

  test('returns 401 for forged session tokens', async () => {
    const victim = await aVictim();
    const [header = '', payload = '', signature = ''] = victim.sessionToken.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
    const { kid = '' } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: string };
    const [text = ''] = derivedKeys(services.keyring, 'widget-session');
    const ours = createSecretKey(Buffer.from(text, 'base64url'));
    const { exp: _exp, ...endless } = claims;
    const sign = (body: JWTPayload) => new SignJWT(body).setProtectedHeader({ alg: 'HS256', kid });
    const forged = [
      new UnsecuredJWT(claims).encode(),
      await sign(endless).sign(ours),
      await sign({ ...claims, aud: 'visitor' }).sign(ours),
      await sign({ ...claims, exp: 1 }).sign(ours),
      await sign(claims).sign(createSecretKey(Buffer.alloc(32, 7))),
      victim.visitorToken,
      [header, payload, signature.split('').toReversed().join('')].join('.'),
      tenant.token,
      bot.publicKey,
    ];
    for (const token of forged) {
      const headers = { authorization: `Bearer ${token}`, origin: page };
      const read = await app.inject({
        method: 'GET',
        url: `/widget/conversations/${victim.conversationId}/messages`,
        headers,
      });
      expect(read.statusCode, token).toBe(401);
      const sent = { method: 'POST', url: `/widget/chatbots/${bot.botId}/message` } as const;
      const response = await app.inject({
        ...sent,
        headers: { origin: page },
        payload: { sessionToken: token, message: 'hi' },
      });
      expect(response.statusCode, token).toBe(401);
      const renewed = { method: 'POST', url: '/widget/sessions/refresh', payload: { sessionToken: token } } as const;
      expect((await app.inject({ ...renewed, remoteAddress: anIp() })).statusCode, token).toBe(401);
    }
  });

  test('returns 404 for an old token after a newer one was used', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 20 * 60_000 });
    const first = await aVisitor(app, bot);
    vi.useRealTimers();
    const marker = aMarker();
    const { conversationId } = (await first.say(`my secret is ${marker}`)).json<SendResponse>();
    const victim = { visitorToken: first.visitorToken, marker, conversationId };
    // A stolen token works while it is the newest.
    expect(
      (await open(app, bot, { visitorToken: victim.visitorToken })).json<SessionResponse>().conversation,
    ).not.toBeNull();
    const back = await aVisitor(app, bot, victim.visitorToken);
    await back.say('it is me again');
    const thief = (await open(app, bot, { visitorToken: victim.visitorToken })).json<SessionResponse>();
    expect(thief.conversation).toBeNull();
    await getsNothing(thief, victim);
    expect((await open(app, bot, { visitorToken: back.visitorToken })).json<SessionResponse>().conversation?.id).toBe(
      victim.conversationId,
    );
  });

  test('continues in two tabs with the same token', async () => {
    const victim = await aVictim();
    const tabs = await Promise.all([1, 2].map(() => aVisitor(app, bot, victim.visitorToken)));
    for (const tab of tabs) {
      const { conversationId } = (await tab.say('hello')).json<SendResponse>();
      expect(conversationId).toBe(victim.conversationId);
      expect((await aVisitor(app, bot, tab.visitorToken)).conversation?.id).toBe(victim.conversationId);
    }
  });
});

describe('contact', () => {
  const send = (sessionToken: string, message: string, botId: string = bot.botId) =>
    app.inject({
      method: 'POST',
      url: `/widget/chatbots/${botId}/message`,
      remoteAddress: anIp(),
      payload: { sessionToken, message },
    });

  test('returns 404 to a user with the same email address, typed or authenticated', async () => {
    const marker = aMarker();
    const email = `${aMarker()}@example.com`;
    const contact = await openAs('victim', email);
    const { conversationId } = (await send(contact.sessionToken, `my secret is ${marker}`)).json<SendResponse>();
    const victim = { conversationId, marker };
    const anonymous = (await open(app, bot, { visitorId: email })).json<SessionResponse>();
    await send(anonymous.sessionToken, `I am ${email}, show me what I asked`);
    await getsNothing(anonymous, victim);
    await getsNothing((await open(app, bot, { visitorId: 'victim' })).json<SessionResponse>(), victim);
    await getsNothing((await open(app, bot, { visitorId: contact.contactId })).json<SessionResponse>(), victim);
    const sameAddress = await openAs('another user', email);
    expect(sameAddress.contactId).not.toBe(contact.contactId);
    await getsNothing(sameAddress, victim);
    // The typed address created no contact: there are only the two authenticated ones.
    const contacts = await admin.selectFrom('contacts').selectAll().where('email', '=', email).execute();
    expect(contacts.map(({ externalUserId }) => externalUserId).toSorted()).toEqual(['another user', 'victim']);
  });

  test('is the same on every device, without the earlier anonymous history', async () => {
    const stranger = await aVictim();
    const first = await openAs('two devices', 'two@example.com');
    const { conversationId } = (await send(first.sessionToken, 'hello')).json<SendResponse>();
    const second = await openAs('two devices', 'two@example.com');
    expect((await send(second.sessionToken, 'hello again')).json<SendResponse>().conversationId).toBe(conversationId);
    await getsNothing(second, stranger);
  });

  test('DELETE /widget/me erases their messages to every bot, since it deletes the contact', async () => {
    const second = (await tenant.post('/bots', { name: 'Second', allowedOrigins: [page] })).json<{
      bot: { id: string };
    }>().bot.id;
    await publish(tenant, second, { greeting: 'Second' });
    const marker = aMarker();
    const email = `${marker}@example.com`; // in the events about the contact
    const [one, two] = [await openAs('of two bots', email), await openAs('of two bots', email, { botId: second })];
    expect((await send(one.sessionToken, `first ${marker}`)).statusCode).toBe(200);
    expect((await send(two.sessionToken, `second ${marker}`, second)).statusCode).toBe(200);
    const headers = { authorization: `Bearer ${one.sessionToken}` };
    const exported = await app.inject({ method: 'GET', url: '/widget/me', headers });
    expect(exported.body.match(new RegExp(`second ${marker}`)), 'exported').not.toBeNull();
    await app.inject({ method: 'DELETE', url: '/widget/me', headers });
    expect(await whereIs(marker)).toEqual([]);
  });
});

/** Every column in the database that contains this text. */
async function whereIs(marker: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of await allTables()) {
    const { rows } = await sql`select 1 from ${sql.raw(table)} t where strpos(t::text, ${marker}) > 0 limit 1`.execute(
      admin,
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}

async function inValkey(marker: string): Promise<string[]> {
  const valkey = new Redis(valkeyUrl());
  try {
    const names = await valkey.keys(`${settings()['VALKEY_PREFIX']}*`);
    const found: string[] = [];
    for (const name of names) {
      const type = await valkey.type(name);
      const text = type === 'string' ? await valkey.get(name) : JSON.stringify(await valkey.dump(name));
      if (`${name} ${text}`.includes(marker)) found.push(name);
    }
    return found;
  } finally {
    valkey.disconnect();
  }
}

/** Everything Restate has stored, as text. */
async function inRestate(): Promise<string> {
  const all = [];
  for (const table of ['sys_journal', 'sys_invocation', 'state', 'sys_inbox', 'sys_promise']) {
    const response = await fetch(`${restate.adminUrl}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: `select * from ${table}` }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${table}: ${text}`);
    // Bytes are returned in hexadecimal: decoded here.
    all.push(
      text,
      text.replaceAll(/"([0-9a-f]{8,})"/g, (_all, hex: string) => Buffer.from(hex, 'hex').toString()),
    );
  }
  return all.join('\n');
}

describe('export', () => {
  test('contains all of the visitor’s messages and replies, and no other data', async () => {
    const [mine, other] = [await aVictim(), await aVictim()];
    await mine.say('how long do I have to get my money back?');
    const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
    const note = aMarker();
    await agent.post(`/conversations/${mine.conversationId}/notes`, { text: `note ${note}` });
    await agent.post(`/conversations/${mine.conversationId}/close`);
    const { conversationId: next } = (await mine.say('a new conversation')).json<SendResponse>();
    const exported = await mine.get('/widget/me');
    expect(exported.statusCode).toBe(200);
    const { visitor, contact, conversations } = exported.json<{
      visitor: { id: string };
      contact: null;
      conversations: { id: string; messages: MessageResponse[] }[];
    }>();
    expect(visitor.id).toBe(mine.visitorId);
    expect(contact).toBeNull();
    expect(conversations.map(({ id }) => id).toSorted()).toEqual([mine.conversationId, next].toSorted());
    const first = conversations.find(({ id }) => id === mine.conversationId)?.messages ?? [];
    expect(first.map(({ role }) => role)).toEqual(['visitor', 'bot', 'visitor', 'bot']);
    expect(first[0]?.text).toContain(mine.marker);
    expect(first[3]?.text).toContain('30 days');
    expect(exported.body).not.toContain(other.marker);
    expect(exported.body).not.toContain(note);
  });
});

describe('the list of conversations', () => {
  interface ListResponse {
    data: { id: string; state: string; preview: string; rating: number | null; lastMessageAt: string }[];
  }

  test('contains the visitor’s own ones, newest first, at most 20', async () => {
    const mine = await aVictim();
    const row = await admin
      .selectFrom('conversations')
      .select(['environmentId', 'botId', 'versionId', 'visitorId', 'expiresAt', 'language', 'createdAt'])
      .where('id', '=', mine.conversationId)
      .executeTakeFirstOrThrow();
    const ids = Array.from({ length: 20 }, () => newId('conversation'));
    await inside(tenant.tenantId, async ({ tx }) => {
      for (const id of ids)
        await insert(tx, {
          ...row,
          id,
          visitorId: mine.visitorId,
          contactId: null,
          isTest: false,
          pageUrl: null,
          channel: 'website',
          outcome: null,
        });
    });
    const { data } = (await mine.get('/widget/conversations')).json<ListResponse>();
    expect(data.map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
    expect(Object.keys(data[0] ?? {}).toSorted()).toEqual([
      'id',
      'lastMessageAt',
      'lastSeq',
      'preview',
      'rating',
      'state',
    ]);
  });

  test('is empty for a visitor who has not written', async () => {
    const visitor = await aVisitor(app, bot);
    expect((await visitor.get('/widget/conversations')).json()).toEqual({ data: [] });
  });
});

describe('name and email from the form before the chat', () => {
  const visitorOf = async (id: string) => (await tenant.get(`/conversations/${id}`)).json<Record<string, unknown>>();

  test('are shown to staff as not verified, kept by later messages, and exported', async () => {
    const visitor = await aVisitor(app, bot);
    const context = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const { conversationId } = (await visitor.say('hello', { context })).json<SendResponse>();
    await visitor.say('again');
    const details = await visitorOf(conversationId);
    expect(details['visitor']).toMatchObject(context);
    expect(details['contact']).toBeNull();
    expect(details['conversation']).toMatchObject({ person: { ...context, isVerified: false } });
    expect((await visitor.get('/widget/me')).json()).toMatchObject({ visitor: context });
  });

  test('are not stored for a contact, whom the tenant’s backend has authenticated', async () => {
    const { sessionToken } = await openAs('form', 'real@example.com');
    const sent = await app.inject({
      method: 'POST',
      url: `/widget/chatbots/${bot.botId}/message`,
      remoteAddress: anIp(),
      payload: { sessionToken, message: 'hello', context: { name: 'Somebody', email: 'other@example.com' } },
    });
    const details = await visitorOf(sent.json<SendResponse>().conversationId);
    expect(details['visitor']).toMatchObject({ name: null, email: null });
    expect(details['conversation']).toMatchObject({ person: { email: 'real@example.com', isVerified: true } });
  });

  test('return 400 if the email is none', async () => {
    const visitor = await aVisitor(app, bot);
    expect((await visitor.say('hello', { context: { email: 'nowhere' } })).statusCode).toBe(400);
  });
});

describe('erasure', () => {
  /** A visitor whose text, repeated in the reply, was stored everywhere it can be. */
  async function aTalker() {
    const owner = await aTenant();
    const modelBot = await aBot(owner, { answers: { mode: 'model' } });
    const marker = aMarker();
    model.script = () => ({ tokens: [marker, 'you', 'said'], everyMs: 60 });
    const visitor = await aVisitor(app, modelBot);
    const context = { pageUrl: `https://shop.example/${marker}`, name: marker, email: `${marker}@example.com` };
    const sent = await visitor.say(`I am ${marker}`, { context });
    const { conversationId, reply } = sent.json<SendResponse>();
    expect(reply?.text).toContain(marker);
    return { owner, talking: modelBot, marker, visitor, conversationId, replyId: reply?.id };
  }

  test('leaves no trace in the database, Valkey or Restate', async () => {
    const { owner, marker, visitor, conversationId, replyId } = await aTalker();
    const at = `/widget/conversations/${conversationId}`;
    await visitor.post(`${at}/rating`, { messageId: replyId, isHelpful: true, comment: `thanks ${marker}` });
    await visitor.post(`${at}/rating`, { rating: 5, comment: `thanks ${marker}` });
    await visitor.post(`${at}/handoff`, { reason: `because ${marker}` });
    const agent = await aUser([{ tenantId: owner.tenantId, roles: ['agent'] }]);
    await agent.post(`/conversations/${conversationId}/claim`, {});
    await agent.post(`/conversations/${conversationId}/replies`, { text: `Dear ${marker}` });
    await agent.post(`/conversations/${conversationId}/notes`, { text: `About ${marker}` });
    await sleep(500); // the relay has delivered everything
    expect(await whereIs(marker)).not.toEqual([]); // the search finds it before erasure
    const erased = await visitor.del('/widget/me');
    expect(erased.statusCode, erased.body).toBe(200);
    const receipt = erased.json<{ receiptId: string; conversations: number; messages: number }>();
    expect(receipt).toMatchObject({ conversations: 1, messages: 4 });
    expect(await whereIs(marker)).toEqual([]);
    const journal = await inRestate();
    expect(journal).toContain(conversationId); // the journal is readable
    expect(journal).not.toContain(marker);
    const audit = await owner.get('/audit-log?action=data.erased');
    expect(audit.statusCode, audit.body).toBe(200);
    expect(audit.json()).toMatchObject({ data: [{ subjectId: receipt.receiptId, data: { object: receipt } }] });
    const log = (await owner.get('/audit-log?limit=100')).body;
    expect(log).not.toContain(marker);
    const seqs = await admin
      .selectFrom('conversationEvents')
      .select('seq')
      .where('conversationId', '=', conversationId)
      .orderBy('seq')
      .execute();
    expect(seqs.map(({ seq }) => seq)).toEqual(seqs.map((_, position) => position + 1));
    expect(seqs.length).toBeGreaterThan(7);
    expect((await visitor.get(`${at}/messages`)).statusCode).toBe(404);
    expect((await owner.get(`/conversations/${conversationId}/messages`)).body).not.toContain(marker);
  });

  test('leaves no reply text in Valkey', async () => {
    const { marker, visitor } = await aTalker();
    await visitor.del('/widget/me');
    expect(await inValkey(marker)).toEqual([]);
  });

  test('leaves nothing of a running reply', async () => {
    const { talking: modelBot, marker } = await aTalker();
    const visitor = await aVisitor(app, modelBot);
    model.script = () => ({ tokens: Array.from({ length: 30 }, () => `late${marker}`), everyMs: 50 });
    const calls = model.calls.length;
    const pending = visitor.say('tell me');
    await until(() => model.calls.length > calls);
    await sleep(200);
    await visitor.del('/widget/me');
    await pending;
    await until(() => model.calls.at(-1)?.endedAt !== undefined);
    await sleep(700);
    expect(await whereIs(`late${marker}`)).toEqual([]);
  });

  test('deletes stored Idempotency-Key responses that quote the visitor', async () => {
    const { owner, marker, visitor, conversationId } = await aTalker();
    const agent = await aUser([{ tenantId: owner.tenantId, roles: ['agent'] }]);
    const claimed = await agent.post(`/conversations/${conversationId}/claim`, {}, { 'idempotency-key': 'claim' });
    expect(claimed.body).toContain(marker);
    await visitor.del('/widget/me');
    expect(await whereIs(marker)).toEqual([]);
  });

  test('does not affect other visitors', async () => {
    const [mine, other] = [await aVictim(), await aVictim()];
    await mine.del('/widget/me');
    expect(await whereIs(mine.marker)).toEqual([]);
    expect((await other.get(`/widget/conversations/${other.conversationId}/messages`)).body).toContain(other.marker);
    expect((await aVisitor(app, bot, mine.visitorToken)).conversation).toBeNull();
  });
});

describe('retention', () => {
  const expiryOf = async (id: string) =>
    admin.selectFrom('conversations').select(['expiresAt', 'lastMessageAt']).where('id', '=', id).executeTakeFirst();

  test('counts the bot’s retention days from the last message', async () => {
    const owner = await aTenant();
    const short = await aBot(owner);
    await owner.patch(`/bots/${short.botId}`, { retentionDays: 3 });
    const victim = await aVictim(short);
    const daysOf = (row: Awaited<ReturnType<typeof expiryOf>>) =>
      ((row?.expiresAt.getTime() ?? 0) - (row?.lastMessageAt.getTime() ?? 0)) / 86_400_000;
    const first = await expiryOf(victim.conversationId);
    expect(daysOf(first)).toBeCloseTo(3, 3);
    await sleep(20);
    await victim.say('and another');
    const second = await expiryOf(victim.conversationId);
    expect(daysOf(second)).toBeCloseTo(3, 3);
    expect(second?.expiresAt.getTime()).toBeGreaterThan(first?.expiresAt.getTime() ?? Infinity);
  });

  test('deletes expired conversations completely, and nothing else', async () => {
    const [old, young] = [await aVictim(), await aVictim()];
    const past = new Date(Date.now() - 1_000);
    const { contactId } = await openAs('not seen lately', 'lately@example.com', { name: 'Not seen lately' });
    const longAgo = new Date(Date.now() - 400 * 86_400_000);
    await admin
      .updateTable('contacts')
      .set({ lastSeenAt: longAgo, updatedAt: longAgo })
      .where('id', '=', contactId)
      .execute();
    await admin.updateTable('conversations').set({ expiresAt: past }).where('id', '=', old.conversationId).execute();
    // Rows locked by a turn are left for the next run.
    await until(async () => {
      await purgeConversations(services);
      return (await expiryOf(old.conversationId)) === undefined;
    });
    expect(await whereIs(old.marker)).toEqual([]);
    for (const table of ['conversationEvents', 'turns', 'turnSteps'] as const)
      expect(
        await admin.selectFrom(table).selectAll().where('conversationId', '=', old.conversationId).execute(),
      ).toEqual([]);
    const visitors = await admin
      .selectFrom('visitors')
      .select('id')
      .where('id', 'in', [old.visitorId, young.visitorId])
      .execute();
    expect(visitors).toEqual([{ id: young.visitorId }]);
    expect((await tenant.get(`/contacts/${contactId}`)).statusCode).toBe(200); // the tenant's, until it is erased
    expect((await old.get(`/widget/conversations/${old.conversationId}/messages`)).statusCode).toBe(404);
    expect((await young.get(`/widget/conversations/${young.conversationId}/messages`)).body).toContain(young.marker);
    expect(await purgeConversations(services)).toBe(0);
    expect((await old.say('here I am again')).statusCode).toBe(200);
  });
});
