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
async function save(page: Page, name: string, scale = 1.5) {
  const devTools = await page.context().newCDPSession(page);
  const clip = { x: 0, y: 0, ...(page.viewportSize() ?? desktop), scale };
  const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: 80, clip });
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}

/** A chat in a new browser on the shop's page. `ask` waits for an answer. */
async function openChat(browser: Browser, { siteUrl }: Demo, viewport: { width: number; height: number }) {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await page.goto(siteUrl);
  await page.locator('parley-chat button[part=launcher]').first().click();
  const panel = page.locator('parley-chat dialog.panel').first();
  const ask = async (question: string, answer: RegExp) => {
    await panel.locator('.talk textarea').fill(question);
    await panel.locator('.talk textarea').press('Enter');
    await panel.locator('.row.bot').filter({ hasText: answer }).last().waitFor();
  };
  return { page, ask, settled: () => page.waitForTimeout(1_000) }; // animations end, the list has scrolled
}

/** A question, an answer with its source, and a private action. */
async function takeWidget(browser: Browser, demo: Demo) {
  const { page, ask, settled } = await openChat(browser, demo, { width: 420, height: 700 });
  await ask('How long does delivery take?', /working days/);
  await ask('Where is my order A-1001?', /A-1001.*(on its way|sent|shipped)/i);
  await settled();
  await save(page, 'widget');
  await page.context().close();
}

/** What visitors say that is not a question, in another language, or in terms that the knowledge doesn't have. */
const firstMessages: [message: string, reply: RegExp][] = [
  ['I want to speak to a person', /passed your chat on/],
  ['thanks!', /You’re welcome/],
  ['you are a stupid piece of junk', /sorry this is frustrating/],
  ['Verkauft ihr auch Kaffeemaschinen?', /leider nichts gefunden/],
  ['Wie lange dauert die Lieferung?', /zwei bis vier Werktage/],
  ['how long can I send a bike back', /within 30 days/],
  ['Do you repair tyres on Sundays?', /Repair appointments|Monday to Saturday/],
  ['Does cold harm the battery?', /frost-free/],
];

/** Each message in its own chat on a phone, all in one image. */
async function takeAnswers(browser: Browser, demo: Demo) {
  const chats: string[] = [];
  for (const [message, reply] of firstMessages) {
    const { page, ask, settled } = await openChat(browser, demo, { width: 360, height: 560 });
    await ask(message, reply);
    await settled();
    chats.push((await page.screenshot()).toString('base64'));
    await page.context().close();
  }
  const page = await browser.newPage({ viewport: { width: 1486, height: 1146 } });
  const images = chats.map((data) => `<img width="360" height="560" alt="" src="data:image/png;base64,${data}">`);
  const layout = 'margin:8px;display:grid;grid-template-columns:repeat(4,360px);gap:10px;background:#cbd5e1';
  await page.setContent(`<body style="${layout}">${images.join('')}`, { waitUntil: 'load' });
  await save(page, 'answers', 1);
  await page.close();
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
  const taken = await find<{ id: string; state: string }>(demo, '/conversations', ({ state }) => state === 'human');
  await page.goto(`${demo.portalUrl}/conversations/${taken.id}`);
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
  await takeWidget(browser, demo); // after the inbox, since these add conversations to it
  await takeAnswers(browser, demo);
}
