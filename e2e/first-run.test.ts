import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { freePort } from '../tools/stack/index.ts';
import { isFull } from '../tools/testing/size.ts';
import { customerSite } from './a-site.ts';
import { aBrowser, waitForHydration, demo, portalSettings, apiEntry, settings, signIn } from './browser.ts';
import { aNewcomer, linkFor, post } from './people.ts';
import { open } from './steps.ts';

const password = 'a lantern in the harbour';

/** Signs up and confirms the email, which signs in. */
async function anAccount(page: Page, email: string) {
  await page.goto(`${demo.portalUrl}/sign-up`);
  await waitForHydration(page);
  await page.getByLabel('Your name').fill('Nora North');
  await page.getByLabel('Organisation').fill('Northlight');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Check your email').waitFor();
  await page.goto((await linkFor(email)).href);
  await page.getByText(`You’re creating Northlight on Parley with the email address ${email}`).waitFor();
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.locator('form button[type=submit], form button:not([type])').first().click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
}

/** Counts the person's clicks. */
async function countClicks(page: Page) {
  await page.addInitScript(() => {
    addEventListener(
      'click',
      (event) => {
        if (event.isTrusted) (window as unknown as { clicked(): void }).clicked();
      },
      { capture: true },
    );
  });
  let clicks = 0;
  await page.exposeFunction('clicked', () => void clicks++);
  return () => clicks;
}

test('gets from sign-up to a visitor’s answer on another origin in at most 12 clicks after the account exists', async () => {
  const { page, context, problems } = await aBrowser({ permissions: ['clipboard-read', 'clipboard-write'] });
  const email = `nora-${crypto.randomUUID().slice(0, 8)}@northlight.example`;
  await anAccount(page, email);
  const clicks = await countClicks(page);
  const site = await customerSite();
  await page.reload();
  await waitForHydration(page);

  await page.getByRole('link', { name: 'Get started' }).click();
  await page.getByLabel('Bot name').fill('Nori');
  await page.getByLabel('Your website').fill(site.url);
  await page.getByRole('button', { name: 'Create bot' }).click();

  // Left and opened again: the steps are kept.
  await page.getByRole('heading', { name: 'Add knowledge' }).waitFor();
  await page.goto(`${demo.portalUrl}/setup`);
  await waitForHydration(page);

  await page.getByText('Text', { exact: true }).click();
  await page
    .getByRole('textbox', { name: /^Text/ })
    .fill(
      '# Returns\n\nYou can send anything back within 30 days. We refund the whole price within five working days.\n\n# Delivery\n\nDelivery takes two to four working days.',
    );
  await page.getByRole('button', { name: 'Add knowledge' }).click();
  await page.getByText(/\d excerpts?/).waitFor();

  // The draft in the real widget, next to the form.
  const draft = page.frameLocator('iframe[title="Chat with the draft"]');
  await draft.getByPlaceholder(/Write a message/).fill('Can I send it back?');
  await draft.getByPlaceholder(/Write a message/).press('Enter');
  await draft
    .getByText(/within 30 days/)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText(/pk_live_\w{10}/).waitFor();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  const snippet = await page.evaluate(() => navigator.clipboard.readText());
  expect(snippet).toMatch(
    /^<script src=".+chatbot-widget\.js" data-public-key="pk_live_\w+" data-bot-id="bot_\w+" async><\/script>$/,
  );
  site.paste(snippet);
  const clicked = clicks();

  // A visitor in another browser.
  const visitor = await aBrowser();
  await visitor.page.goto(site.url);
  await visitor.page.getByRole('button', { name: /Nori/ }).click();
  await visitor.page.getByPlaceholder(/Write a message/).fill('How long does delivery take?');
  await visitor.page.getByPlaceholder(/Write a message/).press('Enter');
  await visitor.page
    .getByText(/two to four working days/)
    .first()
    .waitFor();

  await page.getByText(`Your widget was loaded on ${new URL(site.url).host}`).waitFor();
  await page.goto(`${demo.portalUrl}/conversations`);
  await page
    .getByText(/Delivery|delivery/)
    .first()
    .waitFor();
  console.log(`first run: ${clicked} clicks`);
  expect(clicked).toBeLessThanOrEqual(12);
  expect(problems).toEqual([]);
  await context.close();
});

/** Presses Tab until the element has the focus, as someone without a mouse does. */
async function tabTo(page: Page, name: RegExp) {
  const visited: string[] = [];
  for (let steps = 0; steps < 80; steps++) {
    await page.keyboard.press('Tab');
    const here = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      const label =
        element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels?.[0] : undefined;
      return (element?.ariaLabel ?? label?.textContent ?? element?.textContent ?? '').trim();
    });
    if (name.test(here)) {
      const isVisible = await page.evaluate(() => {
        const style = getComputedStyle(document.activeElement!);
        return style.outlineStyle !== 'none' || style.borderColor !== '' || style.boxShadow !== 'none';
      });
      expect(isVisible, `the focus on ${here} is not visible`).toBe(true);
      return;
    }
    visited.push(here.slice(0, 40));
  }
  throw new Error(`${String(name)} cannot be reached by keyboard: ${visited.join(' | ')}`);
}

test('completes the first run by keyboard alone, and the preview never takes the focus', async () => {
  const { page, problems } = await aBrowser();
  await signIn(page, await aNewcomer());
  await open(page, '/');
  await tabTo(page, /^Skip to content/);
  await tabTo(page, /^Get started$/);
  await page.keyboard.press('Enter');
  await page.getByLabel('Bot name').waitFor();
  if (!(await page.getByLabel('Bot name').evaluate((field) => field === document.activeElement)))
    await tabTo(page, /^Bot name/);
  await page.keyboard.type('Nori');
  await tabTo(page, /^Your website/);
  await page.keyboard.type('example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Add knowledge' }).waitFor();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await tabTo(page, /^Website$/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await tabTo(page, /^Text/);
  await page.keyboard.type(
    'Returns: you can send anything back within 30 days. Delivery takes two to four working days.',
  );
  await tabTo(page, /^Add knowledge$/);
  await page.keyboard.press('Enter');
  await page.getByText(/\d excerpts?/).waitFor();
  const preview = page.frameLocator('iframe').getByPlaceholder(/Write a message/);
  await preview.waitFor();
  // Two frames later: by now the page would show whether its field had taken the focus.
  await preview.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('IFRAME');
  await tabTo(page, /^Publish$/);
  await page.keyboard.press('Enter');
  await page.getByText(/pk_live_\w{10}/).waitFor();
  await tabTo(page, /^Copy$/);
  expect(problems).toEqual([]);
});

test.runIf(isFull)(
  'a website and a file can be added; a URL that cannot be read says why and adds nothing',
  async () => {
    const { page } = await aBrowser();
    await signIn(page, await aNewcomer());
    await page.goto(`${demo.portalUrl}/setup`);
    await waitForHydration(page);
    await page.getByLabel('Bot name').fill('Nori');
    await page.getByLabel('Your website').fill('example.com/shop');
    await page.getByRole('button', { name: 'Create bot' }).click();

    await page.getByLabel(/^URL/).fill('https://no-such-host.invalid/help');
    await page.getByRole('button', { name: 'Find pages' }).click();
    await page.getByText('No site with this name was found.').waitFor();
    expect(await page.getByRole('button', { name: 'Add website' }).count()).toBe(0);
    await page.getByLabel(/^URL/).fill(demo.siteUrl);
    await page.getByRole('button', { name: 'Find pages' }).click();
    await page.getByText(/^Found \d+ pages\. Syncing takes about/).waitFor();
    await page.getByRole('button', { name: 'Add only this page' }).click();
    await page.getByText(/\d excerpts?/).waitFor();

    await page.getByRole('button', { name: 'Add another source' }).click();
    await page.getByText('File', { exact: true }).click();
    // A refused file leaves nothing behind.
    const dir = mkdtempSync(join(tmpdir(), 'large-')); // by path: passing 26 MB to the browser takes too long
    onTestFinished(() => rmSync(dir, { recursive: true }));
    writeFileSync(join(dir, 'large.txt'), Buffer.alloc(26 * 1024 * 1024, 'word '));
    await page.locator('input[type=file]').setInputFiles(join(dir, 'large.txt'));
    await page.getByRole('button', { name: 'Add knowledge' }).click();
    await page.getByText(/larger than 25 MB/).waitFor();
    expect(await page.getByText('Syncing', { exact: true }).count()).toBe(0);
    const buffer = Buffer.from('# Opening hours\n\nThe shop is open from Monday to Saturday, 10 am to 7 pm.\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'hours.md', mimeType: 'text/markdown', buffer });
    await page.getByRole('button', { name: 'Add knowledge' }).click();
    await expect.poll(() => page.getByText(/\d excerpts?/).count()).toBe(2);

    const draft = page.frameLocator('iframe[title="Chat with the draft"]');
    await draft.getByPlaceholder(/Write a message/).fill('When is the shop open?');
    await draft.getByPlaceholder(/Write a message/).press('Enter');
    await draft
      .getByText(/Monday to Saturday/)
      .first()
      .waitFor();
  },
);

interface StoredBot {
  id: string;
  revision: number;
  draft: { answers: { mode: string } };
}

/** An owner who has added knowledge, at the choice of how the bot answers. */
async function atAnswers(options: BrowserContextOptions = {}, portalUrl = demo.portalUrl) {
  const person = await aNewcomer();
  const { accessToken } = await post<{ accessToken: string }>('/auth/login', person);
  const headers = { authorization: `Bearer ${accessToken}` };
  const { bot } = await post<{ bot: StoredBot }>('/bots', { name: 'Nori', draft: { title: 'Nori' } }, headers);
  const path = `${demo.apiUrl}/bots/${bot.id}`;
  const text =
    '# Returns\n\nYou can send anything back within 30 days. We refund the whole price within five working days.\n\n# Delivery\n\nDelivery takes two to four working days.';
  await post(`/bots/${bot.id}/knowledge-sources`, { kind: 'text', name: 'Help', text, language: 'en' }, headers);
  const { page, problems } = await aBrowser(options);
  await signIn(page, person, portalUrl);
  await open(page, `/setup?bot=${bot.id}`, portalUrl);
  await page.getByRole('heading', { name: 'Choose how your bot answers' }).waitFor();
  const saved = async () => ((await (await fetch(path, { headers })).json()) as { bot: StoredBot }).bot;
  const change = async (draft: object) => {
    const body = JSON.stringify({ revision: (await saved()).revision, draft });
    await fetch(`${path}/draft`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
  };
  return { page, problems, saved, change };
}
const modeOf = async (saved: () => Promise<StoredBot>) => (await saved()).draft.answers.mode;
const card = (page: Page, name: string) => page.getByRole('radio', { name, exact: true });
const example = (page: Page, name: string) => page.getByRole('group', { name, exact: true }).getByRole('status');
const [quoting, writing] = ['Quote my content', 'Write answers with AI'] as const;

test('shows one question answered both ways, and saves the choice in the draft unless someone else changed it', async () => {
  const { page, problems, saved, change } = await atAnswers();
  expect(await page.getByLabel('Example question').inputValue()).toBe('What can you tell me about returns?');
  await page.getByRole('button', { name: 'Show both answers' }).click();
  await example(page, quoting)
    .getByText(/^From Help › Returns \[1\]:\s+You can send anything back within 30 days/)
    .waitFor();
  await example(page, quoting).getByText('[1] Help', { exact: true }).waitFor();
  await example(page, writing)
    .getByText(/^Here is what I found: Returns You can send anything back within 30 days.* \[1\]$/)
    .waitFor();
  await example(page, writing).getByText('[1] Help', { exact: true }).waitFor();
  await example(page, writing)
    .getByText(/^AI cost: about \$0\.0\d+ per 1,000 answers like this$/)
    .waitFor();

  expect(await card(page, quoting).getAttribute('aria-checked')).toBe('true');
  expect(await modeOf(saved)).toBe('extractive');
  await card(page, writing).click();
  await page.getByText(`Saved in the draft: ${writing}`).waitFor();
  expect(await modeOf(saved)).toBe('model');
  const draft = page.frameLocator('iframe[title="Chat with the draft"]');
  await draft.getByPlaceholder(/Write a message/).fill('Can I send it back?');
  await draft.getByPlaceholder(/Write a message/).press('Enter');
  await draft
    .getByText(/Here is what I found/)
    .first()
    .waitFor();

  await change({ greeting: 'Changed by a colleague.' });
  await card(page, quoting).click();
  await page.getByText('Someone else changed this draft.').waitFor();
  expect(await modeOf(saved)).toBe('model');
  await card(page, quoting).click();
  await page.getByText(`Saved in the draft: ${quoting}`).waitFor();
  expect(await saved()).toMatchObject({
    draft: { greeting: 'Changed by a colleague.', answers: { mode: 'extractive' } },
  });

  await page.getByLabel('Example question').fill('Do you sell submarines to penguins?');
  await page.getByRole('button', { name: 'Show both answers' }).click();
  await example(page, quoting)
    .getByText(/^No answer found\. Ask something/)
    .waitFor();
  expect(problems).toEqual([]);
});

const phone = { viewport: { width: 360, height: 740 } };
const sidewaysPx = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

test.runIf(isFull)(
  'lets people compare and choose by keyboard alone, at 360 px without sideways scrolling',
  async () => {
    const { page, problems, saved } = await atAnswers(phone);
    await tabTo(page, /^Example question/);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('How long does delivery take?');
    await page.keyboard.press('Enter');
    await example(page, writing)
      .getByText(/^Here is what I found: .*Delivery takes two to four working days/)
      .waitFor();
    await tabTo(page, /^Quote my content/);
    await page.keyboard.press('ArrowDown');
    await page.getByText(`Saved in the draft: ${writing}`).waitFor();
    expect(await modeOf(saved)).toBe('model');
    expect(await card(page, writing).evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await sidewaysPx(page)).toBeLessThanOrEqual(0);
    await tabTo(page, /^Publish$/);
    expect(problems).toEqual([]);
  },
);

/** The portal in front of an API without models. */
async function portalWithoutModels() {
  const [apiPort, port] = [await freePort(), await freePort()];
  const apiUrl = `http://localhost:${apiPort}`;
  const portalUrl = `http://localhost:${port}`;
  const children = [
    runEntry(apiEntry, { ...settings, PORT: String(apiPort), MODELS: '[]' }),
    runEntry('apps/portal/src/server.ts', {
      ...portalSettings,
      PORT: String(port),
      PORTAL_URL: portalUrl,
      API_URL: apiUrl,
    }),
  ];
  onTestFinished(async () => void (await Promise.all(children.map(({ stop }) => stop()))));
  await Promise.all([waitFor(`${apiUrl}/health/ready`), waitFor(`${portalUrl}/health/live`)]);
  return portalUrl;
}

test.runIf(isFull)(
  'says that no AI model is set up where there is none, and still shows the quoted answer',
  async () => {
    const { page, problems } = await atAnswers(phone, await portalWithoutModels());
    await example(page, writing)
      .getByText(/^No AI model is set up\. Ask the platform admin/)
      .waitFor();
    expect(await card(page, writing).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Show the answer' }).click();
    await example(page, quoting)
      .getByText(/You can send anything back within 30 days/)
      .waitFor();
    expect(await sidewaysPx(page)).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
  },
);

test('shows sign-up errors at their field and sends the confirmation email again', async () => {
  const { page, problems } = await aBrowser();
  await open(page, '/sign-up');
  const errorOf = async (label: string) => {
    const described = (await page.getByLabel(label).getAttribute('aria-describedby')) ?? '';
    const ids = described.split(' ').filter(Boolean);
    return (await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()))).join(' ');
  };
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => errorOf('Your name')).toContain('Enter your name.');
  expect(await errorOf('Organisation')).toContain('Enter the name of your organisation.');
  expect(await page.getByLabel('Your name').evaluate((field) => field === document.activeElement)).toBe(true);

  await page.getByLabel('Your name').fill('Nora North');
  await page.getByLabel('Organisation').fill('Northlight');
  await page.getByLabel('Email').fill('nora@mailinator.com');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => errorOf('Email')).toContain('This is a disposable email address.');

  const email = `nora-${crypto.randomUUID().slice(0, 8)}@northlight.example`;
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const first = await linkFor(email);
  await page.getByRole('button', { name: 'Resend email' }).click();
  await page.getByText('We sent it again.').waitFor();
  await expect.poll(async () => (await linkFor(email)).href).not.toBe(first.href);
  expect(problems).toEqual([]);
});
