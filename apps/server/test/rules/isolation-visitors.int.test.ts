import { afterAll, describe, expect, test } from 'vitest';
import { admin, aKey, api, aTenant, aUser, anOperator, send, type Headers, type Response } from '../harness.ts';
import { aBot, aVisitor, page } from '../chat/fixture.ts';
import { anIp } from '../identity/accounts-fixture.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation, RequestValues } from '../openapi-walk.ts';
import { broken } from './answers.ts';
import { argsHash } from './actions.ts';
import { atPage, aTalkingContact, aTalkingVisitor, resetLimitsOf, talk, tokens } from './chats.ts';
import { alive, deadSessions, goodSession, resigned } from './isolation-sessions.ts';

// Every route of visitors, against every other visitor: of the same bot, of another, elsewhere in the same tenant, and of
// another tenant. And with every session that is no longer one.

const operations = walk.operationsOf(api.app.swagger());
const ofVisitors = operations.filter(({ audience }) => audience === 'visitor');
const ofConversations = ofVisitors.filter(({ path }) => 'id' in (path.properties ?? {}));

// ---- who there is

const home = await aTenant({ plan: 'enterprise' });
const bot = await aBot(home);
const { data: environments } = (await home.get('/environments')).json<{ data: { id: string }[] }>();
const elsewhere = environments.find(({ id }) => id !== home.environmentId)?.id ?? '';
await home.post(`/bots/${bot.botId}/deployments`, { environmentId: elsewhere, versionId: bot.versionId });

const me = await aTalkingVisitor(bot, 'my own words');
const contact = await aTalkingContact(home, { text: 'my own words', externalUserId: 'me' });

/** The same visitor, as far as their id goes, but with another session. */
const signed = async (change: Partial<typeof me.session>, of = me.session) => {
  const { sessionToken } = tokens.signSession({ ...of, ...change });
  return tokens.readSession(sessionToken);
};
const { contact: _nobody, ...contactAsVisitor } = contact.session;

const made = await home.post('/bots', { name: 'Second' });
const { bot: second } = made.json<{ bot: { id: typeof home.botId } }>();
const secondBot = await aBot({ ...home, botId: second.id });

const other = await aTenant({ plan: 'enterprise' });
const otherBot = await aBot(other);

type Talked = Awaited<ReturnType<typeof talk>>;

/** Of somebody else, by whose they are. */
const others: Record<string, Talked> = {
  'of another tenant': await aTalkingVisitor(otherBot, 'secret words 1'),
  'of a contact of another tenant': await aTalkingContact(other, { text: 'secret words 2', externalUserId: 'me' }),
  'of another visitor': await aTalkingVisitor(bot, 'secret words 3'),
  'of another contact': await aTalkingContact(home, { text: 'secret words 4', externalUserId: 'you' }),
  'of another bot': await aTalkingVisitor(secondBot, 'secret words 5'),
  'of another environment, by the same user': await aTalkingContact(home, {
    text: 'secret words 8',
    externalUserId: 'me',
    environmentId: elsewhere,
  }),
  'of nobody who is known as a contact, by the same visitor id': await talk(contactAsVisitor, 'secret words 9'),
};
const sayings = /secret words/;

/** Of the same person, at another place: not for this session, but theirs to download and to have erased. */
const elsewhereOf: Record<'visitor' | 'contact', Record<string, Talked>> = {
  visitor: {
    'of the same visitor with another bot': await talk(await signed({ botId: secondBot.botId }), 'my own words'),
    'of the same visitor in another environment': await talk(
      await signed({ environmentId: elsewhere as typeof me.session.environmentId }),
      'my own words',
    ),
  },
  contact: {
    'of the same contact with another bot': await aTalkingContact(
      { ...home, botId: secondBot.botId },
      { text: 'my own words', externalUserId: 'me' },
    ),
  },
};
const foreign = { ...others, ...elsewhereOf.visitor, ...elsewhereOf.contact };

const sides = [
  { name: 'a visitor', headers: me.headers, own: me, elsewhere: elsewhereOf.visitor },
  { name: 'a contact', headers: contact.headers, own: contact, elsewhere: elsewhereOf.contact },
];
const ids = (all: readonly Talked[]) => all.map(({ conversationId }) => conversationId);

// ---- asking

const ask = (operation: Operation, parts: RequestValues, headers: Headers) => {
  const request = walk.requestOf(operation, parts);
  return api.app.inject({ ...request, headers: { ...request.headers, ...headers }, remoteAddress: anIp() });
};

/** A request that goes well with one's own conversation. */
function goodParts(
  { id }: Operation,
  { conversationId, replyId, runId }: Pick<Talked, 'replyId' | 'runId'> & { conversationId: string },
): RequestValues {
  const bodies: Record<string, unknown> = {
    rateConversation: { messageId: replyId, isHelpful: true },
    askForPerson: { reason: 'I want a person' },
    answerConfirmation: { runId, argsHash, isConfirmed: true },
  };
  return { path: { id: conversationId }, query: {}, ...(id in bodies && { body: bodies[id] }) };
}

/** An answer without what differs between any two. */
function comparable({ statusCode, headers, body }: Response) {
  const { 'x-request-id': requestId, date: _date, ratelimit: _ratelimit, ...rest } = headers;
  return { statusCode, headers: rest, body: body.replaceAll(String(requestId), '') };
}
const reasonOf = ({ body }: Response) => (JSON.parse(body) as { error?: { reason?: string } }).error?.reason ?? '';

const nobodys = 'conv_01h45ytscbebyvny4gc8cr8ma2';
const nobodysTalk = {
  conversationId: nobodys,
  replyId: 'msg_01h45ytscbebyvny4gc8cr8ma2',
  runId: 'arun_01h45ytscbebyvny4gc8cr8ma2',
} as const;
let cases = 0;
afterAll(() => console.log(`isolation of visitors: ${ofVisitors.length} addresses, ${cases} cases`));

/** All that is kept of the others. */
const rowsOfOthers = async (all: Record<string, Talked> = foreign) => {
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

test('there are others to ask about, each with words of their own', () => {
  expect(new Set(ids(Object.values(foreign))).size).toBe(10);
  expect(ofConversations.length).toBeGreaterThanOrEqual(5);
});

describe.each(sides)('$name', ({ headers, own, elsewhere: also }) => {
  test.each(ofConversations)(
    '404 as for a missing one, for every conversation that is not theirs: $method $address',
    async (operation) => {
      await resetLimitsOf(own.session.visitorId);
      const before = await rowsOfOthers();
      const accepts: Headers[] = operation.streams ? [{}, { accept: 'text/event-stream' }] : [{}];
      const mine = await ask(operation, goodParts(operation, own), headers);
      expect(mine.statusCode, mine.body).toBe(200);
      for (const accept of accepts) {
        const to = (id: string) => ({ ...goodParts(operation, own), path: { id } });
        const none = await ask(operation, to(nobodys), { ...headers, ...accept });
        expect(none.statusCode).toBe(404);
        for (const [whose, { conversationId }] of Object.entries(foreign)) {
          cases++;
          const response = await ask(operation, to(conversationId), { ...headers, ...accept });
          expect(comparable(response), whose).toEqual(comparable(none));
          expect(broken(operation, response), whose).toBeUndefined();
        }
      }
      expect(await rowsOfOthers()).toEqual(before);
    },
  );

  test('404 as for a missing one, for a message of somebody else in one of their own conversations', async () => {
    const operation = ofConversations.find(({ id }) => id === 'rateConversation');
    if (!operation) throw new Error('nothing can be rated');
    const about = (messageId: string) => ({ ...goodParts(operation, own), body: { messageId, isHelpful: false } });
    const none = await ask(operation, about(nobodys.replace('conv', 'msg')), headers);
    expect(none.statusCode).toBe(404);
    for (const [whose, { replyId }] of Object.entries(foreign)) {
      cases++;
      expect(comparable(await ask(operation, about(replyId), headers)), whose).toEqual(comparable(none));
    }
  });

  test('200: what they download is theirs, and all of it', async () => {
    const response = await send('GET', '/widget/me', headers);
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('my own words');
    expect(response.body).not.toMatch(sayings);
    const { conversations } = response.json<{ conversations: { id: string }[] }>();
    expect(conversations.map(({ id }) => id).toSorted()).toEqual(ids([own, ...Object.values(also)]).toSorted());
  });

  test('403 with their session in a message to another bot, as to one that is missing', async () => {
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

  test('200 brings the conversation back to whom it was given', async () => {
    const { conversation, visitorId } = await open(me.visitorToken);
    expect([conversation?.id, visitorId]).toEqual([me.conversationId, me.session.visitorId]);
  });

  test('200 brings nothing back at another bot, of the same tenant or another', async () => {
    for (const elsewhereBot of [secondBot, otherBot]) {
      const { conversation, visitorId } = await open(me.visitorToken, elsewhereBot);
      expect(conversation).toBeNull();
      expect(visitorId).not.toBe(me.session.visitorId);
    }
  });

  test('200 brings nothing back for what is none: a session token, a changed one, one without a signature', async () => {
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
  test('200 to the good one that the others are made from', async () => {
    for (const token of [goodSession.token, resigned]) {
      const response = await send('GET', '/widget/me', atPage(token));
      expect(response.statusCode, response.body).toBe(200);
    }
  });

  test.each(deadSessions)(
    '401 or 403 at every route of visitors to a session $name',
    async ({ token, origin, due }) => {
      const headers = { authorization: `Bearer ${token}`, origin };
      for (const operation of ofVisitors) {
        cases++;
        const parts = goodParts(operation, nobodysTalk);
        const response = await ask(operation, parts, headers);
        const what = `${operation.method} ${operation.pathTemplate}: ${response.body}`;
        expect({ status: response.statusCode, reasons: [reasonOf(response)] }, what).toEqual(due);
        expect(broken(operation, response), what).toBeUndefined();
      }
    },
  );

  test.each(deadSessions)(
    'the same for a message, and for its renewal: $name',
    async ({ token, botId, origin, due }) => {
      const where = { headers: { origin }, remoteAddress: anIp() };
      const said = await api.app.inject({
        method: 'POST',
        url: `/widget/chatbots/${botId}/message`,
        ...where,
        payload: { sessionToken: token, message: 'Hello' },
      });
      expect({ status: said.statusCode, reasons: [reasonOf(said)] }, said.body).toEqual(due);
      const renewed = await api.app.inject({
        method: 'POST',
        url: '/widget/sessions/refresh',
        ...where,
        payload: { sessionToken: token },
      });
      expect({ status: renewed.statusCode, reasons: [reasonOf(renewed)] }, renewed.body).toEqual(due);
      cases += 2;
    },
  );

  test('401 to every other credential as the bearer of a session', async () => {
    const key = await aKey(alive);
    const bearers: Record<string, Headers> = {
      nobody: {},
      'an owner': alive.headers,
      'somebody of no tenant': (await aUser([])).headers,
      'a server key': key.headers,
      'a widget key': { authorization: `Bearer ${bot.publicKey}` },
      'an operator': (await anOperator()).headers,
      'a password': { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
      'a session in lower case': { authorization: `bearer ${goodSession.token}` },
    };
    for (const [name, headers] of Object.entries(bearers))
      for (const operation of ofVisitors) {
        cases++;
        const parts = goodParts(operation, nobodysTalk);
        const response = await ask(operation, parts, { ...headers, origin: page });
        expect(response.statusCode, `${name} at ${operation.method} ${operation.pathTemplate}: ${response.body}`).toBe(
          401,
        );
      }
  });
});

describe.each(sides)('when $name has everything erased', ({ headers, own, elsewhere: also }) => {
  test('200: their words are gone, and nobody else loses any', async () => {
    const before = await rowsOfOthers(others);
    const response = await send('DELETE', '/widget/me', headers);
    expect(response.json()).toMatchObject({ conversations: 1 + Object.keys(also).length });
    expect(await rowsOfOthers(others)).toEqual(before);
    const left = await send('GET', `/widget/conversations/${own.conversationId}/messages`, headers);
    expect(left.statusCode).toBe(404);
  });
});
