import { expect, test } from 'vitest';
import { isFull } from '../tools/testing/size.ts';
import { aBrowser, demo, setVisibility, signIn } from './browser.ts';
import { anOrganisation } from './an-organisation.ts';
import { aChat, aColleague, post, requestHandoff } from './people.ts';
import { open } from './steps.ts';

/** An agent with the inbox open. */
async function anAgent(path = '') {
  const browser = await aBrowser();
  const person = await aColleague('agent');
  await signIn(browser.page, person);
  await open(browser.page, `/conversations${path}`);
  return { ...browser, person };
}

async function aWaitingChat(text: string) {
  const chat = await aChat(text);
  await requestHandoff(chat);
  return chat;
}

test('of two agents who take over at the same time, one gets the conversation and the other sees who', async () => {
  const { conversationId } = await aWaitingChat('How long does delivery take?');
  const agents = [await anAgent(`/${conversationId}`), await anAgent(`/${conversationId}`)];
  const buttons = agents.map(({ page }) => page.getByRole('button', { name: 'Take over', exact: true }));
  await Promise.all(buttons.map((button) => button.waitFor()));
  await Promise.all(buttons.map((button) => button.click()));
  const countIn = async (name: RegExp | string) =>
    (await Promise.all(agents.map(({ page }) => page.getByText(name).first().isVisible()))).filter(Boolean).length;
  await expect.poll(() => countIn('Assigned to you'), { timeout: 15_000 }).toBe(1);
  await expect.poll(() => countIn(/Assigned to Robin agent/), { timeout: 15_000 }).toBe(1);
});

test.runIf(isFull)('a visitor who starts to wait is counted in the title of every tab and in the menu', async () => {
  const { page, person } = await anAgent();
  const other = await page.context().newPage();
  await other.goto(`${demo.portalUrl}/bots`);
  const countIn = (title: string) => Number(/^\((\d+)/.exec(title)?.[1] ?? 0);
  await other.waitForTimeout(1_000);
  const before = countIn(await other.title());
  await aWaitingChat('Do you repair bikes?');
  await expect.poll(async () => countIn(await other.title()), { timeout: 10_000 }).toBeGreaterThan(before);
  await other.getByRole('link', { name: /Inbox.*waiting/ }).waitFor();
  expect(person.email).toContain('@');
});

test('a saved reply is inserted with / and its variables are filled in', async () => {
  const { conversationId } = await aWaitingChat('Can I change my order?');
  const { page } = await anAgent(`/${conversationId}`);
  await page.getByRole('button', { name: 'Take over', exact: true }).click();
  await page.getByRole('button', { name: 'Saved replies' }).click();
  await page.getByRole('button', { name: 'New saved reply' }).click();
  const name = `hello ${crypto.randomUUID().slice(0, 6)}`;
  await page.getByLabel('Name').fill(name);
  await page.getByRole('textbox', { name: 'Text' }).fill('Hi {{visitor.name|there}}, this is {{agent.name}}.');
  await page.getByRole('button', { name: 'Save reply' }).click();
  await page.getByText(`Saved “${name}”`).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' }); // the focus goes back to the button then
  const composer = page.locator('textarea[aria-label="Reply to visitor"]');
  await composer.pressSequentially(`/${name}`);
  await page.getByRole('option', { name: new RegExp(name) }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => composer.inputValue()).toBe('Hi there, this is Robin agent.');
  await page.getByRole('button', { name: 'Send reply' }).click();
  await page.locator('article[data-role=agent]').getByText('Hi there, this is Robin agent.').waitFor();

  await composer.fill('Thank you. ');
  await page.getByRole('button', { name: 'Saved replies' }).click();
  await page.getByRole('button', { name: `Edit ${name}` }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('Bye!');
  await page.getByRole('button', { name: 'Save reply' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `${name} Bye!`, exact: true })
    .click();
  await expect.poll(() => composer.inputValue()).toBe('Thank you. Bye!');
});

test('an agent snoozes, closes, undoes it, and transfers with a note', async () => {
  const { conversationId } = await aWaitingChat('Is my bike ready?');
  const { page } = await anAgent(`/${conversationId}`);
  const colleague = await aColleague('agent');
  await page.getByRole('button', { name: 'Take over', exact: true }).click();
  await page.getByText('Assigned to you').waitFor();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'For 1 hour' }).click();
  await page.locator('[data-type="conversation.snoozed"]').waitFor();

  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Assigned to you').waitFor();

  await page.reload(); // the colleague was invited after the list was loaded
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Transfer…' }).click();
  const to = page.getByRole('dialog').getByRole('combobox', { name: 'To' });
  await to.selectOption(await to.locator('option', { hasText: 'Robin agent' }).first().getAttribute('value'));
  await page.getByRole('dialog').getByLabel('Note').fill('Ask about the brakes.');
  await page.getByRole('dialog').getByRole('button', { name: 'Transfer' }).click();
  await page.locator('article[data-role=note]').getByText('Ask about the brakes.').waitFor();
  await page.locator('[data-type="conversation.assigned"]').first().waitFor();
  expect(colleague.email).toContain('@');
});

test('several conversations are tagged and closed together, and found by the tag', async () => {
  const tag = `t${crypto.randomUUID().slice(0, 6)}`;
  const mark = `walrus${crypto.randomUUID().slice(0, 6)}`;
  await aWaitingChat(`I am a ${mark}`);
  await aWaitingChat(`Another ${mark}`);
  const { page } = await anAgent();
  await expect
    .poll(
      async () => {
        await open(page, `/conversations?q=${mark}`);
        return page.getByRole('checkbox', { name: /Select the conversation/ }).count();
      },
      { timeout: 20_000 },
    )
    .toBe(2);
  for (const box of await page.getByRole('checkbox', { name: /Select the conversation/ }).all())
    await box.check({ force: true });
  await page.getByText('2 selected').waitFor();
  await page.route('**/api/conversations/bulk', (route) => route.abort());
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page
    .getByRole('region', { name: 'Selected rows' })
    .getByText(/Can’t reach the portal/)
    .waitFor();
  await page.unroute('**/api/conversations/bulk');
  await page.getByRole('button', { name: 'Tag', exact: true }).click();
  await page.getByLabel('New tag').fill(tag);
  await page.keyboard.press('Enter');
  await page.getByText(`Tagged “${tag}”: 2 conversations.`).waitFor();
  await open(page, `/conversations?tag=${tag}`);
  await expect.poll(() => page.locator('a[href^="/conversations/conv_"]').count()).toBe(2);
});

test.runIf(isFull)(
  'the reason of a handoff and a rating with a comment after closing are seen in the timeline',
  async () => {
    const chat = await aChat('Where is my parcel?');
    await requestHandoff(chat, 'It is urgent');
    const { page } = await anAgent(`/${chat.conversationId}`);
    await page.getByRole('log').getByText('It is urgent').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    await post(
      `/widget/conversations/${chat.conversationId}/rating`,
      { rating: 4, comment: 'Quick and kind' },
      { authorization: `Bearer ${chat.sessionToken}`, origin: new URL(demo.siteUrl).origin },
    );
    const line = page.locator('[data-type="conversation.rated"]');
    await line.getByText('Rated the conversation 4 out of 5').waitFor();
    await line.getByText('Quick and kind').waitFor();
  },
);

test('a change is read once: the list by each visible tab, the counts by one, and the rest not at all', async () => {
  const { owner, botId, openSession } = await anOrganisation();
  const origin = { origin: new URL(demo.siteUrl).origin };
  const { sessionToken } = await openSession();
  const say = (message: string) =>
    post<{ conversationId: string }>(`/widget/chatbots/${botId}/message`, { sessionToken, message }, origin);
  const { conversationId } = await say('First message');
  const { context } = await aBrowser();
  // Only changes count: not what is read again after some time.
  await context.addInitScript(() => {
    const start = globalThis.setInterval;
    const shortest = 10_000;
    Object.assign(globalThis, {
      setInterval: (run: () => void, ms: number) => (ms < shortest ? start(run, ms) : 0),
    });
  });
  const tabs = await Promise.all([context.newPage(), context.newPage()]);
  const [tab, other] = tabs;
  const sent = tabs.map((page) => {
    const paths: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/api\/|\.data$/.test(pathname)) paths.push(pathname);
    });
    return paths;
  });
  await signIn(tab, owner);
  const choices = ['bots', 'environments', 'workspaces', 'inbox/tags', 'inbox/views', 'agents', 'teams'];
  for (const [n, page] of tabs.entries()) {
    await open(page, '/conversations');
    await page.getByText('First message').waitFor();
    await expect.poll(() => sent[n]).toEqual(expect.arrayContaining(choices.map((name) => `/api/${name}`)));
  }
  await expect.poll(() => sent.flat()).toContain('/api/inbox/counts');
  await setVisibility(other, 'hidden');
  await say('Second message');
  await tab.getByText('Second message').waitFor();
  await requestHandoff({ sessionToken, conversationId });
  await Promise.all(tabs.map((page) => expect.poll(() => page.title()).toMatch(/^\(1\)/)));

  expect(sent.flat().filter((path) => path.endsWith('.data'))).toEqual([]);
  expect(sent.filter((paths) => paths.includes('/api/inbox/counts'))).toHaveLength(1);
  for (const name of choices) expect(sent[0]?.filter((path) => path === `/api/${name}`)).toHaveLength(1);
  // What has changed in the background is read when the tab is seen again.
  expect(await other.getByText('Second message').count()).toBe(0);
  await setVisibility(other, 'visible');
  await other.getByText('Second message').waitFor();
});
