import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { aBot, aChatStack, aVisitor, startWorkerInProcess, type TestBot } from '../../../../test/chat/fixture.ts';
import { until, type SendResponse } from '../../../../test/chat/helpers.ts';
import { admin, aSessionKey, aTenant, aUser, inside, openApi, type TestTenant } from '../../../../test/harness.ts';
import { countOf } from '../../../../../../tools/testing/size.ts';
import { readEvents, recompute } from '../../../../test/insights/recompute.ts';
import { withinOneDay } from '../../../../test/one-day.ts';
import { sendAsAgent } from '../../conversations/agent/agents.service.ts';
import { OutcomesQuery, type ConversationOutcome, type Outcomes } from './outcomes.contract.ts';
import { readOutcomes } from './outcomes.service.ts';

const { model, chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
afterAll(async () => {
  await close();
  await worker.stop();
});
await withinOneDay(300);

const known = 'how much is delivery?';
const unknown = 'Do you sell elephants?';

async function aShop(draft: Parameters<typeof aBot>[1] = {}) {
  const tenant = await aTenant();
  const agent = await aUser([{ tenantId: tenant.tenantId, roles: ['agent'] }]);
  return { tenant, agent, bot: await aBot(tenant, draft) };
}
type Shop = Awaited<ReturnType<typeof aShop>>;

const read = async (tenant: TestTenant, query = '') =>
  (await tenant.get(`/insights/outcomes${query}`)).json<Outcomes>();
/** As they will be after a day of silence. */
const readLater = (tenant: TestTenant, ms = 25 * 3_600_000) =>
  inside(tenant.tenantId, (ctx) =>
    readOutcomes({ ...ctx, now: new Date(Date.now() + ms) }, OutcomesQuery.parse({ from: day(-3), to: day(1) })),
  );
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

interface Person {
  say(message: string, more?: object): ReturnType<Awaited<ReturnType<typeof aVisitor>>['say']>;
  post(url: string, body?: object): ReturnType<Awaited<ReturnType<typeof aVisitor>>['post']>;
  /** Of an anonymous visitor. */
  visitorToken?: string;
}

/** A person who the tenant's backend signed in and whose messages it sends. With a token, they were that visitor before. */
async function aBackendVisitor({ tenant }: Shop, visitorToken?: string): Promise<Person> {
  const key = await aSessionKey(tenant);
  const { tenantId, workspaceId, environmentId, botId } = tenant;
  const contact = { externalUserId: `user-${Math.random()}`, email: 'contact@example.com' };
  const opened = await key.post('/widget/sessions/authenticated', {
    tenantId,
    workspaceId,
    environmentId,
    botId,
    ...contact,
  });
  expect(opened.statusCode, opened.body).toBe(200);
  const { sessionToken } = opened.json<{ sessionToken: string }>();
  const headers = { authorization: `Bearer ${sessionToken}` };
  if (visitorToken !== undefined) {
    const merged = await app.inject({
      method: 'POST',
      url: '/widget/conversation',
      headers,
      payload: { visitorToken },
    });
    expect(merged.statusCode, merged.body).toBe(200);
  }
  return {
    say: (message, more = {}) =>
      app.inject({
        method: 'POST',
        url: `/widget/chatbots/${botId}/message`,
        payload: { sessionToken, message, ...more },
      }),
    post: (url, body = {}) => app.inject({ method: 'POST', url, headers, payload: body }),
  };
}

const steps = [
  'known',
  'unknown',
  'hello',
  'thanks',
  'person',
  'up',
  'down',
  'up first',
  'request',
  'identify',
  'claim',
  'answer',
  'system answer',
  'hand back',
  'close',
  'reopen',
  'rate 1',
  'rate 3',
  'rate 4',
  'rate 5',
] as const;
type Step = (typeof steps)[number];

const messages: Partial<Record<Step, string>> = {
  known,
  unknown,
  hello: 'hello',
  thanks: 'thanks a lot',
  person: 'I want to talk to a person',
};

/** Steps that are not possible in the conversation's state are refused, which is fine. */
async function play(shop: Shop, script: { steps: readonly Step[]; isBackend: boolean; language: string | undefined }) {
  let visitor: Person = script.isBackend ? await aBackendVisitor(shop) : await aVisitor(app, shop.bot);
  const { agent, tenant } = shop;
  let conversationId = '';
  let replies: string[] = [];
  for (const step of ['known', ...script.steps] as Step[]) {
    const [widgetUrl, url] = [`/widget/conversations/${conversationId}`, `/conversations/${conversationId}`];
    const text = messages[step];
    if (text !== undefined) {
      const sent = await visitor.say(text, script.language ? { context: { language: script.language } } : {});
      expect(sent.statusCode, sent.body).toBe(200);
      const response = sent.json<SendResponse>();
      if (response.conversationId !== conversationId) replies = [];
      ({ conversationId } = response);
      if (response.reply) replies.push(response.reply.id);
      continue;
    }
    const [kind, value] = step.split(' ');
    if (kind === 'up' || kind === 'down') {
      const messageId = value === 'first' ? replies[0] : replies.at(-1);
      await visitor.post(`${widgetUrl}/rating`, { messageId, isHelpful: kind === 'up' });
    } else if (kind === 'rate') {
      await visitor.post(`${widgetUrl}/rating`, { rating: Number(value), comment: 'As it was' });
    } else if (step === 'identify') {
      if (visitor.visitorToken !== undefined) visitor = await aBackendVisitor(shop, visitor.visitorToken);
    } else if (step === 'request') await visitor.post(`${widgetUrl}/handoff`, {});
    else if (step === 'claim') await agent.post(`${url}/claim`, {});
    else if (step === 'answer') await agent.post(`${url}/replies`, { text: 'Here you are.' });
    else if (step === 'system answer')
      await inside(tenant.tenantId, (ctx) => sendAsAgent(ctx, conversationId, { text: 'Done.', name: 'Shop' })).catch(
        () => {},
      );
    else if (step === 'hand back') await agent.post(`${url}/hand-back`);
    else if (step === 'reopen') await agent.post(`${url}/reopen`);
    else if (step === 'close') await agent.post(`${url}/close`);
  }
  return { visitor, conversationId, replies };
}

const script = fc.record({
  steps: fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...steps.map((step): Step[] => [step])) },
        // Rare by chance alone.
        {
          weight: 1,
          arbitrary: fc.constantFrom<Step[]>(
            ['request', 'claim', 'answer', 'close'],
            ['close', 'known'],
            ['close', 'identify', 'known'],
            ['rate 5', 'request'],
          ),
        },
      ),
      { maxLength: 6 },
    )
    .map((groups) => groups.flat()),
  isBackend: fc.boolean(),
  language: fc.constantFrom('en', 'de', undefined),
});

describe('GET /insights/outcomes', () => {
  test('equals the figures recomputed from GET /events, now and after a day of silence', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 12, maxLength: 12 }), async (scripts) => {
        const shop = await aShop();
        for (const each of scripts) await play(shop, each);
        const events = await readEvents(shop.tenant);
        const [response, later] = [await read(shop.tenant), await readLater(shop.tenant)];
        for (const [figures, now] of [
          [response, Date.now()],
          [later, Date.now() + 25 * 3_600_000],
        ] as const) {
          const { total, bots, channels, languages, busiestHours } = recompute(events, now);
          expect(figures).toMatchObject({ total, busiestHours });
          expect(figures.bots).toMatchObject(bots);
          for (const expected of channels)
            expect(figures.channels.find(({ channel }) => channel === expected.channel)).toMatchObject(expected);
          for (const expected of languages)
            expect(figures.languages.find(({ language }) => language === expected.language)).toMatchObject(expected);
          const { open, resolvedConfirmed, resolvedAssumed, handedOff, abandoned } = figures.total;
          expect(open + resolvedConfirmed + resolvedAssumed + handedOff + abandoned).toBe(figures.total.conversations);
          const { firstResponse, handling } = figures.total;
          const counts = { ...figures.total, firstResponse: firstResponse.count, handling: handling.count };
          for (const [name, value] of Object.entries(counts))
            if (typeof value === 'number' && value > 0) seen.add(name);
        }
      }),
      { numRuns: countOf('OUTCOME_RUNS', { sample: 1, full: 4 }), seed: 26, endOnFailure: true },
    );
    // The scripts are varied enough: every figure was more than zero.
    for (const name of ['abandoned', 'cameBack', 'firstResponse', 'handedOff', 'handling', 'open', 'resolvedAssumed'])
      expect(seen).toContain(name);
  });

  const cases: [Step[], 'resolvedConfirmed' | 'resolvedAssumed' | 'handedOff' | 'abandoned'][] = [
    [[], 'resolvedAssumed'],
    [['thanks'], 'resolvedAssumed'],
    [['unknown'], 'abandoned'],
    [['unknown', 'known'], 'resolvedAssumed'],
    [['rate 5'], 'resolvedConfirmed'],
    [['unknown', 'rate 4'], 'resolvedConfirmed'],
    [['rate 3'], 'resolvedAssumed'],
    [['rate 1'], 'abandoned'],
    [['up'], 'resolvedConfirmed'],
    [['up', 'known'], 'resolvedAssumed'],
    [['known', 'up first'], 'resolvedAssumed'],
    [['up', 'rate 1'], 'abandoned'],
    [['down'], 'abandoned'],
    [['request'], 'abandoned'],
    [['up', 'request'], 'abandoned'],
    [['request', 'up'], 'abandoned'],
    [['rate 5', 'request'], 'abandoned'],
    [['request', 'close', 'rate 5'], 'abandoned'],
    [['request', 'hand back', 'known'], 'resolvedAssumed'],
    [['rate 5', 'request', 'hand back', 'known'], 'resolvedConfirmed'],
    [['request', 'close'], 'abandoned'],
    [['claim'], 'handedOff'],
    [['claim', 'hand back', 'known', 'rate 5'], 'handedOff'],
    [['system answer'], 'handedOff'],
    [['close', 'rate 5'], 'resolvedConfirmed'],
  ];
  let shared: Promise<Shop> | undefined;
  test.each(cases)('counts %j as %s, once', async (played, outcome) => {
    const shop = await (shared ??= aShop());
    const countsOf = async () => {
      const { total } = await readLater(shop.tenant);
      const { conversations, open, resolvedConfirmed, resolvedAssumed, handedOff, abandoned } = total;
      return { conversations, open, resolvedConfirmed, resolvedAssumed, handedOff, abandoned };
    };
    const before = await countsOf();
    await play(shop, { steps: played, isBackend: false, language: undefined });
    expect(await countsOf()).toEqual({
      ...before,
      conversations: before.conversations + 1,
      open: 0,
      [outcome]: before[outcome] + 1,
    });
  });

  test('counts a reply that was being written when an agent was requested as no answer', async () => {
    const shop = await aShop({ answers: { mode: 'model' } });
    const mayEnd = Promise.withResolvers<void>();
    const tokens = ['It', 'costs', '4.90', 'euros.'];
    model.script = () => ({ tokens, everyMs: 1, hold: { at: 1, until: mayEnd.promise } });
    const visitor = await aVisitor(app, shop.bot);
    const [calls, pending] = [model.calls.length, visitor.say(known)];
    await until(() => model.calls.length > calls);
    const { data } = (await shop.tenant.get('/conversations')).json<{ data: { id: string }[] }>();
    const requested = await visitor.post(`/widget/conversations/${data[0]?.id}/handoff`);
    expect(requested.statusCode, requested.body).toBe(200);
    mayEnd.resolve();
    expect((await pending).json<SendResponse>().reply).toMatchObject({ isAnswer: true });
    const later = recompute(await readEvents(shop.tenant), Date.now() + 25 * 3_600_000);
    expect((await readLater(shop.tenant)).total).toMatchObject({ ...later.total, abandoned: 1 });
  });

  test('counts a conversation as open until it is closed, and a rating after closing', async () => {
    const shop = await aShop();
    const { visitor, conversationId } = await play(shop, { steps: [], isBackend: false, language: 'de' });
    expect((await read(shop.tenant)).total).toMatchObject({ conversations: 1, open: 1, resolutionRate: null });
    await shop.agent.post(`/conversations/${conversationId}/close`);
    expect((await read(shop.tenant)).total).toMatchObject({ open: 0, resolvedAssumed: 1, resolutionRate: 1 });
    await visitor.post(`/widget/conversations/${conversationId}/rating`, { rating: 2, comment: 'No.' });
    await visitor.post(`/widget/conversations/${conversationId}/rating`, { rating: 4, comment: 'After all, yes.' });
    const { total, languages } = await read(shop.tenant, '?channel=website&language=de');
    expect(total).toMatchObject({ resolvedAssumed: 0, resolvedConfirmed: 1, csat: { ratings: 1, score: 1 } });
    expect(languages).toMatchObject([{ language: 'de', conversations: 1 }]);
    expect((await read(shop.tenant, '?channel=api')).total.conversations).toBe(0);
    expect((await read(shop.tenant, '?language=en')).total.conversations).toBe(0);
  });

  test('counts a visitor who comes back within 7 days, but not after 8', async () => {
    const shop = await aShop();
    const comeBack = async (days: number) => {
      const { visitor, conversationId } = await play(shop, { steps: ['close'], isBackend: false, language: 'en' });
      const lastMessageAt = new Date(Date.now() - days * 86_400_000);
      await admin.updateTable('conversations').set({ lastMessageAt }).where('id', '=', conversationId).execute();
      await visitor.say(known);
    };
    await comeBack(8);
    expect((await read(shop.tenant)).total).toMatchObject({ conversations: 2, cameBack: 0 });
    await comeBack(6.9);
    expect((await read(shop.tenant)).total).toMatchObject({ conversations: 4, cameBack: 1 });
  });

  test('compares with the period of the same length right before', async () => {
    const shop = await aShop();
    const { tenantId, botId } = shop.tenant;
    const row = { tenantId, botId, channel: 'website', language: 'en', conversations: 3, abandoned: 3 };
    for (const days of [-7, -8, -13, -14])
      await admin
        .insertInto('outcomeDays')
        .values({ ...row, day: day(days) })
        .execute();
    const { total, previous, previousDays } = await read(shop.tenant, `?from=${day(-6)}&to=${day(0)}`);
    expect(total.conversations).toBe(0);
    expect(previous).toMatchObject({ from: day(-13), to: day(-7), conversations: 9, abandoned: 9 });
    expect(previousDays.map((each) => each.day)).toEqual([day(-13), day(-8), day(-7)]);
  });

  test('does not count test conversations, and returns only data of this tenant and bot', async () => {
    const [shop, other] = [await aShop(), await aShop()];
    const tried = await shop.tenant.post(`/bots/${shop.bot.botId}/try`, {});
    const { sessionToken } = tried.json<{ sessionToken: string }>();
    const url = `/widget/chatbots/${shop.bot.botId}/message`;
    await app.inject({ method: 'POST', url, payload: { sessionToken, message: known } });
    expect((await read(shop.tenant)).total.conversations).toBe(0);
    await play(shop, { steps: ['rate 5'], isBackend: false, language: 'en' });
    for (const path of ['conversations', 'comments']) {
      expect((await shop.tenant.get(`/insights/${path}`)).json<{ data: object[] }>().data).toHaveLength(1);
      expect((await other.tenant.get(`/insights/${path}`)).json<{ data: object[] }>().data).toEqual([]);
    }
    expect((await read(other.tenant)).total.conversations).toBe(0);
    expect((await read(shop.tenant, `?botId=${other.bot.botId}`)).total.conversations).toBe(0);
  });

  test('returns 400 for an unknown time zone, and shifts the busiest hours by a known one', async () => {
    const shop = await aShop();
    const { tenantId, botId } = shop.tenant;
    const hours = Array.from({ length: 24 }, (_, hour) => (hour === 23 ? 5 : 0));
    const row = { tenantId, botId, channel: 'website', language: 'en', day: '2026-01-04', hours }; // a Sunday
    await admin.insertInto('outcomeDays').values(row).execute();
    const range = '?from=2026-01-01&to=2026-01-31';
    expect((await read(shop.tenant, range)).busiestHours.counts[6]?.[23]).toBe(5);
    const berlin = await read(shop.tenant, `${range}&timeZone=Europe/Berlin`);
    expect(berlin.busiestHours).toMatchObject({ timeZone: 'Europe/Berlin' });
    expect(berlin.busiestHours.counts[0]?.[0]).toBe(5); // Monday, midnight
    expect((await shop.tenant.get(`/insights/outcomes${range}&timeZone=Mars/One`)).statusCode).toBe(400);
  });
});

describe('GET /insights/conversations and /insights/comments', () => {
  test('lists conversations with their outcome and times, newest first, in pages', async () => {
    const shop = await aShop();
    await play(shop, {
      steps: ['request', 'claim', 'answer', 'close', 'rate 5'],
      isBackend: true,
      language: undefined,
    });
    await play(shop, { steps: ['unknown', 'close'], isBackend: false, language: 'de' });
    await play(shop, { steps: [], isBackend: false, language: 'en' });
    const list = async (query: string) =>
      (await shop.tenant.get(`/insights/conversations${query}`)).json<{
        data: ConversationOutcome[];
        nextCursor: string | null;
      }>();
    const { data } = await list('');
    expect(data).toMatchObject([
      { outcome: 'open', channel: 'website', language: 'en', rating: null, closedAt: null },
      { outcome: 'abandoned', language: 'de' },
      { outcome: 'handed_off', channel: 'api', language: 'en', rating: 5, comment: 'As it was' },
    ]);
    expect(data[2]?.firstResponseMs).toBeGreaterThanOrEqual(0);
    expect(data[2]?.handlingMs).toBeGreaterThanOrEqual(0);
    const first = await list('?limit=2');
    const rest = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect([...first.data, ...rest.data]).toEqual(data);
    expect((await list('?language=de')).data).toHaveLength(1);
    const filtered = await shop.tenant.get('/conversations?language=de&channel=website');
    expect(filtered.json<{ data: { id: string }[] }>().data.map(({ id }) => id)).toEqual([data[1]?.id]);
  });

  test('lists comments newest first, and deletes one with the visitor’s data', async () => {
    const shop = await aShop();
    const rate = async (bot: TestBot, comment: string) => {
      const visitor = await aVisitor(app, bot);
      const { conversationId } = (await visitor.say(known)).json<SendResponse>();
      const rateAgain = (text: string) =>
        visitor.post(`/widget/conversations/${conversationId}/rating`, { rating: 4, comment: text });
      await rateAgain(comment);
      return { ...visitor, rateAgain };
    };
    const first = await rate(shop.bot, 'One');
    const second = await rate(shop.bot, 'Two');
    for (const comment of ['', 'Three']) await rate(shop.bot, comment);
    const list = async (query = '') =>
      (await shop.tenant.get(`/insights/comments${query}`)).json<{
        data: { comment: string }[];
        nextCursor: string | null;
      }>();
    const comments = async () => (await list()).data.map(({ comment }) => comment);
    expect(await comments()).toEqual(['Three', 'Two', 'One']);
    const page = await list('?limit=2');
    await second.rateAgain('Two, now the newest');
    expect((await list(`?limit=2&cursor=${page.nextCursor}`)).data).toMatchObject([{ comment: 'One' }]);
    await first.del('/widget/me');
    expect(await comments()).toEqual(['Two, now the newest', 'Three']);
  });
});
