import { afterAll, expect, test } from 'vitest';
import { aWidgetSite } from './fixture.ts';
import { aPage, eventually } from './helpers.ts';

// The button is busy only while the chat is loading.

const site = await aWidgetSite();
afterAll(site.close);
const opacity = `getComputedStyle(document.querySelector('parley-chat').shadowRoot.querySelector('button')).opacity`;

test('is not busy after a click when the chat was loaded by hovering', async () => {
  const { page, launcher, panel } = await aPage(site);
  await launcher.hover();
  await panel.waitFor({ state: 'attached' });
  await launcher.click();
  await panel.waitFor();
  await eventually(() => launcher.getAttribute('aria-busy')).toBeNull();
  expect(await page.evaluate(opacity)).toBe('1');
});

test('is not busy after a click by a returning visitor, whose chat is loaded in the background', async () => {
  const { page, launcher, panel, open, ask } = await aPage(site);
  await open();
  await ask('How long does delivery take?');
  await page.evaluate('Chatbot.close()');
  await page.reload();
  await panel.waitFor({ state: 'attached' });
  await page.evaluate('Chatbot.open()');
  await panel.waitFor();
  await eventually(() => launcher.getAttribute('aria-busy')).toBeNull();
  expect(await page.evaluate(opacity)).toBe('1');
});

test('is busy while the chat is loading, and no longer if that fails', async () => {
  const { page, context, launcher } = await aPage(site);
  let fail = () => {};
  const isFailing = new Promise<void>((resolve) => (fail = resolve));
  await context.route(/\/cdn\/chat\./, async (route) => {
    await isFailing;
    await route.abort();
  });
  await launcher.waitFor();
  await page.evaluate('Chatbot.open()');
  await eventually(() => launcher.getAttribute('aria-busy')).toBe('true');
  fail();
  await eventually(() => launcher.getAttribute('aria-busy')).toBeNull();
});
