import { afterAll, describe, expect, test } from 'vitest';
import { admin, aKey, api, aTenant, aUser, anOperator, send, type Headers, type Response } from '../harness.ts';
import { aBot, aVisitor, page } from '../chat/fixture.ts';
import { anIp } from '../identity/accounts-fixture.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation, RequestValues } from '../openapi-walk.ts';
import { findViolation } from './responses.ts';
import { argsHash } from './actions.ts';
import { atPage, aTalkingContact, aTalkingVisitor, resetLimitsOf, talk, tokens } from './chats.ts';
import { activeTenant, invalidSessions, validSession, resigned } from './isolation-sessions.ts';

// Every visitor route, against every other visitor: of the same bot, of another bot, of another environment of the
// tenant, and of another tenant. And with every kind of invalid session.

const operations = walk.operationsOf(api.app.swagger());
const ofVisitors = operations.filter(({ audience }) => audience === 'visitor');
const ofConversations = ofVisitors.filter(({ path }) => 'id' in (path.properties ?? {}));

// ---- visitors

const ownTenant = await aTenant({ plan: 'enterprise' });
const bot = await aBot(ownTenant);
const { data: environments } = (await ownTenant.get('/environments')).json<{ data: { id: string }[] }>();
const otherEnvironmentId = environments.find(({ id }) => id !== ownTenant.environmentId)?.id ?? '';
await ownTenant.post(`/bots/${bot.botId}/deployments`, { environmentId: otherEnvironmentId, versionId: bot.versionId });

const me = await aTalkingVisitor(bot, 'my own words');
const contact = await aTalkingContact(ownTenant, { text: 'my own words', externalUserId: 'me' });

/** The same visitor id, in another session. */
const signed = async (change: Partial<typeof me.session>, of = me.session) => {
  const { sessionToken } = tokens.signSession({ ...of, ...change });
  return tokens.readSession(sessionToken);
};
const { contact: _nobody, ...contactAsVisitor } = contact.session;

const created = await ownTenant.post('/bots', { name: 'Second' });
const { bot: second } = created.json<{ bot: { id: typeof ownTenant.botId } }>();
const secondBot = await aBot({ ...ownTenant, botId: second.id });

const other = await aTenant({ plan: 'enterprise' });
const otherBot = await aBot(other);

type Talk = Awaited<ReturnType<typeof talk>>;

/** Conversations of others, by owner. */
const others: Record<string, Talk> = {
  'of another tenant': await aTalkingVisitor(otherBot, 'secret words 1'),
  'of a contact of another tenant': await aTalkingContact(other, { text: 'secret words 2', externalUserId: 'me' }),
  'of another visitor': await aTalkingVisitor(bot, 'secret words 3'),
  'of another contact': await aTalkingContact(ownTenant, { text: 'secret words 4', externalUserId: 'you' }),
  'of another bot': await aTalkingVisitor(secondBot, 'secret words 5'),
  'of another environment, by the same user': await aTalkingContact(ownTenant, {
    text: 'secret words 8',
    externalUserId: 'me',
    environmentId: otherEnvironmentId,
  }),
  'of an unauthenticated visitor with the same visitor id': await talk(contactAsVisitor, 'secret words 9'),
};
const secretTexts = /secret words/;

/** Of the same person with another bot or environment: hidden from this session, but included in export and erasure. */
const inOtherPlaces: Record<'visitor' | 'contact', Record<string, Talk>> = {
  visitor: {
    'of the same visitor with another bot': await talk(await signed({ botId: secondBot.botId }), 'my own words'),
    'of the same visitor in another environment': await talk(
      await signed({ environmentId: otherEnvironmentId as typeof me.session.environmentId }),
      'my own words',
    ),
  },
  contact: {
    'of the same contact with another bot': await aTalkingContact(
      { ...ownTenant, botId: secondBot.botId },
      { text: 'my own words', externalUserId: 'me' },
    ),
  },
};
const foreign = { ...others, ...inOtherPlaces.visitor, ...inOtherPlaces.contact };

const sides = [
  { name: 'a visitor', headers: me.headers, own: me, otherPlaces: inOtherPlaces.visitor },
  { name: 'a contact', headers: contact.headers, own: contact, otherPlaces: inOtherPlaces.contact },
];
const ids = (all: readonly Talk[]) => all.map(({ conversationId }) => conversationId);

// ---- requests

const sendTo = (operation: Operation, parts: RequestValues, headers: Headers) => {
  const request = walk.requestOf(operation, parts);
  return api.app.inject({ ...request, headers: { ...request.headers, ...headers }, remoteAddress: anIp() });
};

/** A request that succeeds for one's own conversation. */
function validParts(
  { id }: Operation,
  { conversationId, replyId, runId }: Pick<Talk, 'replyId' | 'runId'> & { conversationId: string },
): RequestValues {
  const bodies: Record<string, unknown> = {
    rateConversation: { messageId: replyId, isHelpful: true },
    askForPerson: { reason: 'I want a person' },
    markOwnRead: { seq: 1 },
    answerConfirmation: { runId, argsHash, isConfirmed: true },
  };
  return { path: { id: conversationId }, query: {}, ...(id in bodies && { body: bodies[id] }) };
}

/** A response without what differs between any two. */
function comparable({ statusCode, headers, body }: Response) {
  const { 'x-request-id': requestId, date: _date, ratelimit: _ratelimit, ...rest } = headers;
  return { statusCode, headers: rest, body: body.replaceAll(String(requestId), '') };
}
const reasonOf = ({ body }: Response) => (JSON.parse(body) as { error?: { reason?: string } }).error?.reason ?? '';

const missingId = 'conv_01h45ytscbebyvny4gc8cr8ma2';
const missingTalk = {
  conversationId: missingId,
  replyId: 'msg_01h45ytscbebyvny4gc8cr8ma2',
  runId: 'arun_01h45ytscbebyvny4gc8cr8ma2',
} as const;
let cases = 0;
afterAll(() => console.log(`isolation of visitors: ${ofVisitors.length} addresses, ${cases} cases`));

/** Every stored row of the others. */
const rowsOfOthers = async (all: Record<string, Talk> = foreign) => {
  const theirs = ids(Object.values(all));
  const heads = await admin.selectFrom('conversations').selectAll().where('id', 'in', theirs).orderBy('id').execute();
  const log = await admin
    .selectFrom('conversationEvents')
    .selectAll()
    .where('conversationId', 'in', theirs)
    .orderBy('conversationId')
    .orderBy('seq')
    .execute();
  const runs = await admin
    .selectFrom('actionRuns')
    .selectAll()
    .where('conversationId', 'in', theirs)
    .orderBy('id')
    .execute();
  const mine: string[] = sides.map(({ own }) => own.session.visitorId);
  const visitors = heads.flatMap(({ visitorId }) => (visitorId && !mine.includes(visitorId) ? [visitorId] : []));
  const known = await admin
    .selectFrom('visitors')
    .select(['tenantId', 'id', 'label', 'tokensAfter'])
    .where('id', 'in', visitors)
    .orderBy('id')
    .execute();
  return { heads, log, runs, known };
};

// ---- tests

test('has other conversations to request, each with its own text', () => {
  expect(new Set(ids(Object.values(foreign))).size).toBe(10);
  expect(ofConversations.length).toBeGreaterThanOrEqual(5);
});

describe.each(sides)('$name', ({ headers, own, otherPlaces: also }) => {
  test.each(ofConversations)(
    'returns 404, as for a missing one, for every conversation of others: $method $pathTemplate',
    async (operation) => {
      await resetLimitsOf(own.session.visitorId);
      const before = await rowsOfOthers();
      const accepts: Headers[] = operation.streams ? [{}, { accept: 'text/event-stream' }] : [{}];
      const mine = await sendTo(operation, validParts(operation, own), headers);
      expect(mine.statusCode, mine.body).toBe(200);
      for (const accept of accepts) {
        const to = (id: string) => ({ ...validParts(operation, own), path: { id } });
        const none = await sendTo(operation, to(missingId), { ...headers, ...accept });
        expect(none.statusCode).toBe(404);
        for (const [owner, { conversationId }] of Object.entries(foreign)) {
          cases++;
          const response = await sendTo(operation, to(conversationId), { ...headers, ...accept });
          expect(comparable(response), owner).toEqual(comparable(none));
          expect(findViolation(operation, response), owner).toBeUndefined();
        }
      }
      expect(await rowsOfOthers()).toEqual(before);
    },
  );

  test('returns 404, as for a missing one, for a message of someone else in their own conversation', async () => {
    const operation = ofConversations.find(({ id }) => id === 'rateConversation');
    if (!operation) throw new Error('no operation rates messages');
    const about = (messageId: string) => ({ ...validParts(operation, own), body: { messageId, isHelpful: false } });
    const none = await sendTo(operation, about(missingId.replace('conv', 'msg')), headers);
    expect(none.statusCode).toBe(404);
    for (const [owner, { replyId }] of Object.entries(foreign)) {
      cases++;
      expect(comparable(await sendTo(operation, about(replyId), headers)), owner).toEqual(comparable(none));
    }
  });

  test('returns 200 with all of their own conversations and no others', async () => {
    const response = await send('GET', '/widget/me', headers);
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('my own words');
    expect(response.body).not.toMatch(secretTexts);
    const { conversations } = response.json<{ conversations: { id: string }[] }>();
    expect(conversations.map(({ id }) => id).toSorted()).toEqual(ids([own, ...Object.values(also)]).toSorted());
  });

  test('returns 403 to their session in a message to another bot, as to a missing one', async () => {
    const { sessionToken } = own;
    const to = (botId: string) =>
      send('POST', `/widget/chatbots/${botId}/message`, { origin: page }, { sessionToken, message: 'Hello' });
    const none = await to('bot_01h45ytscbebyvny4gc8cr8ma2');
    expect([none.statusCode, reasonOf(none)]).toEqual([403, 'bot_mismatch']);
    for (const { botId } of [secondBot, otherBot]) {
      cases++;
      expect(comparable(await to(botId))).toEqual(comparable(none));
    }
  });
});

describe('a visitor token', () => {
  const open = async (visitorToken: string, of = bot) => {
    const { conversation, sessionToken } = await aVisitor(api.app, of, visitorToken);
    return { conversation, visitorId: (await tokens.readSession(sessionToken)).visitorId };
  };

  test('restores the conversation of its owner', async () => {
    const { conversation, visitorId } = await open(me.visitorToken);
    expect([conversation?.id, visitorId]).toEqual([me.conversationId, me.session.visitorId]);
  });

  test('restores nothing with another bot, of the same tenant or another', async () => {
    for (const anotherBot of [secondBot, otherBot]) {
      const { conversation, visitorId } = await open(me.visitorToken, anotherBot);
      expect(conversation).toBeNull();
      expect(visitorId).not.toBe(me.session.visitorId);
    }
  });

  test('restores nothing from a session token, a changed token or one without a signature', async () => {
    const [head = '', body = '', signature = ''] = me.visitorToken.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const victim = await aTalkingVisitor(bot, 'secret words');
    for (const [name, token] of Object.entries({
      'a session token': victim.sessionToken,
      changed: `${head}.${encode({ ...claims, vis: victim.session.visitorId })}.${signature}`,
      'alg none': `${encode({ alg: 'none' })}.${encode({ ...claims, vis: victim.session.visitorId })}.`,
      'without a signature': `${head}.${body}.`,
      garbage: 'garbage',
    })) {
      cases++;
      const { conversation, visitorId } = await open(token);
      expect(conversation, name).toBeNull();
      expect([victim.session.visitorId, me.session.visitorId], name).not.toContain(visitorId);
    }
  });
});

describe('sessions', () => {
  test('returns 200 to the valid session that the others are made from', async () => {
    for (const token of [validSession.token, resigned]) {
      const response = await send('GET', '/widget/me', atPage(token));
      expect(response.statusCode, response.body).toBe(200);
    }
  });

  test.each(invalidSessions)(
    'returns 401 or 403 at every visitor route to a session $name',
    async ({ token, origin, expected }) => {
      const headers = { authorization: `Bearer ${token}`, origin };
      for (const operation of ofVisitors) {
        cases++;
        const parts = validParts(operation, missingTalk);
        const response = await sendTo(operation, parts, headers);
        const what = `${operation.method} ${operation.pathTemplate}: ${response.body}`;
        expect({ status: response.statusCode, reasons: [reasonOf(response)] }, what).toEqual(expected);
        expect(findViolation(operation, response), what).toBeUndefined();
      }
    },
  );

  test.each(invalidSessions)(
    'returns the same for a message and for a refresh: $name',
    async ({ token, botId, origin, expected }) => {
      const context = { headers: { origin }, remoteAddress: anIp() };
      const message = await api.app.inject({
        method: 'POST',
        url: `/widget/chatbots/${botId}/message`,
        ...context,
        payload: { sessionToken: token, message: 'Hello' },
      });
      expect({ status: message.statusCode, reasons: [reasonOf(message)] }, message.body).toEqual(expected);
      const renewed = await api.app.inject({
        method: 'POST',
        url: '/widget/sessions/refresh',
        ...context,
        payload: { sessionToken: token },
      });
      expect({ status: renewed.statusCode, reasons: [reasonOf(renewed)] }, renewed.body).toEqual(expected);
      cases += 2;
    },
  );

  test('returns 401 to every other credential used as a session', async () => {
    const key = await aKey(activeTenant);
    const bearers: Record<string, Headers> = {
      nobody: {},
      'an owner': activeTenant.headers,
      'a user without a tenant': (await aUser([])).headers,
      'a server key': key.headers,
      'a widget key': { authorization: `Bearer ${bot.publicKey}` },
      'an operator': (await anOperator()).headers,
      'a password': { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
      'a session in lower case': { authorization: `bearer ${validSession.token}` },
    };
    for (const [name, headers] of Object.entries(bearers))
      for (const operation of ofVisitors) {
        cases++;
        const parts = validParts(operation, missingTalk);
        const response = await sendTo(operation, parts, { ...headers, origin: page });
        expect(response.statusCode, `${name} at ${operation.method} ${operation.pathTemplate}: ${response.body}`).toBe(
          401,
        );
      }
  });
});

describe.each(sides)('when $name has everything erased', ({ headers, own, otherPlaces: also }) => {
  test('deletes their messages and keeps those of everyone else', async () => {
    const before = await rowsOfOthers(others);
    const response = await send('DELETE', '/widget/me', headers);
    expect(response.json()).toMatchObject({ conversations: 1 + Object.keys(also).length });
    expect(await rowsOfOthers(others)).toEqual(before);
    const after = await send('GET', `/widget/conversations/${own.conversationId}/messages`, headers);
    expect(after.statusCode).toBe(404);
  });
});
