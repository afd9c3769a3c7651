import { beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { examine } from '../tools/receiver/index.ts';
import { anEndpoint } from './an-endpoint.ts';
import { aBrowser, demo, signedIn, signIn } from './browser.ts';
import { aChat, aColleague } from './people.ts';
import { open, region, press, pressIn, shownSecret } from './steps.ts';

let page: Page;
let problems: string[];
beforeAll(async () => {
  const opened = await signedIn();
  ({ page, problems } = opened);
  return () => opened.context.close();
});

const sendTest = async () => {
  await press(page, 'Send test event');
  return region(page, 'Test endpoint')
    .getByText(/HTTP \d+/)
    .innerText();
};

test('sends test events, shows five security checks, and signs with both secrets during a rotation', async () => {
  const { pagePath, secret, calls, putSecret } = await anEndpoint(page);
  expect(await sendTest()).toBe('HTTP 401');
  await putSecret(secret);
  await open(page, pagePath);
  expect(await page.content()).not.toContain(secret);
  expect(await sendTest()).toBe('HTTP 200');
  const testPanel = region(page, 'Test endpoint');
  await testPanel.getByRole('img', { name: /^DNS .+ ms, Connect .+, TLS .+, total [\d.]+ ms$/ }).waitFor();
  expect(await region(page, 'Response to attempt 1').innerText()).toBe('ok');

  await press(page, 'Run security self-test');
  await testPanel.getByText('5/5 checks passed').waitFor();
  const verdicts = (await testPanel.getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0]);
  expect(verdicts).toEqual([
    'Valid request: Passed (HTTP 200)',
    'Duplicate request: Passed (HTTP 200)',
    'Forged signature: Passed (HTTP 401)',
    'Expired timestamp (six minutes old): Passed (HTTP 401)',
    'Headers that don’t match the body: Passed (HTTP 401)',
  ]);

  await press(page, 'Rotate secret');
  await page.getByLabel('In 1 hour').check();
  await pressIn(page, 'Rotate signing secret', 'Rotate secret');
  const next = await shownSecret(page);
  await press(page, 'I’ve saved it');
  await page.getByText(/Rotation in progress\. The old secret expires in (1 h|59 min)/).waitFor();
  expect(await sendTest()).toBe('HTTP 200');
  const { headers, body } = (await calls()).at(-1)!;
  const problemWith = (one: string) => examine([one], headers, Buffer.from(body));
  expect([secret, next].map(problemWith)).toEqual([null, null]);
  expect(problems).toEqual([]);
});

/** The tenant is shared with other tests, and the endpoint receives events of every chat. */
async function deliveryOf(type: string, webhookId: string, eventIds: readonly string[]): Promise<string> {
  const headers = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
  const response = await fetch(`${demo.apiUrl}/webhooks/${webhookId}/deliveries`, { headers });
  const { data } = (await response.json()) as { data: { id: string; eventId: string; eventType: string }[] };
  return data.find(({ eventId, eventType }) => eventType === type && eventIds.includes(eventId))?.id ?? 'none';
}

test('shows a delivery with its attempts and curl command, and sends it again with the same ID: alone and as a replay', async () => {
  const { id, pagePath, secret, putSecret, ids } = await anEndpoint(page);
  await putSecret(secret);
  const { conversationId } = await aChat('How long does delivery take?');
  const deliveredIds = () => ids(conversationId);
  await expect.poll(deliveredIds).toHaveLength(3);
  const firstIds = await deliveredIds();
  await open(page, pagePath);
  const log = region(page, 'Delivery list');
  await log.getByRole('link', { name: 'message.created' }).nth(1).waitFor();
  await log.locator(`a[href$="${await deliveryOf('conversation.created', id, firstIds)}"]`).click();
  await page
    .getByRole('link', { name: 'View conversation' })
    .and(page.locator(`[href$="${conversationId}"]`))
    .waitFor();

  const attempts = region(page, 'Attempts');
  for (const text of ['Attempt 1', 'HTTP 200', 'Delivered.']) await attempts.getByText(text, { exact: true }).waitFor();
  await attempts.getByRole('img', { name: /^DNS .+ total [\d.]+ ms$/ }).waitFor();
  const eventId = (await page.getByRole('button', { name: /^Copy evt_/ }).getAttribute('aria-label'))?.slice(5) ?? '';
  expect(await region(page, 'Request body (formatted)').innerText()).toContain(eventId);
  const curl = await region(page, /^curl command/).innerText();
  expect([curl.startsWith('curl '), curl.includes(demo.receiverUrl), curl.includes(eventId)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(curl).not.toContain(secret);

  const first = page.url();
  await press(page, 'Resend');
  await page.waitForURL((url) => url.href !== first);
  await page.getByText('Resent', { exact: true }).waitFor();
  await region(page, 'Delivery').getByText('Delivered', { exact: true }).waitFor();
  expect((await deliveredIds()).toSorted()).toEqual([...firstIds, eventId].toSorted());

  await open(page, pagePath);
  await press(page, 'Replay events');
  await page.getByLabel('Delivered', { exact: true }).check();
  await pressIn(page, 'Replay events', 'Start replay');
  const ending = region(page, 'Replay').getByText(/^Done\. \d+ deliveries queued again\. None pending\./);
  await ending.waitFor();
  const twice = [...firstIds, eventId, ...firstIds, eventId].toSorted();
  await expect.poll(async () => (await deliveredIds()).toSorted()).toEqual(twice);
  const watched = page.url();
  await page.getByRole('link', { name: 'All endpoints' }).click();
  await page.goto(watched);
  await ending.waitFor();
  expect(problems).toEqual([]);
});

test('the endpoint form finds events, adds whole groups, keeps its buttons in view and its rare settings closed', async () => {
  await page.setViewportSize({ width: 1280, height: 560 });
  await open(page, '/developers/webhooks');
  await press(page, 'Add endpoint');
  const dialog = page.getByRole('dialog', { name: 'Add endpoint' });
  const submit = dialog.getByRole('button', { name: 'Add endpoint' });
  const isInView = async () => {
    const box = await submit.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= 560;
  };
  await submit.waitFor();
  await expect.poll(isInView).toBe(true);
  expect(await dialog.getByLabel('Max requests per second').isVisible()).toBe(false);
  expect(await dialog.getByLabel('message.created', { exact: true }).count()).toBe(0);

  await dialog.getByLabel('URL').fill('https://shop.example/hooks');
  await submit.click();
  await dialog.getByText('Choose at least one event.').waitFor();
  await dialog.getByLabel('Search events').fill('created');
  await dialog.getByLabel('message.created', { exact: true }).check();
  expect(await dialog.getByLabel('message.feedback', { exact: true }).count()).toBe(0);
  await dialog.getByLabel('Search events').fill('');
  await dialog.getByLabel('conversation.*', { exact: true }).check();
  await dialog.getByRole('button', { name: 'Show sample message.created event' }).waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Show message events' }).click();
  expect(await dialog.getByLabel('message.created', { exact: true }).isChecked()).toBe(true);
  await dialog.getByRole('button', { name: 'Advanced settings' }).click();
  await dialog.getByLabel('Max requests per second').fill('20');
  await expect.poll(isInView).toBe(true);
  // A closed field that is invalid opens again.
  await dialog.getByLabel('Max requests per second').fill('');
  await dialog.getByRole('button', { name: 'Advanced settings' }).click();
  await submit.click();
  await dialog.getByLabel('Max requests per second').waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(problems).toEqual([]);
});

test('the menu counts failing endpoints for viewers too, and keeps the count while the API is overloaded', async () => {
  const viewer = await aBrowser();
  await signIn(viewer.page, await aColleague('viewer'));
  let refused = 0;
  let isOverloaded = false;
  await viewer.page.route(/\/api\/webhooks\?/, (route) => {
    if (isOverloaded) refused += 1;
    const data = route.request().url().includes('status=failing') ? [{ id: 'whk_1' }] : [];
    return route.fulfill(isOverloaded ? { status: 429, json: {} } : { json: { data, nextCursor: null } });
  });
  await viewer.page.clock.install();
  await open(viewer.page, '/profile');
  const count = viewer.page.getByRole('navigation', { name: 'Main' }).getByText('1 failing endpoint');
  await count.waitFor();
  isOverloaded = true;
  // Twice: by the second time, the page has shown what came of the first.
  for (const times of [3, 6]) {
    await viewer.page.clock.fastForward('05:00');
    await expect.poll(() => refused).toBe(times);
  }
  expect(await count.count()).toBe(1);
  expect(viewer.problems).toEqual([]);
});
