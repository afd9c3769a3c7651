import { afterAll, describe, expect, test } from 'vitest';
import { aBot, aChatStack, aVisitor, startWorkerInProcess, type TestBot } from '../../../test/chat/fixture.ts';
import type { SendResponse } from '../../../test/chat/helpers.ts';
import { admin, aTenant, aUser, inside, openApi, type TestTenant } from '../../../test/harness.ts';
import { withinOneDay } from '../../../test/one-day.ts';
import { purgeConversations } from '../conversations/index.ts';
import { purgeOldQuestions } from './insights.service.ts';
import { newId } from '../../platform/ids.ts';
import { countHelpful, countRating } from './index.ts';

const { chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close, platform } = await openApi(chatSettings);
afterAll(async () => {
  await close();
  await worker.stop();
});

interface Figures {
  conversations: number;
  handedOff: number;
  ratings: object;
  helpful: object;
  responseMs: { average: number | null; p50: number | null; p95: number | null };
}
interface InsightsResponse {
  days: (Figures & { day: string; botId: string })[];
  total: Figures;
  topSources: object[];
}
const read = async (tenant: TestTenant, query = '') => (await tenant.get(`/insights${query}`)).json<InsightsResponse>();
interface Question {
  question: string;
  times: number;
  conversationId: string;
  lastAskedAt: string;
}
const unanswered = async (tenant: TestTenant, query = '') =>
  (await tenant.get(`/insights/unanswered${query}`)).json<{ data: Question[]; nextCursor: string | null }>();

const ok = (response: { statusCode: number; body: string }) =>
  expect(response.statusCode, response.body).toBeLessThan(300);
await withinOneDay();
const today = new Date().toISOString().slice(0, 10);
const known = 'how much is delivery?';
const unknown = 'Do you sell elephants?';
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

async function aShop() {
  const tenant = await aTenant();
  return { tenant, bot: await aBot(tenant) };
}
/** A conversation in which a visitor has sent these messages. */
async function aChat(bot: TestBot, ...texts: string[]) {
  const visitor = await aVisitor(app, bot);
  const sent: SendResponse[] = [];
  for (const text of texts) {
    const response = await visitor.say(text);
    ok(response);
    sent.push(response.json<SendResponse>());
  }
  const conversationId = sent[0]?.conversationId ?? '';
  return { visitor, sent, conversationId, conversationUrl: `/widget/conversations/${conversationId}` };
}

describe('GET /insights', () => {
  test('counts conversations, answers, unanswered questions, citations and response times', async () => {
    const { tenant, bot } = await aShop();
    await aChat(bot, known, 'and refunds?', unknown, 'Do you sell tigers?');
    await aChat(bot, known);
    const { days, total, topSources } = await read(tenant);
    expect(days).toHaveLength(1);
    expect(days[0]).toMatchObject({ day: today, botId: bot.botId, conversations: 2, messages: 5 });
    expect(total).toMatchObject({ conversations: 2, messages: 5, answered: 3, unanswered: 2, handedOff: 0, closed: 0 });
    expect(topSources).toEqual([{ sourceId: bot.sourceId, name: 'Help', citations: 3 }]);
    const { average, p50, p95 } = total.responseMs;
    expect(average).toBeGreaterThan(0);
    expect(p50).toBeGreaterThan(0);
    expect(p95).toBeGreaterThanOrEqual(p50 ?? 0);
  });

  test('counts a handoff once per conversation, whether requested or claimed', async () => {
    const { tenant, bot } = await aShop();
    const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
    const [requested, claimed] = [await aChat(bot, unknown), await aChat(bot, known)];
    await aChat(bot, known);
    ok(await requested.visitor.post(`${requested.conversationUrl}/handoff`, {}));
    for (const { conversationId } of [requested, claimed]) {
      ok(await agent.post(`/conversations/${conversationId}/claim`, {}));
      ok(await agent.post(`/conversations/${conversationId}/hand-back`));
    }
    ok(await requested.visitor.post(`${requested.conversationUrl}/handoff`, {}));
    for (let twice = 0; twice < 2; twice++) ok(await agent.post(`/conversations/${claimed.conversationId}/close`));
    const { total } = await read(tenant);
    expect(total).toMatchObject({ conversations: 3, handedOff: 2, closed: 1 });
  });

  test('counts only the latest rating of each conversation and reply', async () => {
    const { tenant, bot } = await aShop();
    const [one, two] = [await aChat(bot, known), await aChat(bot, known)];
    const messageId = one.sent[0]?.reply?.id;
    for (const rating of [1, 5]) ok(await one.visitor.post(`${one.conversationUrl}/rating`, { rating }));
    ok(await two.visitor.post(`${two.conversationUrl}/rating`, { rating: 2 }));
    for (const isHelpful of [true, true, false])
      ok(await one.visitor.post(`${one.conversationUrl}/rating`, { messageId, isHelpful }));
    const { total } = await read(tenant);
    expect(total).toMatchObject({ ratings: { count: 2, average: 3.5 }, helpful: { up: 0, down: 1 } });
  });

  test('counts ten concurrent ratings once', async () => {
    const { tenant, bot } = await aShop();
    const { visitor, conversationUrl } = await aChat(bot, known);
    await Promise.all(Array.from({ length: 10 }, () => visitor.post(`${conversationUrl}/rating`, { rating: 4 })));
    expect((await read(tenant)).total.ratings).toEqual({ count: 1, average: 4 });
  });

  test('corrects a changed rating on the day it was counted, and never goes below zero', async () => {
    const tenant = await aTenant();
    const { tenantId, botId } = tenant;
    const conversation = { id: 'conv', botId, isTest: false };
    const yesterday = dayBefore(1);
    await admin
      .insertInto('usageDays')
      .values({ tenantId, botId, day: yesterday, ratings: 1, ratingSum: 5, helpfulUp: 1 })
      .execute();
    await inside(tenantId, async (ctx) => {
      expect(await countRating(ctx, { ...conversation, rating: 5, ratedOn: yesterday }, 2)).toBe(yesterday);
      const noonOf = (day: string) => new Date(`${day}T12:00:00Z`);
      for (const day of [yesterday, dayBefore(3), dayBefore(3), dayBefore(4)])
        await countHelpful(ctx, conversation, false, { isHelpful: true, at: noonOf(day) });
      await countHelpful(ctx, conversation, false, { isHelpful: false, at: noonOf(yesterday) }); // the same again
    });
    const byDay = Object.fromEntries((await read(tenant)).days.map((day) => [day.day, day]));
    expect(byDay[yesterday]).toMatchObject({ ratings: { count: 1, average: 2 }, helpful: { up: 0, down: 0 } });
    expect(byDay[today]).toMatchObject({ ratings: { count: 0, average: null }, helpful: { up: 0, down: 4 } });
    for (const day of [3, 4]) expect(byDay[dayBefore(day)]).toMatchObject({ helpful: { up: 0, down: 0 } });
  });

  test('does not count test conversations', async () => {
    const { tenant, bot } = await aShop();
    const tried = await tenant.post(`/bots/${bot.botId}/try`, {});
    ok(tried);
    const { sessionToken } = tried.json<{ sessionToken: string }>();
    const say = (message: string) =>
      app.inject({
        method: 'POST',
        url: `/widget/chatbots/${bot.botId}/message`,
        payload: { sessionToken, message },
      });
    const first = await say(unknown);
    ok(first);
    const { conversationId, reply } = (await say(known)).json<SendResponse>();
    expect(reply?.isAnswer).toBe(true);
    const headers = { authorization: `Bearer ${sessionToken}` };
    const post = (what: string, payload: object) =>
      app.inject({ method: 'POST', url: `/widget/conversations/${conversationId}/${what}`, headers, payload });
    ok(await post('rating', { rating: 1 }));
    ok(await post('rating', { messageId: reply?.id, isHelpful: false }));
    ok(await post('handoff', {}));
    ok(await tenant.post(`/conversations/${conversationId}/close`));
    expect(await read(tenant)).toMatchObject({ days: [], topSources: [] });
    expect((await unanswered(tenant)).data).toEqual([]);
  });

  test('returns only data of this tenant and bot, and 400 for an invalid range', async () => {
    const [{ tenant, bot }, other] = [await aShop(), await aShop()];
    await aChat(bot, known, unknown);
    expect((await read(other.tenant)).days).toEqual([]);
    expect((await unanswered(other.tenant)).data).toEqual([]);
    const nobody = newId('bot');
    expect(await read(tenant, `?botId=${nobody}`)).toMatchObject({ days: [], topSources: [] });
    expect((await unanswered(tenant, `?botId=${nobody}`)).data).toEqual([]);
    expect((await read(tenant, `?to=${dayBefore(1)}`)).days).toEqual([]);
    for (const query of ['?from=2020-01-01&to=2026-01-01', '?from=2026-01-02&to=2026-01-01'])
      for (const path of ['/insights', '/insights/unanswered'])
        expect((await tenant.get(`${path}${query}`)).json()).toMatchObject({ error: { reason: 'invalid_range' } });
  });
});

describe('GET /insights/unanswered', () => {
  test('groups questions that differ only in form, most frequent first, in pages', async () => {
    const { tenant, bot } = await aShop();
    const first = await aChat(bot, 'Do you sell tigers?', unknown);
    const second = await aChat(bot, '  do you SELL... elephants!!', '???');
    await admin
      .insertInto('unansweredQuestions')
      .values({
        tenantId: tenant.tenantId,
        botId: bot.botId,
        day: dayBefore(2),
        questionKey: 'another',
        example: 'x'.repeat(300),
        times: 7,
        conversationId: first.conversationId,
        askedAt: new Date(`${dayBefore(2)}T12:00:00Z`),
      })
      .execute();
    const { data } = await unanswered(tenant);
    expect(data).toMatchObject([
      { botId: bot.botId, question: 'x'.repeat(300), times: 7 },
      { question: 'do you SELL... elephants!!', times: 2, conversationId: second.conversationId },
      { question: 'Do you sell tigers?', times: 1, conversationId: first.conversationId },
    ]);
    const pages: Question[] = [];
    for (let cursor = ''; ;) {
      const page = await unanswered(tenant, `?limit=1${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.data);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(pages).toEqual(data);
    const wrong = await tenant.get('/insights/unanswered?cursor=bm9wZQ');
    expect(wrong.json()).toMatchObject({ error: { reason: 'invalid_cursor' } });
  });

  test('truncates a question to 300 characters', async () => {
    const { tenant, bot } = await aShop();
    await aChat(bot, `zzyx ${'qwv '.repeat(400)}`);
    expect((await unanswered(tenant)).data[0]?.question).toHaveLength(300);
  });

  test('deletes questions with the visitor’s data, with the conversation, and after 90 days', async () => {
    const { tenant, bot } = await aShop();
    const [erased, expired, stays] = [
      await aChat(bot, 'Do you sell lions?'),
      await aChat(bot, 'Do you sell bears?'),
      await aChat(bot, unknown),
    ];
    ok(await erased.visitor.del('/widget/me'));
    const questions = async () => (await unanswered(tenant)).data.map(({ question }) => question);
    expect((await questions()).toSorted()).toEqual(['Do you sell bears?', unknown]);
    await admin
      .updateTable('conversations')
      .set({ expiresAt: new Date(0) })
      .where('id', '=', expired.conversationId)
      .execute();
    const old = { questionKey: 'old', example: 'old', conversationId: stays.conversationId, askedAt: new Date() };
    const { tenantId } = tenant;
    for (const days of [89, 92])
      await admin
        .insertInto('unansweredQuestions')
        .values({ tenantId, botId: bot.botId, day: dayBefore(days), ...old })
        .execute();
    await purgeConversations(platform.services);
    await purgeOldQuestions(platform.services);
    expect(await questions()).toEqual([unknown]);
    const rows = await admin.selectFrom('unansweredQuestions').select('day').where('tenantId', '=', tenantId).execute();
    expect(rows).toHaveLength(2); // of today, and of 89 days ago
  });
});
