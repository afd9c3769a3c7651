import { expect, test } from 'vitest';
import { aBrowser, demo, signIn } from './browser.ts';
import { aChat, aColleague, requestHandoff } from './people.ts';

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
