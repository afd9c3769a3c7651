import { afterAll, describe, expect, test } from 'vitest';
import { aWidgetSite, onPage, openPage } from './fixture.ts';
import { aContext, aPage, chatbot, eventually, nextFrame, nothingStored, requestsOf, storedIn } from './helpers.ts';

// Messages next to the button: shown by rules, and at most as often as they say.

const rules = [
  { id: 'pricing', message: 'Questions about prices?', when: { urlContains: '/pricing' }, maxPerVisitor: 2 },
  { id: 'late', message: 'Can I help?', when: { urlContains: '/late', secondsOnPage: 60 } },
  { id: 'deep', message: 'Still reading?', when: { urlContains: '/long', scrollPercent: 50 } },
  { id: 'back', message: 'Welcome back!', when: { urlContains: '/back', returning: true } },
  { id: 'home', message: 'Hello there!', when: { urlContains: '/home' } },
];
const site = await aWidgetSite({ proactive: rules });
afterAll(site.close);
const key = `cb:${site.bot.botId}`;
const question = 'How long does delivery take?';
const at = (path: string, attributes = '', inside = '') =>
  aPage(site, site.html(inside + site.embed(attributes)), path);
/** Long enough for several checks of the rules. */
const wait = 1_500;

test('is shown once per visitor, and not again on the next page or in the next tab', async () => {
  const { page, context } = await at('/home');
  const tip = page.locator('parley-chat .tip');
  await tip.getByText('Hello there!').waitFor();
  await page.reload();
  await onPage(page).launcher.waitFor();
  await page.waitForTimeout(wait);
  expect(await tip.count()).toBe(0);
  const other = await openPage(context, `${site.site.url}/home`);
  await onPage(other).launcher.waitFor();
  await other.waitForTimeout(wait);
  expect(await other.locator('parley-chat .tip').count()).toBe(0);
});

test('is shown as often as maxPerVisitor says', async () => {
  const { page } = await at('/pricing');
  const tip = page.locator('parley-chat .tip');
  await tip.waitFor();
  await page.reload();
  await tip.waitFor();
  await page.reload();
  await onPage(page).launcher.waitFor();
  await page.waitForTimeout(wait);
  expect(await tip.count()).toBe(0);
});

test('opens the chat with the message, and can be dismissed', async () => {
  const { page, panel, launcher } = await at('/pricing');
  const tip = page.locator('parley-chat .tip');
  await tip.getByRole('button', { name: 'Dismiss' }).click();
  expect(await tip.count()).toBe(0);
  expect(await launcher.evaluate((node) => node.matches(':focus'))).toBe(true);
  await page.reload();
  await tip.getByRole('button', { name: 'Questions about prices?' }).click();
  await panel.waitFor();
  expect(await tip.count()).toBe(0);
  await eventually(() => panel.locator('.row.bot').first().innerText()).toContain('Questions about prices?');
});

describe('conditions', () => {
  test('time on the page', async () => {
    const context = await aContext(site);
    site.site.pages.set('/late', { html: site.html(site.embed()) });
    await context.addInitScript('delete Element.prototype.checkVisibility'); // Safari before 17.4 has none
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${site.site.url}/late`);
    await onPage(page).launcher.waitFor();
    await page.evaluate(`window.added = [], void new MutationObserver((records) => {
      for (const { addedNodes } of records) for (const { className, innerHTML } of addedNodes) added.push([className, innerHTML]);
    }).observe(document.querySelector('parley-chat').shadowRoot, { childList: true })`);
    const tip = page.locator('parley-chat .tip');
    await page.clock.runFor(30_000);
    expect(await tip.count()).toBe(0);
    await page.clock.runFor(31_000);
    await tip.getByText('Can I help?').waitFor();
    expect(await page.evaluate('added'), 'a status region is announced if it is filled later').toEqual([['tip', '']]);
  });

  test('time on each page of a single-page application, which removes the message of the previous one', async () => {
    const context = await aContext(site);
    for (const path of ['/home', '/start']) site.site.pages.set(path, { html: site.html(site.embed()) });
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${site.site.url}/start`);
    const { launcher } = onPage(page);
    await launcher.waitFor();
    const tip = page.locator('parley-chat .tip');
    await page.clock.runFor(61_000);
    await page.evaluate(`history.pushState({}, '', '/late')`);
    await page.clock.runFor(30_000);
    expect(await tip.count(), 'it counts from here').toBe(0);
    await page.clock.runFor(31_000);
    await tip.getByText('Can I help?').waitFor();
    await page.evaluate(`history.pushState({}, '', '/home')`);
    await page.clock.runFor(1_000);
    expect(await tip.allInnerTexts()).toEqual(['Hello there!']);
    await tip.getByRole('button', { name: 'Dismiss' }).press('Escape');
    expect(await tip.count()).toBe(0);
    expect(await launcher.evaluate((node) => node.matches(':focus'))).toBe(true);
    await page.evaluate(`history.pushState({}, '', '/late')`);
    await page.clock.runFor(62_000);
    expect(await tip.count(), 'it was shown once').toBe(0);
  });

  test('scroll depth', async () => {
    const { page, launcher } = await at('/long', '', '<div style="height:4000px"></div>');
    await launcher.waitFor();
    const tip = page.locator('parley-chat .tip');
    await page.waitForTimeout(wait);
    expect(await tip.count()).toBe(0);
    await page.evaluate('scrollTo(0, 2500)');
    await tip.getByText('Still reading?').waitFor();
  });

  test('a returning visitor', async () => {
    const { page, launcher } = await at('/back');
    await launcher.waitFor();
    const tip = page.locator('parley-chat .tip');
    await page.waitForTimeout(wait);
    expect(await tip.count(), 'the first visit').toBe(0);
    await page.evaluate(`localStorage['${key}'] = localStorage['${key}'].replace(/\\d{10,}/, (at) => at - 3_600_000)`);
    await page.reload();
    await tip.getByText('Welcome back!').waitFor();
  });
});

test('is not shown while the chat is open, or while a conversation is', async () => {
  const { page, launcher, panel, ask } = await at('/quiet');
  site.site.pages.set('/home', { html: site.html(site.embed()) });
  await launcher.click();
  await panel.waitFor();
  await page.evaluate(`history.pushState({}, '', '/home')`);
  await page.waitForTimeout(wait);
  const tip = page.locator('parley-chat .tip');
  expect(await tip.count(), 'the chat is open').toBe(0);
  await ask(question);
  await chatbot(page, 'close');
  await page.waitForTimeout(wait);
  expect(await tip.count(), 'closed, with an open conversation').toBe(0);
  await page.reload();
  await launcher.waitFor();
  await page.waitForTimeout(wait * 2);
  expect(await tip.count(), 'on the next page').toBe(0);
});

test('stores nothing and shows nothing until consent is given, and reset removes the count', async () => {
  const { page, launcher } = await at('/home', 'data-consent="required"');
  const tip = page.locator('parley-chat .tip');
  await launcher.waitFor();
  await page.waitForTimeout(wait);
  expect(await tip.count()).toBe(0);
  expect(await storedIn(page)).toEqual(nothingStored);
  await chatbot(page, 'consent', true);
  await tip.waitFor();
  expect(Object.keys((await storedIn(page)).local)).toEqual([key]);
  await chatbot(page, 'reset');
  await nextFrame(page);
  expect(await storedIn(page)).toEqual(nothingStored);
});

test('in an iframe, withdrawn consent and deleted data also remove the count on the page', async () => {
  const { page, launcher } = await at('/home', 'data-consent="required" data-isolation="iframe"');
  const inside = page.frameLocator('parley-chat iframe');
  const tip = page.locator('parley-chat .tip');
  await launcher.waitFor();
  await chatbot(page, 'consent', true);
  await tip.getByText('Hello there!').click();
  await inside.locator('.talk textarea').waitFor();
  expect(Object.keys((await storedIn(page)).local)).toEqual([key]);
  await chatbot(page, 'consent', false);
  await eventually(() => storedIn(page)).toEqual(nothingStored);

  await chatbot(page, 'consent', true);
  await page.evaluate(
    `localStorage['${key}'] = JSON.stringify({ at: Date.now(), isReturning: false, shown: { home: 1 } })`,
  );
  await inside.locator('.talk textarea').fill(question);
  await inside.locator('.talk textarea').press('Enter');
  await inside.locator('.thumb').first().waitFor();
  await inside.getByRole('button', { name: 'More options' }).click();
  await inside.getByRole('button', { name: 'Delete my data' }).click();
  await inside.getByRole('button', { name: 'Delete everything' }).click();
  await inside.getByText('Your data has been deleted.').waitFor();
  await eventually(async () => (await storedIn(page)).local).toEqual({});
});

test('does not load the chat on the next page', async () => {
  const { page, launcher } = await at('/home');
  await page.locator('parley-chat .tip').waitFor();
  const requests = requestsOf(page);
  await page.reload();
  await launcher.waitFor();
  await page.waitForTimeout(wait);
  expect(requests.filter((request) => request.includes('/cdn/chat.'))).toEqual([]);
  expect(requests.filter((request) => request.includes('/cdn/proactive.'))).toHaveLength(1);
});
