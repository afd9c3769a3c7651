import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { repository } from '../demo/processes.ts';

export interface Demo {
  apiUrl: string;
  portalUrl: string;
  siteUrl: string;
  serverKey: string;
  serverKeyId: string;
  customer: { email: string; password: string };
}

const desktop = { width: 1200, height: 760 };

export const folder = join(repository, 'docs/images');

/** As WebP, a third of the size of PNG, which Playwright does not write. */
async function save(page: Page, name: string) {
  const devTools = await page.context().newCDPSession(page);
  const clip = { x: 0, y: 0, ...(page.viewportSize() ?? desktop), scale: 1.5 };
  const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: 80, clip });
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}

/** A question, an answer with its source, and a private action. */
async function takeWidget(browser: Browser, { siteUrl }: Demo) {
  const context = await browser.newContext({ viewport: { width: 420, height: 700 } });
  const page = await context.newPage();
  await page.goto(siteUrl);
  await page.locator('parley-chat button[part=launcher]').first().click();
  const panel = page.locator('parley-chat dialog.panel').first();
  const ask = async (question: string, answer: RegExp) => {
    await panel.locator('.talk textarea').fill(question);
    await panel.locator('.talk textarea').press('Enter');
    await panel.locator('.row.bot').filter({ hasText: answer }).last().waitFor();
  };
  await ask('How long does delivery take?', /working days/);
  await ask('Where is my order A-1001?', /A-1001.*(on its way|sent|shipped)/i);
  await page.waitForTimeout(1_000); // animations end, the list has scrolled
  await save(page, 'widget');
  await context.close();
}

async function signedIn(browser: Browser, { portalUrl, customer }: Demo) {
  const context = await browser.newContext({ viewport: desktop });
  const page = await context.newPage();
  const response = await context.request.post(`${portalUrl}/api/auth/login`, {
    data: customer,
    headers: { 'x-requested-with': 'portal', origin: portalUrl },
  });
  if (!response.ok()) throw new Error(`sign-in failed: ${response.status()} ${await response.text()}`);
  return page;
}

/** Items of a list until one is found. */
async function find<T>({ apiUrl, serverKey, serverKeyId }: Demo, path: string, matches: (item: T) => boolean) {
  const headers = { authorization: `Bearer ${serverKey}`, 'x-service-api-key-id': serverKeyId };
  for (let cursor: string | null = ''; cursor !== null;) {
    const url = new URL(`${apiUrl}${path}`);
    url.searchParams.set('limit', '100');
    if (cursor) url.searchParams.set('cursor', cursor);
    const response = await fetch(url, { headers });
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    const page = (await response.json()) as { data: T[]; nextCursor: string | null };
    const found = page.data.find(matches);
    if (found) return found;
    cursor = page.nextCursor;
  }
  throw new Error(`${path} has nothing to show`);
}

/** A conversation that an agent has taken over. */
async function takeInbox(page: Page, demo: Demo) {
  await page.goto(`${demo.portalUrl}/conversations`);
  await page.getByRole('link').filter({ hasText: 'With an agent' }).first().click();
  await page.waitForURL(/conversations\/conv_/);
  await page.waitForTimeout(2_000); // streams stay open, so the network is never idle
  await save(page, 'inbox');
}

/** A delivery that failed during the outage and arrived later. */
async function takeDelivery(page: Page, demo: Demo) {
  const webhook = await find<{ id: string }>(demo, '/webhooks', () => true);
  const deliveries = `/webhooks/${webhook.id}/deliveries`;
  const retried = await find<{ id: string; status: string; attempts: number }>(
    demo,
    deliveries,
    ({ status, attempts }) => status === 'succeeded' && attempts > 1,
  );
  await page.goto(`${demo.portalUrl}/developers${deliveries}/${retried.id}`);
  await page.waitForTimeout(2_000); // streams stay open, so the network is never idle
  await save(page, 'delivery');
}

export async function takeScreenshots(browser: Browser, demo: Demo) {
  const page = await signedIn(browser, demo);
  await takeInbox(page, demo);
  await takeDelivery(page, demo);
  await takeWidget(browser, demo); // last, since it adds a conversation to the inbox
}
