import { hash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { append } from '../../src/features/conversations/log/log.store.ts';
import { newId } from '../../src/platform/ids.ts';
import { admin, aTenant, inside, send, type Headers, type TestTenant } from '../harness.ts';
import { plantRun } from '../rules/actions.ts';
import { atPage, aTalkingContact, aTalkingVisitor, resetLimitsOf, talk } from '../rules/chats.ts';
import { aBot, type TestBot } from './fixture.ts';

let tenant: TestTenant;
let bot: TestBot;
beforeAll(async () => {
  tenant = await aTenant();
  bot = await aBot(tenant);
});

afterEach(() => void vi.useRealTimers());

type Talking = Awaited<ReturnType<typeof aTalkingVisitor>>;
const logOf = (conversationId: string, type: string) =>
  admin
    .selectFrom('conversationEvents')
    .select(['seq', 'payload'])
    .where('conversationId', '=', conversationId)
    .where('type', '=', type)
    .orderBy('seq')
    .execute();
const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error: { reason: string } }).error.reason;

describe('GET /widget/conversation', () => {
  const find = async (headers: Headers) => {
    const response = await send('GET', '/widget/conversation', headers);
    expect(response.statusCode, response.body).toBe(200);
    return response.json<{ conversation: { id: string; state: string; lastSeq: number } | null }>();
  };

  test('returns null before the first message', async () => {
    const newcomer = await send('POST', '/widget/sessions/anonymous', atPage(''), {
      publicKey: bot.publicKey,
      botId: bot.botId,
      visitorId: 'x',
    });
    expect(await find(atPage(newcomer.json<{ sessionToken: string }>().sessionToken))).toEqual({ conversation: null });
  });

  test('returns the newest conversation with its state and lastSeq, and null once it is closed', async () => {
    const contact = await aTalkingContact(tenant, { text: 'hello', externalUserId: 'goes-on' });
    const visitor = await aTalkingVisitor(bot, 'hello');
    for (const { headers, conversationId, session } of [contact, visitor]) {
      expect(await find(headers)).toEqual({ conversation: { id: conversationId, state: 'bot', lastSeq: 3 } });
      await tenant.post(`/conversations/${conversationId}/claim`, {});
      expect((await find(headers)).conversation).toMatchObject({ id: conversationId, state: 'human' });
      await tenant.post(`/conversations/${conversationId}/close`);
      expect(await find(headers)).toEqual({ conversation: null });
      const next = await talk(session, 'again');
      expect((await find(headers)).conversation?.id).toBe(next.conversationId);
    }
  });

  test('never returns another visitor’s conversation', async () => {
    const contact = await aTalkingContact(tenant, { text: 'hello', externalUserId: 'one' });
    const other = await aTalkingContact(tenant, { text: 'hello', externalUserId: 'two' });
    expect((await find(contact.headers)).conversation?.id).toBe(contact.conversationId);
    expect((await find(other.headers)).conversation?.id).toBe(other.conversationId);
  });
});

describe('POST /widget/conversations/:id/confirm', () => {
  const hashOf = (text: string) => hash('sha256', text);
  const require = (
    { session, conversationId, runId }: Talking,
    more: { argsHash?: string; expiresAt?: Date; isInternal?: boolean } = {},
  ) => {
    const { argsHash = hashOf('shown'), expiresAt = new Date(Date.now() + 60_000), isInternal = false } = more;
    const payload = {
      runId,
      argsHash,
      title: 'Cancel the order?',
      fields: [{ label: 'Order', value: '4711' }],
      expiresAt: expiresAt.toISOString(),
    };
    return inside(session.tenantId, (ctx) =>
      append(ctx, conversationId, [{ type: 'confirmation.required', payload, isInternal }]),
    );
  };
  const answer = ({ headers, conversationId, runId }: Talking, more: object = {}) =>
    send('POST', `/widget/conversations/${conversationId}/confirm`, headers, {
      runId,
      argsHash: hashOf('shown'),
      isConfirmed: true,
      ...more,
    });
  const requestConfirmation = async (more: Parameters<typeof require>[1] = {}) => {
    const chatting = await aTalkingVisitor(bot, 'cancel my order');
    const { conversationId } = chatting;
    const runId = await plantRun(chatting.session, { state: 'awaiting_confirmation', conversationId });
    const visitor = { ...chatting, runId };
    await require(visitor, more);
    return visitor;
  };

  test('logs the request and its response once', async () => {
    for (const isConfirmed of [true, false]) {
      const visitor = await requestConfirmation();
      const log = await send('GET', `/widget/conversations/${visitor.conversationId}/events?after=3`, visitor.headers);
      expect(log.json()).toMatchObject({
        data: [{ seq: 4, type: 'confirmation.required', data: { runId: visitor.runId } }],
      });
      const first = await answer(visitor, { isConfirmed });
      expect(first.statusCode, first.body).toBe(200);
      // A declined run ends immediately, and is reported.
      const lastSeq = isConfirmed ? 5 : 7;
      expect(first.json()).toEqual({ conversation: { id: visitor.conversationId, state: 'bot', lastSeq } });
      const again = await answer(visitor, { isConfirmed });
      expect([again.statusCode, again.body]).toEqual([200, first.body]);
      const written = await logOf(visitor.conversationId, 'confirmation.answered');
      const { runId } = visitor;
      expect(written).toEqual([{ seq: 5, payload: { runId, argsHash: hashOf('shown'), isConfirmed } }]);
    }
  });

  test('returns 404 for an unknown or internal confirmation, one without a run, and another visitor’s conversation', async () => {
    const visitor = await requestConfirmation();
    const missing = await answer(visitor, { runId: 'run-2' });
    expect([missing.statusCode, reasonOf(missing)]).toEqual([404, 'confirmation_not_found']);
    expect((await answer(await requestConfirmation({ isInternal: true }))).statusCode).toBe(404);
    const { runId: ofAnother } = await requestConfirmation();
    for (const runId of [newId('actionRun'), ofAnother]) {
      const shown = { ...(await requestConfirmation()), runId };
      await require(shown);
      expect((await answer(shown)).statusCode).toBe(404); // no run, or one of another conversation
    }
    const other = await aTalkingVisitor(bot, 'hello');
    for (const more of [{}, { argsHash: hashOf('other') }])
      expect((await answer({ ...visitor, headers: other.headers }, more)).statusCode).toBe(404);
    expect(await logOf(visitor.conversationId, 'confirmation.answered')).toEqual([]);
  });

  test('returns 409 arguments_changed when the shown arguments are not the latest', async () => {
    const visitor = await requestConfirmation();
    const wrong = await answer(visitor, { argsHash: hashOf('other') });
    expect([wrong.statusCode, reasonOf(wrong)]).toEqual([409, 'arguments_changed']);
    await require(visitor, { argsHash: hashOf('other') });
    expect(reasonOf(await answer(visitor))).toBe('arguments_changed');
    expect((await answer(visitor, { argsHash: hashOf('other') })).statusCode).toBe(200);
    expect(await logOf(visitor.conversationId, 'confirmation.answered')).toHaveLength(1);
  });

  test('returns 409 confirmation_expired when late, but keeps an earlier response', async () => {
    const late = await answer(await requestConfirmation({ expiresAt: new Date(Date.now() - 1) }));
    expect([late.statusCode, reasonOf(late)]).toEqual([409, 'confirmation_expired']);
    const [visitor, other] = [await requestConfirmation(), await requestConfirmation()];
    expect((await answer(visitor)).statusCode).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(reasonOf(await answer(other))).toBe('confirmation_expired');
    expect((await answer(visitor)).statusCode).toBe(200);
  });

  test('returns 409 already_answered for the opposite response', async () => {
    for (const isConfirmed of [true, false]) {
      const visitor = await requestConfirmation();
      await answer(visitor, { isConfirmed });
      const other = await answer(visitor, { isConfirmed: !isConfirmed });
      expect([other.statusCode, reasonOf(other)]).toEqual([409, 'already_answered']);
      expect(await logOf(visitor.conversationId, 'confirmation.answered')).toHaveLength(1);
    }
  });

  test('writes one of twenty concurrent responses, and returns 200 only to those that agree with it', async () => {
    for (let round = 0; round < 5; round++) {
      const visitor = await requestConfirmation();
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, n) => answer(visitor, { isConfirmed: n % 2 === 0 })),
      );
      const [written, ...more] = await logOf(visitor.conversationId, 'confirmation.answered');
      expect(more).toEqual([]);
      const { isConfirmed } = (written?.payload ?? {}) as { isConfirmed?: boolean };
      expect(all.map(({ statusCode }) => statusCode)).toEqual(
        all.map((_, n) => ((n % 2 === 0) === isConfirmed ? 200 : 409)),
      );
      await resetLimitsOf(visitor.session.visitorId);
    }
  });

  test('returns 400 for an invalid hash, a missing response or unknown fields', async () => {
    const visitor = await requestConfirmation();
    const wrong = [{ argsHash: 'x' }, { argsHash: hashOf('x').toUpperCase() }, { isConfirmed: 'yes' }, { runId: '' }];
    for (const more of [...wrong, { runId: 'x'.repeat(81) }, { args: {} }])
      expect((await answer(visitor, more)).statusCode, JSON.stringify(more)).toBe(400);
  });
});
