import { expect, test, vi } from 'vitest';
import type { ReceivedCall } from '../tools/receiver/index.ts';
import { aBrowser, backend, waitForHydration, demo } from './browser.ts';
import { checkCurrentPage } from './appearances.ts';
import { anOrganisation } from './an-organisation.ts';
import { operatorSignedIn } from './operators.ts';
import { post } from './people.ts';
import { press, pressIn, within } from './steps.ts';

const origin = new URL(demo.siteUrl).origin;

/** With a key and an endpoint. */
async function aShop() {
  const organisation = await anOrganisation();
  const { tenant, headers, scope, botId } = organisation;
  const server = { name: 'Server', keyType: 'secret_server', permissions: ['bot.view'], ...scope };
  const key = await post<{ secret: string; apiKey: { id: string } }>('/api-keys', server, headers);
  const path = `/suspended-${tenant.id}`;
  const { secret } = await post<{ secret: string }>(
    '/webhooks',
    { url: demo.receiverUrl + path, eventTypes: ['message.created'] },
    headers,
  );
  await backend.put(`${demo.receiverUrl}/secrets`, { data: secret });
  const calls = async () =>
    ((await (await backend.get(`${demo.receiverUrl}/calls`)).json()) as ReceivedCall[]).filter(
      (call) => call.path === path,
    );
  const byKey = async () =>
    (
      await fetch(`${demo.apiUrl}/bots/${botId}`, {
        headers: { authorization: `Bearer ${key.secret}`, 'x-service-api-key-id': key.apiKey.id },
      })
    ).status;
  return { ...organisation, calls, byKey };
}

/** A page of the shop's site with this bot, in a new browser. */
async function aPage(shop: Awaited<ReturnType<typeof aShop>>) {
  const { page, context, problems } = await aBrowser();
  /** Console messages that say why there is no chat. */
  const messages: string[] = [];
  page.on('console', (line) => void (line.text().startsWith('Chatbot: ') && messages.push(line.text())));
  await page.goto(`${origin}/reports`); // a page of the site without a chat
  await page.evaluate(
    ([src, botId, publicKey]) => {
      const script = document.createElement('script');
      Object.assign(script.dataset, { botId, publicKey });
      script.src = src ?? '';
      document.head.append(script);
    },
    [`${demo.apiUrl}/cdn/chatbot-widget.js`, shop.botId, shop.publicKey],
  );
  const launcher = page.locator('parley-chat').getByRole('button').first();
  const say = async (text: string) => {
    const box = page.getByRole('textbox');
    await box.fill(text);
    await box.press('Enter');
  };
  return { page, context, problems, messages, launcher, say };
}

async function until(seconds: number, condition: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  await vi.waitUntil(condition, within(seconds));
  return Math.round(performance.now() - startedAt);
}

test('suspending a tenant stops chat, keys and webhooks within five seconds, and resuming restores them', async () => {
  const shop = await aShop();
  const { tenant, calls, byKey } = shop;
  const first = await aPage(shop);
  await first.launcher.click();
  await first.say('Where is my order?');
  await expect.poll(async () => (await calls()).length).toBe(2); // the question and its answer
  expect(await byKey()).toBe(200);

  const { page, problems } = await operatorSignedIn();
  await page.goto(`${demo.adminUrl}/tenants/${tenant.id}/danger`);
  await waitForHydration(page);
  await press(page, 'Suspend tenant');
  await page.getByRole('dialog').getByLabel('Reason').fill('The bill was not paid.');
  await checkCurrentPage(page, 'admin-suspend-dialog');
  await pressIn(page, `Suspend ${tenant.name}?`, 'Suspend tenant');
  const keyMs = await until(5, async () => (await byKey()) === 403);
  await first.say('And now?');
  const closed = first.page.getByText('This chat is currently unavailable.').first();
  const chatMs = await until(5, () => closed.isVisible());
  const later = await aPage(shop);
  await vi.waitUntil(() => later.messages.length > 0, within(10));
  expect(await later.launcher.count(), 'a newly opened page has no chat').toBe(0);
  expect(await calls()).toHaveLength(2);

  await press(page, 'Resume tenant');
  const keyBackMs = await until(5, async () => (await byKey()) === 200);
  await first.page.getByRole('button', { name: 'Try again' }).click();
  const webhookMs = await until(10, async () => (await calls()).length === 4);
  const newcomer = await aPage(shop);
  await newcomer.launcher.waitFor();
  console.log(
    `suspended: keys refused after ${keyMs} ms, chat unavailable after ${chatMs} ms; resumed: keys after ${keyBackMs} ms, webhooks after ${webhookMs} ms`,
  );
  expect([...problems, ...first.problems, ...later.problems, ...newcomer.problems]).toEqual([]);
});
