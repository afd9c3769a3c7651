import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { isFull } from '../tools/testing/size.ts';
import { aBot, site, tabOf } from './a-bot.ts';
import { anOrganisation } from './an-organisation.ts';
import { aBrowser, signIn } from './browser.ts';
import { post } from './people.ts';
import { open, region } from './steps.ts';

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Draft saved').waitFor();
};
const greeting = (page: Page) => page.getByRole('textbox', { name: 'Greeting' });
/** Other tests share the machine. */
const slow = { timeout: 60_000 };
const alerts = (page: Page) => page.getByRole('alert');

test('marks a draft as unsaved, asks before leaving it, and shows the saved greeting in the widget', async () => {
  const { page, saved } = await aBot();
  await page.getByText('Draft saved').waitFor();
  await greeting(page).fill('Good morning from the harbour.');
  await page.getByLabel('Write answers with AI').check();
  await page.getByLabel('Instructions').fill('Speak like a lighthouse keeper.');
  await page.getByText('Unsaved changes', { exact: true }).waitFor();

  await tabOf(page, 'Knowledge').click();
  await page
    .getByRole('dialog', { name: 'Leave without saving?' })
    .getByRole('button', { name: 'Keep editing' })
    .click();
  expect(await greeting(page).inputValue()).toBe('Good morning from the harbour.');
  const dialogOpened = page.waitForEvent('dialog');
  await page.evaluate(() => setTimeout(() => location.assign('/')));
  expect((await dialogOpened).type()).toBe('beforeunload');
  await (await dialogOpened).dismiss();

  expect((await saved()).draft.greeting).toBe('Hello from the first day.');
  await save(page);
  expect((await saved()).draft).toMatchObject({
    greeting: 'Good morning from the harbour.',
    instructions: 'Speak like a lighthouse keeper.',
  });
  await page
    .frameLocator('iframe[title="Chat with the draft of Nori"]')
    .getByText('Good morning from the harbour.')
    .waitFor();
  await tabOf(page, 'Knowledge').click();
  await page.getByRole('heading', { name: 'Add knowledge' }).waitFor();
});

test('returns 409 to the second of two editors, who sees the changes and takes them or saves over them', async () => {
  const { page: first, open, saved } = await aBot();
  const second = await open();
  await first.getByRole('textbox', { name: 'Title' }).fill('Nori at the harbour');
  await greeting(first).fill('First was here.');
  await save(first);

  await greeting(second).fill('Second was here.');
  await second.getByRole('button', { name: 'Save draft' }).click();
  await second.getByText('Someone else changed this draft').waitFor();
  expect(await second.getByRole('region', { name: 'Changes to greeting' }).innerText()).toMatch(
    /removed\s+Hello from the first day\.\s+\+ added\s+First was here\./,
  );
  await second.getByRole('region', { name: 'Changes to title' }).getByText('Nori at the harbour').waitFor();
  await second.getByText(/You both edited the same fields/).waitFor();
  expect(await greeting(second).inputValue()).toBe('Second was here.');
  expect((await saved()).draft.greeting).toBe('First was here.');
  await second.getByRole('button', { name: 'Save mine' }).click();
  await second.getByText('Draft saved').waitFor();
  expect((await saved()).draft).toMatchObject({ greeting: 'Second was here.', title: 'Nori at the harbour' });
  expect(await second.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Nori at the harbour');
  expect(await alerts(second).count()).toBe(0);

  const { revision } = await saved();
  await first.getByRole('textbox', { name: 'Fallback message' }).fill('I do not know that.');
  await first.getByRole('button', { name: 'Save draft' }).click();
  await first.getByText(/You edited different fields/).waitFor();
  await first.getByRole('button', { name: 'Use theirs' }).click();
  await first.getByText('Draft saved').waitFor();
  expect(await greeting(first).inputValue()).toBe('Second was here.');
  expect(await first.getByRole('textbox', { name: 'Fallback message' }).inputValue()).toBe('');
  expect(await alerts(first).count()).toBe(0);
  expect((await saved()).revision).toBe(revision);
});

test('previews an accent before it is saved, warns of low contrast, refuses invalid sites and shows a snippet with a key', async () => {
  const { page, id, saved } = await aBot('Appearance');
  const headers = ['desktop', 'phone'].map((place) =>
    page.frameLocator(`iframe[title="Nori on a ${place}"]`).locator('[part="header"]'),
  );
  const colours = () =>
    Promise.all(headers.map((header) => header.evaluate((node) => getComputedStyle(node).backgroundColor)));
  const accent = page.getByLabel('Accent colour');
  for (const header of headers) await header.waitFor();
  await accent.fill('#be123c');
  await expect.poll(colours, slow).toEqual(['rgb(190, 18, 60)', 'rgb(190, 18, 60)']);
  await page.getByText('Unsaved changes', { exact: true }).waitFor();
  expect((await saved()).draft.appearance.accent).not.toBe('#be123c');

  const verdict = page.getByRole('group', { name: 'Contrast' });
  await accent.fill('#fef9c3');
  await verdict.getByText('The widget uses black text here.').waitFor();
  await verdict
    .getByText('Contrast is too low: at least 4.5:1 is needed. The widget uses a darker shade here.')
    .waitFor();
  await expect.poll(colours, slow).toEqual(['rgb(254, 249, 195)', 'rgb(254, 249, 195)']);
  await accent.press('Escape');
  await save(page);
  expect((await saved()).draft.appearance.accent).toBe('#fef9c3');

  await page.getByRole('link', { name: 'Install', exact: true }).click();
  const sites = page.getByLabel('Sites, one per line');
  await sites.fill('*\nnonsense\nhttp://example.com\nhttps://*.com');
  await page.getByRole('button', { name: 'Save sites' }).click();
  for (const fault of [
    '“*” would allow every site. Enter your own.',
    '“https://nonsense” is missing a domain ending like .com.',
    '“http://example.com” must start with https://.',
    '“https://*.com” is too broad.',
  ])
    await page.getByText(fault).waitFor();
  expect((await saved()).allowedOrigins).toEqual([site]);
  await sites.fill(`${site}\nexample.com/shop`);
  await page.getByRole('button', { name: 'Save sites' }).click();
  await page.getByText('Saved. The change is live.').waitFor();
  expect((await saved()).allowedOrigins).toEqual([site, 'https://example.com']);

  await page.getByRole('button', { name: 'Create widget key' }).click();
  const line = page.getByRole('region', { name: 'HTML', exact: true });
  await expect
    .poll(() => line.innerText(), slow)
    .toMatch(new RegExp(`^<script src=".+" data-public-key="pk_live_\\w{10,}" data-bot-id="${id}" async></script>$`));
});

test('a limit changed with the arrow keys can be saved, and what is typed meanwhile stays unsaved', async () => {
  const { page, id, saved } = await aBot('Settings');
  const [bar, save] = [region(page, 'Unsaved changes'), page.getByRole('button', { name: 'Save settings' })];
  await page.getByLabel('Keep conversations for').press('ArrowUp');
  await bar.waitFor();
  const sent = Promise.withResolvers<void>();
  const typed = Promise.withResolvers<void>();
  await page.route(`**/api/bots/${id}`, async (route) => {
    sent.resolve();
    await typed.promise;
    await route.continue();
  });
  await save.click();
  await sent.promise;
  await page.getByRole('textbox', { name: 'Name' }).fill('Nori at the harbour');
  typed.resolve();
  await page.getByText('Settings saved.').waitFor();
  expect(await saved()).toMatchObject({ name: 'Nori', retentionDays: 91 });
  await save.click();
  await bar.waitFor({ state: 'detached' });
  expect(await saved()).toMatchObject({ name: 'Nori at the harbour', retentionDays: 91 });
});

test.runIf(isFull)('bots are filtered by workspace', async () => {
  const { owner, headers } = await anOrganisation();
  const { workspace } = await post<{ workspace: { id: string } }>('/workspaces', { name: 'Shop' }, headers);
  await post('/bots', { name: 'Parcel', workspaceId: workspace.id }, headers);
  const { page, problems } = await aBrowser();
  await signIn(page, owner);
  await open(page, '/bots');
  const bots = region(page, 'Bots');
  await bots.getByRole('link', { name: 'Nori' }).waitFor();
  await page.getByRole('button', { name: 'Workspace', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Shop' }).click();
  await page.waitForURL((url) => url.searchParams.get('workspaceId') === workspace.id);
  await bots.getByRole('link', { name: 'Nori' }).waitFor({ state: 'detached' });
  await bots.getByRole('link', { name: 'Parcel' }).waitFor();
  await page.getByRole('button', { name: 'Remove filter: Workspace' }).click();
  await bots.getByRole('link', { name: 'Nori' }).waitFor();
  expect(problems).toEqual([]);
});
