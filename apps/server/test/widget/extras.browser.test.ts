import { afterAll, describe, expect, test } from 'vitest';
import { append } from '../../src/features/conversations/log/log.store.ts';
import { admin, inside } from '../harness.ts';
import { aWidgetSite, onPage } from './fixture.ts';
import {
  aContext,
  aPage,
  answers,
  chatbot,
  eventually,
  messagesOf,
  nextFrame,
  requestsOf,
  sentSoFar,
  storedIn,
} from './helpers.ts';
import { visitorEntry } from './scene.ts';

// What is loaded on demand: the rating of a closed conversation, previous conversations, and receipts of agents.

const site = await aWidgetSite();
afterAll(site.close);
const { tenant } = site;
const question = 'How long does delivery take?';

/** A visitor with an answered question, and their conversation. */
async function aTalk() {
  const visitor = await aPage(site);
  await visitor.open();
  await visitor.ask(question);
  const id = (await messagesOf(site)).at(-1)?.id ?? '';
  return { ...visitor, id };
}
type Talk = Awaited<ReturnType<typeof aTalk>>;
const claim = async ({ id, panel }: Talk) => {
  await tenant.post(`/conversations/${id}/claim`, {});
  await panel.locator('.note', { hasText: 'joined the chat' }).waitFor();
};
const openHistory = async ({ panel }: Pick<Talk, 'panel'>) => {
  await panel.getByRole('button', { name: 'More options' }).click();
  await panel.getByRole('button', { name: 'Previous conversations' }).click();
  await panel.locator('.past').waitFor();
};

test('does not load the extras before they are needed', async () => {
  const { page, open, ask } = await aPage(site);
  const requests = requestsOf(page);
  await open();
  await ask(question);
  expect((await sentSoFar(page, requests)).filter((request) => /extras|proactive/.test(request))).toEqual([]);
});

test('asks for a rating once when the conversation is closed, and stores it with the comment', async () => {
  const talk = await aTalk();
  const { page, context, panel, id } = talk;
  expect(await panel.locator('.face').count()).toBe(0);
  await tenant.post(`/conversations/${id}/close`, {});
  await panel.getByText('How did we do?').waitFor();
  expect(await panel.locator('.face').allInnerTexts()).toEqual(['Terrible', 'Bad', 'Okay', 'Good', 'Great']);
  expect(await panel.locator('.rating textarea').isVisible(), 'the comment comes after the choice').toBe(false);
  await panel.getByRole('radio', { name: 'Good' }).check();
  await panel.locator('.rating textarea').fill('Quick and friendly');
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await context.route('**/rating', async (route) => {
    await isReleased;
    await route.continue();
  });
  const requests = requestsOf(page);
  const send = panel.locator('.rating').getByRole('button', { name: 'Send' });
  await send.click();
  await send.click(); // as long as the first request runs, the second does nothing
  await nextFrame(page);
  release();
  await panel.locator('.rating').getByText('Thank you!').waitFor();
  expect(requests.filter((request) => request.startsWith('POST') && request.endsWith('/rating'))).toHaveLength(1);
  expect(await panel.locator('.face').count()).toBe(0);
  const { rating } = await admin
    .selectFrom('conversations')
    .select('rating')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(rating).toBe(4);
  const [entry] = await admin
    .selectFrom('conversationEvents')
    .select('payload')
    .where('conversationId', '=', id)
    .where('type', '=', 'conversation.rated')
    .execute();
  expect(entry?.payload).toEqual({ rating: 4, comment: 'Quick and friendly' });
});

test('lists previous conversations, newest first, and shows one without changing it', async () => {
  const talk = await aTalk();
  const { page, panel, id, say, field } = talk;
  await tenant.post(`/conversations/${id}/close`, {});
  await panel.locator('.face').first().waitFor();
  await page.reload();
  await field.waitFor(); // it was open
  expect(await panel.locator('.row.visitor').count(), 'a closed one is not continued').toBe(0);
  await say('Do you ship to Norway?');
  await answers(page).first().waitFor();
  await openHistory(talk);
  const entries = panel.locator('.past button');
  expect(await entries.count()).toBe(2);
  expect(await entries.first().innerText()).toContain('Open');
  expect(await entries.last().innerText()).toContain('Closed');
  await entries.last().click();
  await panel.locator('.transcript').getByText(question).waitFor();
  expect(await panel.locator('.transcript .thumb:visible').count(), 'nothing in it can be rated or asked').toBe(0);
  await panel.getByRole('radio', { name: 'Great' }).check();
  await panel.locator('.sheet').getByRole('button', { name: 'Send' }).click();
  await panel.locator('.sheet').getByText('Thank you!').waitFor();
  await panel.getByRole('button', { name: 'Back' }).click();
  await entries.first().click(); // the current one
  await eventually(() => panel.locator('.sheet').isVisible()).toBe(false);
  expect(await panel.locator('.talk .row.visitor').count()).toBe(1);
});

test('shows the agent’s name, initials, typing and what they have seen, reports typing and reading, and groups messages', async () => {
  const talk = await aTalk();
  const { page, panel, id, field, say } = talk;
  const requests = requestsOf(page);
  await claim(talk);
  await tenant.post(`/conversations/${id}/typing`, {});
  await panel.locator('.row.agent.typing').waitFor();
  await tenant.post(`/conversations/${id}/replies`, { text: 'Hello, I am looking.' });
  await panel.locator('.row.agent .text', { hasText: 'Hello' }).waitFor();
  expect(await panel.locator('.row.agent.typing').count(), 'a message ends it').toBe(0);
  expect(await panel.locator('.row.agent strong').first().innerText()).not.toBe('');
  expect(await panel.locator('.row.agent .avatar').first().innerText()).toMatch(/^\p{Lu}{1,2}$/u);
  await eventually(() => requests.includes(`POST /widget/conversations/${id}/read`)).toBe(true);

  await field.pressSequentially('Thanks');
  const typing = () => requests.filter((request) => request.endsWith('/typing')).length;
  await eventually(typing).toBe(1);
  await say('Thanks!');
  await panel.locator('.row.visitor', { hasText: 'Thanks!' }).locator('time:not(:empty)').waitFor(); // it is in the log
  expect(typing(), 'at most every four seconds').toBe(1);
  const { lastSeq } = await admin
    .selectFrom('conversations')
    .select('lastSeq')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(await panel.getByText('Seen').count()).toBe(0);
  await tenant.post(`/conversations/${id}/read`, { seq: lastSeq });
  await panel.locator('.row.visitor').last().getByText('Seen').waitFor();

  // Author and time of two messages are shown once.
  for (const text of ['One', 'Two']) await tenant.post(`/conversations/${id}/replies`, { text });
  const two = panel.locator('.row.agent', { hasText: 'Two' });
  await two.waitFor();
  const one = panel.locator('.row.agent', { hasText: 'One' });
  expect(await one.locator('time').innerText()).toMatch(/\d/);
  const isShown = (row: typeof one) => row.locator('.avatar').isVisible();
  expect([await isShown(one), await isShown(two)]).toEqual([true, false]);
});

test('opens the history in a second tab of the same visitor', async () => {
  const { context } = await aTalk();
  const page = await context.newPage();
  await page.goto(`${site.site.url}/`);
  const { panel, launcher } = onPage(page);
  await launcher.click();
  await panel.locator('.row.visitor').waitFor();
  await openHistory({ panel });
  expect(await panel.locator('.past button').count()).toBe(1);
  expect(Object.keys((await storedIn(page)).local).some((key) => key.includes('about'))).toBe(false);
});

test('shows earlier messages of a long previous conversation on request', async () => {
  const talk = await aTalk();
  const { page, panel, id, field } = talk;
  const entries = Array.from({ length: 120 }, (_, n) => visitorEntry(`Message ${n}`));
  await inside(tenant.tenantId, (ctx) => append(ctx, id, entries));
  await tenant.post(`/conversations/${id}/close`, {});
  await panel.locator('.face').first().waitFor();
  await page.reload();
  await field.waitFor();
  await openHistory(talk);
  await panel.locator('.past button').click();
  const rows = panel.locator('.transcript .row');
  await rows.last().getByText('Message 119').waitFor();
  expect(await rows.count()).toBe(100);
  await panel.getByRole('button', { name: 'Show earlier messages' }).click();
  await eventually(() => rows.count()).toBe(122);
  expect(await rows.first().innerText()).toContain(question);
  expect(await panel.getByRole('button', { name: 'Show earlier messages' }).count()).toBe(0);
});

test('shows that previous conversations are loading, and drops them once the visitor writes', async () => {
  const { context, page, panel, field } = await aTalk();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await context.route('**/widget/conversations', async (route) => {
    await isReleased;
    await route.continue();
  });
  const menu = panel.getByRole('button', { name: 'More options' });
  const busy = () => menu.getAttribute('aria-busy');
  await menu.click();
  const [request] = await Promise.all([
    page.waitForRequest('**/widget/conversations'),
    panel.getByRole('button', { name: 'Previous conversations' }).click(),
  ]);
  expect(await busy()).toBe('true');
  await field.fill('One more thing');
  expect(await busy()).toBe(null);
  release();
  await (await request.response())?.finished();
  await nextFrame(page);
  expect([await panel.locator('.sheet').isVisible(), await field.inputValue()]).toEqual([false, 'One more thing']);
});

describe('the reply time', () => {
  const availability = { isOpen: true, opensAt: null, replyMinutes: 10, awayMessage: null };

  test.each(['', 'data-isolation="iframe"'])(
    'is loaded again once the page is older than five minutes (%s)',
    async (attributes) => {
      const context = await aContext(site);
      let replyMinutes = 10;
      await context.route('**/cdn/config/**', async (route) => {
        const response = await route.fetch();
        const setup = (await response.json()) as object;
        await route.fulfill({ response, json: { ...setup, availability: { ...availability, replyMinutes } } });
      });
      site.site.pages.set('/hours', { html: site.html(site.embed(attributes)) });
      const page = await context.newPage();
      await page.clock.install();
      await page.goto(`${site.site.url}/hours`);
      const { launcher } = onPage(page);
      const inPage = attributes ? page.frameLocator('parley-chat iframe') : page.locator('parley-chat');
      await launcher.click();
      await inPage.locator('.talk textarea').waitFor();
      await chatbot(page, 'close');
      replyMinutes = 20;
      await page.clock.fastForward(301_000);
      await launcher.click();
      await inPage.getByText('Usually replies within 20 minutes').waitFor();
    },
  );

  test('is not loaded if there is none, and is only missing if it can’t be loaded', async () => {
    const { context, page, panel, open } = await aPage(site);
    const requests = requestsOf(page);
    await open();
    await chatbot(page, 'set', { availability: { ...availability, replyMinutes: null } });
    await nextFrame(page);
    expect((await sentSoFar(page, requests)).filter((request) => request.includes('extras'))).toEqual([]);
    await context.route('**/cdn/extras.*', (route) => route.abort());
    const failed = context.waitForEvent('requestfailed');
    await chatbot(page, 'set', { availability });
    await failed;
    await nextFrame(page);
    expect(await panel.locator('.notice').innerText()).toBe('');
  });
});
