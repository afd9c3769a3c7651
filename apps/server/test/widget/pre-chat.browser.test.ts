import { afterAll, expect, test } from 'vitest';
import { admin } from '../harness.ts';
import { aWidgetSite } from './fixture.ts';
import { aBackend, aPage, answers, chatbot, eventually, messagesOf, nothingStored, storedIn } from './helpers.ts';

// The form before the first message.

const preChat = { fields: ['name', 'email'], isRequired: true };
const site = await aWidgetSite({ preChat, quickReplies: ['Refunds?'] });
afterAll(site.close);
const question = 'How long does delivery take?';
const visitorOf = async (text: string) => {
  const visitorId = (await messagesOf(site)).findLast((message) => message.text === text)?.visitorId ?? '';
  return admin.selectFrom('visitors').select(['name', 'email']).where('id', '=', visitorId).executeTakeFirst();
};

test('asks for name and email first, and stores both with the visitor, not before the first message', async () => {
  const { page, panel, launcher, field, say } = await aPage(site);
  await launcher.click();
  const form = panel.locator('.card form');
  await form.waitFor();
  expect([await field.isVisible(), await panel.locator('.quick').count()]).toEqual([false, 0]);
  await form.getByRole('button', { name: 'Start chat' }).click();
  expect(await form.isVisible(), 'both are required').toBe(true);
  await form.getByLabel('Your name').fill('  Ada Lovelace ');
  await form.getByLabel('Your email').fill('ada@example.com');
  await form.getByRole('button', { name: 'Start chat' }).click();
  await field.waitFor();
  expect(await storedIn(page)).toEqual(nothingStored);
  await say(`${question} 1`);
  await answers(page).first().waitFor();
  expect(await visitorOf(`${question} 1`)).toEqual({ name: 'Ada Lovelace', email: 'ada@example.com' });
  await page.reload();
  await panel.locator('.row.visitor').waitFor();
  expect(await form.count(), 'it is asked once').toBe(0);
});

test('keeps a message of the page in the field until the form is filled in', async () => {
  const { page, panel, field } = await aPage(site);
  await chatbot(page, 'send', `${question} 2`);
  const form = panel.locator('.card form');
  await form.getByLabel('Your name').fill('Grace');
  await form.getByLabel('Your email').fill('grace@example.com');
  await form.getByRole('button', { name: 'Start chat' }).click();
  expect(await field.inputValue()).toBe(`${question} 2`);
  await field.press('Enter');
  await answers(page).first().waitFor();
  expect(await visitorOf(`${question} 2`)).toEqual({ name: 'Grace', email: 'grace@example.com' });
});

test('does not ask a user whom the page identifies', async () => {
  const { page, panel, field } = await aPage(site);
  const backend = await aBackend(site);
  const { sessionToken } = await backend.sessionFor('known');
  await page.evaluate(`Chatbot.identify({ getToken: () => (${JSON.stringify({ sessionToken })}) }); Chatbot.open()`);
  await field.waitFor();
  await eventually(() => panel.locator('.card form').count()).toBe(0);
});

test('appears by itself once its code can be loaded, and shows what is wrong until then', async () => {
  const { context, panel, launcher } = await aPage(site);
  let isDown = true;
  await context.route('**/cdn/extras.*', (route) => (isDown ? route.abort() : route.continue()));
  await launcher.click();
  const card = panel.locator('.log > .card');
  await card.getByText('That didn’t work.').waitFor();
  await panel.getByRole('button', { name: 'More options' }).click();
  await eventually(() => panel.locator('.notice').innerText()).toBe('That didn’t work.');
  isDown = false;
  await card.locator('form').waitFor();
  expect(await card.innerText()).not.toContain('That didn’t work.');
});

test('can be skipped unless it is required', async () => {
  const { page, panel, launcher, field, say } = await aPage(site);
  await launcher.waitFor();
  await chatbot(page, 'set', { preChat: { fields: ['email'], isRequired: false } });
  await launcher.click();
  await page.evaluate('delete Element.prototype.checkVisibility'); // Safari before 17.4 has none
  await panel.getByRole('button', { name: 'Skip' }).click();
  await field.waitFor();
  await eventually(() => field.evaluate((node) => node.matches(':focus'))).toBe(true);
  await say(`${question} 3`);
  await answers(page).first().waitFor();
  expect(await visitorOf(`${question} 3`)).toEqual({ name: null, email: null });
});
