import type { Browser, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import type { Admin } from './install.ts';
import { adminUrl, openBrowser, portalUrl, type Outside } from './outside.ts';
import type { Stopwatch } from './table.ts';

// What people do from the first sign-in until a visitor has an answer.

const owner = { email: 'nora@northlight.example', name: 'Nora North', password: 'a lantern in the harbour' };
/** Each section is long enough to be a separate excerpt, which a reply cites by its heading. */
const knowledge = `# Returns

You can send anything back within 30 days, also if you have unpacked it. Put the order number into the box. We refund the whole price to the card or account that it came from within five working days.

# Delivery

Delivery takes two to four working days. The carrier sends a message in the morning with the hour at which it arrives, and a neighbour can take the box if there is no other way to receive it.

# Bicycles for children

A bicycle for a child has a small frame and low brakes. Children from three years of age ride a bicycle without pedals, older children choose one with gears.`;

interface QuestionCase {
  question: string;
  answer: RegExp;
  /** The section that the reply cites. */
  heading: string;
}
const byTokens: QuestionCase = {
  question: 'How long does delivery take?',
  answer: /two to four working days/,
  heading: 'Delivery',
};
/** Shares no token with its answer, so only the sentence model of the image finds it. */
const byMeaning: QuestionCase = {
  question: 'Which bike should a kid use?',
  answer: /from three years of age/,
  heading: 'Bicycles for children',
};

/** React handles no input before. */
async function hydrated(page: Page) {
  const isHydrated = "Object.keys(document).some((name) => name.startsWith('__reactContainer$'))";
  const check = () => page.evaluate<boolean>(isHydrated).catch(() => false); // while the page navigates
  await vi.waitUntil(check, { timeout: 60_000, interval: 50 });
}

async function signIn(page: Page, origin: string, { email, password }: { email: string; password: string }) {
  await page.goto(`${origin}/sign-in`);
  await hydrated(page);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The admin creates a tenant, and its owner accepts the invitation that comes by email. */
async function createTenant(browser: Browser, someone: Admin, outside: Outside) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, adminUrl, someone);
  await page.getByLabel('Code').fill(someone.code());
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL((url) => url.pathname !== '/sign-in');
  await page.goto(`${adminUrl}/tenants`);
  await hydrated(page);
  await page.getByRole('button', { name: 'Create tenant', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Create tenant' });
  await dialog.getByLabel('Organisation name').fill('Northlight');
  await dialog.getByLabel('Owner’s email').fill(owner.email);
  await dialog.getByRole('button', { name: 'Create tenant', exact: true }).click();
  await page.getByText(`${owner.email} was invited`).waitFor();

  await page.goto(await outside.linkFor(owner.email));
  await page.getByLabel('Your name').fill(owner.name);
  await page.getByLabel(/^Password/).fill(owner.password);
  await page.locator('form button').first().click();
  await page
    .getByRole('link', { name: /sign in/i })
    .first()
    .waitFor();
  await context.close();
}

/** The owner makes a bot in the portal's first-run pages, and puts its snippet on their website. */
async function createBot(browser: Browser, outside: Outside) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, portalUrl, owner);
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await page.goto(`${portalUrl}/setup`);
  await hydrated(page);
  await page.getByLabel('Bot name').fill('Nori');
  await page.getByLabel('Your website').fill(outside.siteUrl);
  await page.getByRole('button', { name: 'Create bot' }).click();
  await page.getByRole('heading', { name: 'Add knowledge' }).waitFor();
  await page.getByText('Text', { exact: true }).click();
  await page.getByRole('textbox', { name: /^Text/ }).fill(knowledge);
  await page.getByRole('button', { name: 'Add knowledge' }).click();
  await page.getByText(/\d excerpts?/).waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText(/pk_live_\w{10}/).waitFor();
  const snippet = await page
    .getByText(/<script src=/)
    .first()
    .innerText();
  expect(snippet).toMatch(/chatbot-widget\.js"[\s\S]*data-public-key="pk_live_\w+"/);
  outside.paste(snippet);
  await context.close();
}

/** A visitor of the website asks in the widget, and reads the answers. Returns what the browser complained about. */
async function chat(browser: Browser, outside: Outside, watch: Stopwatch, screenshot: string) {
  const context = await browser.newContext({ viewport: { width: 900, height: 760 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfailed', (request) => {
    const { errorText } = request.failure() ?? {};
    // The widget stops reading a stream once it has the reply.
    if (errorText !== 'net::ERR_ABORTED') problems.push(`${request.url()}: ${errorText}`);
  });
  const ask = async ({ question, answer, heading }: QuestionCase) => {
    await page.getByPlaceholder(/Write a message/).fill(question);
    await page.getByPlaceholder(/Write a message/).press('Enter');
    const reply = page.locator('.row.bot', { hasText: answer });
    await reply.getByText(/^Sources/).click();
    await reply.locator('.sources li', { hasText: heading }).waitFor();
  };
  await watch.step('chat in the widget', async () => {
    await page.goto(outside.siteUrl);
    await page.getByRole('button', { name: /Nori/ }).click();
    await ask(byTokens);
  });
  await watch.step('ask a question that shares no token with its answer', () => ask(byMeaning));
  await page.screenshot({ path: screenshot });
  await context.close();
  return problems;
}

export async function firstChat(someone: Admin, outside: Outside, watch: Stopwatch, screenshot: string) {
  const browser = await openBrowser();
  try {
    await watch.step('create a tenant in the admin portal', () => createTenant(browser, someone, outside));
    await watch.step('create a bot in the portal', () => createBot(browser, outside));
    expect(await chat(browser, outside, watch, screenshot)).toEqual([]);
  } finally {
    await browser.close();
  }
}
