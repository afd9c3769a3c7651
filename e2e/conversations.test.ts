import { expect, test } from 'vitest';
import { aBrowser, demo, signIn } from './browser.ts';
import { aChat, aColleague, post, requestHandoff } from './people.ts';
import { open } from './steps.ts';

const messagesOf = async (sessionToken: string, conversationId: string) => {
  const headers = { authorization: `Bearer ${sessionToken}`, origin: new URL(demo.siteUrl).origin };
  const response = await fetch(`${demo.apiUrl}/widget/conversations/${conversationId}/messages`, { headers });
  return ((await response.json()) as { data: { text: string }[] }).data.map(({ text }) => text);
};

test('finds a conversation by its text and by its state, and shows the sources of the bot’s answer', async () => {
  const tag = `zeppelin${crypto.randomUUID().slice(0, 6)}`;
  const { conversationId } = await aChat(`I am ${tag}`, 'How long does delivery take?');
  const waiting = await aChat(`Do you sell a ${tag}?`);
  await requestHandoff(waiting);
  const { page, problems } = await aBrowser();
  await signIn(page);
  const find = async (query: string) => {
    await page.goto(`${demo.portalUrl}/conversations?${query}`);
    return page
      .locator('a[href^="/conversations/conv_"]')
      .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname.slice(15)));
  };
  await expect.poll(() => find(`q=${tag}`)).toHaveLength(2);
  expect(await find(`q=${tag}&state=waiting_human`)).toEqual([waiting.conversationId]);
  expect(await find(`q=${conversationId}`)).toEqual([conversationId]);
  expect(await find(`q=${tag}${tag}`)).toEqual([]);
  await page.getByText('No results').waitFor();

  await open(page, '/conversations');
  await page.getByRole('button', { name: 'Rating', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByRole('button', { name: 'Rating', exact: true }).click();
  await page.getByRole('menuitem', { name: '5 out of 5' }).click();
  await page.waitForURL(/rating=5/);
  await page.getByRole('button', { name: 'Fewer filters' }).click();
  await page.getByRole('button', { name: 'Rating: 5 out of 5' }).waitFor(); // one that is in use stays

  await page.goto(`${demo.portalUrl}/conversations/${conversationId}`);
  await page
    .locator('article[data-role=bot]')
    .getByText(/Sources: \[1\] Help/)
    .waitFor();
  expect(problems).toEqual([]);
});

test('shows a note to colleagues live and never to the visitor; an agent can reply, a viewer sees which roles can', async () => {
  const chat = await aChat('Can I send it back?');
  const [agent, viewer] = [await aBrowser(), await aBrowser()];
  await signIn(agent.page, await aColleague('agent'));
  await signIn(viewer.page, await aColleague('viewer'));
  for (const { page } of [agent, viewer]) {
    await page.goto(`${demo.portalUrl}/conversations/${chat.conversationId}`);
    await page.getByRole('log').waitFor();
  }
  expect(await viewer.page.getByRole('button', { name: 'Take over' }).isDisabled()).toBe(true);
  expect(await viewer.page.getByRole('checkbox', { name: /Select the conversation/ }).count()).toBe(0);
  await viewer.page
    .getByText(/Only owners, admins or agents can do this/)
    .first()
    .waitFor();

  await agent.page.getByLabel('Internal note').fill('He called before, be kind.');
  await agent.page.getByRole('button', { name: 'Add note' }).click();
  await viewer.page.locator('article[data-role=note]').getByText('be kind').waitFor();
  await agent.page.getByRole('button', { name: 'Take over' }).click();
  await agent.page.locator('textarea[aria-label="Reply to visitor"]').fill('Yes, within 30 days.');
  await agent.page.keyboard.press('Control+Enter');
  await viewer.page.locator('article[data-role=agent]').getByText('within 30 days').waitFor();
  const messages = await messagesOf(chat.sessionToken, chat.conversationId);
  expect(messages.join('\n')).toContain('Yes, within 30 days.');
  expect(messages.join('\n')).not.toContain('be kind');
});

test('a reply that is still being sent stays in its conversation, and so does a draft, while another one is open', async () => {
  const mark = `walrus${crypto.randomUUID().slice(0, 6)}`;
  const chats = [await aChat(`First ${mark}`), await aChat(`Second ${mark}`)] as const;
  for (const chat of chats) await requestHandoff(chat);
  const [first, second] = chats;
  const { page, problems } = await aBrowser();
  await signIn(page, await aColleague('agent'));
  const row = (id: string) => page.locator(`a[href^="/conversations/${id}?"]`);
  await expect
    .poll(async () => {
      await open(page, `/conversations?q=${mark}`);
      return (await row(first.conversationId).count()) + (await row(second.conversationId).count());
    })
    .toBe(2);
  const show = async ({ conversationId }: { conversationId: string }, text: string) => {
    await row(conversationId).click();
    await page.getByRole('log').getByText(text).waitFor();
  };
  for (const [n, name] of ['First', 'Second'].entries()) {
    await show(chats[n as 0 | 1], `${name} ${mark}`);
    await page.getByRole('button', { name: 'Take over', exact: true }).click();
    await page.getByText('Assigned to you').waitFor();
  }
  await show(first, `First ${mark}`);
  const [held, attempted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(`**/api/conversations/${first.conversationId}/replies`, async (route) => {
    attempted.resolve();
    await held.promise;
    await route.continue();
  });
  const composer = page.locator('textarea[aria-label="Reply to visitor"]');
  const log = page.getByRole('log');
  await composer.fill('For the first visitor');
  await page.keyboard.press('Control+Enter');
  await composer.fill('Half a sentence');
  await attempted.promise;
  await log.getByText('Sending…').waitFor();

  await show(second, `Second ${mark}`);
  expect(await log.getByText('For the first visitor').count()).toBe(0);
  expect(await composer.inputValue()).toBe('');
  await composer.fill('For the second visitor');
  await page.keyboard.press('Control+Enter');
  await log.locator('article[data-role=agent]').getByText('For the second visitor').waitFor();
  held.resolve();
  const repliesIn = async ({ sessionToken, conversationId }: (typeof chats)[number]) =>
    (await messagesOf(sessionToken, conversationId)).filter((text) => text.startsWith('For the '));
  await expect.poll(() => repliesIn(first)).toEqual(['For the first visitor']);
  expect(await repliesIn(second)).toEqual(['For the second visitor']);

  await show(first, `First ${mark}`);
  await log.locator('article[data-role=agent]').getByText('For the first visitor').waitFor();
  await expect.poll(() => log.getByText('Sending…').count()).toBe(0);
  expect(await composer.inputValue()).toBe('Half a sentence');
  expect(problems).toEqual([]);
});

test('an erased conversation opens, and says nothing about what happened in it', async () => {
  const { sessionToken, conversationId } = await aChat('Please forget me');
  const { accessToken } = await post<{ accessToken: string }>('/auth/login', demo.customer);
  const tagged = await fetch(`${demo.apiUrl}/conversations/${conversationId}/tags`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ tags: ['refund'] }),
  });
  expect(tagged.status).toBe(200);
  const erased = await fetch(`${demo.apiUrl}/widget/me`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${sessionToken}`, origin: new URL(demo.siteUrl).origin },
  });
  expect(erased.status).toBe(200);
  const { page, problems } = await aBrowser();
  await signIn(page);
  await open(page, `/conversations/${conversationId}`);
  await page.getByRole('log').getByText('Erased').first().waitFor();
  expect(await page.getByRole('log').locator('[data-type]').count()).toBe(0);
  expect(problems).toEqual([]);
});
