import { beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { examine } from '../tools/receiver/index.ts';
import { anEndpoint } from './an-endpoint.ts';
import { demo, signedIn } from './browser.ts';
import { aChat } from './people.ts';
import { open, part, press, pressIn, theSecret } from './steps.ts';

let page: Page;
let problems: string[];
beforeAll(async () => {
  ({ page, problems } = await signedIn());
});

const sendTest = async () => {
  await press(page, 'Send a test');
  return part(page, 'Try it')
    .getByText(/HTTP \d+/)
    .innerText();
};

test('401, then 200 once the server has the secret: a test, five verdicts in words, and two signatures while it is rotated', async () => {
  const { address, secret, calls, putSecret } = await anEndpoint(page);
  expect(await sendTest()).toBe('HTTP 401');
  await putSecret(secret);
  await open(page, address);
  expect(await page.content()).not.toContain(secret);
  expect(await sendTest()).toBe('HTTP 200');
  const tried = part(page, 'Try it');
  await tried.getByRole('img', { name: /^DNS .+ ms, Connect .+, TLS .+, total [\d.]+ ms$/ }).waitFor();
  expect(await part(page, 'Answer to try 1').innerText()).toBe('ok');

  await press(page, 'Run the security self-test');
  await tried.getByText('All five calls were met as they should be.').waitFor();
  const verdicts = (await tried.getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0]);
  expect(verdicts).toEqual([
    'A call that is signed well: accepted rightly (HTTP 200).',
    'The same call a second time: accepted rightly (HTTP 200).',
    'A call with a forged signature: refused rightly (HTTP 401).',
    'A call that is six minutes old: refused rightly (HTTP 401).',
    'A call whose headers contradict its body: refused rightly (HTTP 401).',
  ]);

  await press(page, 'Rotate secret');
  await page.getByLabel('In 1 hour').check();
  await pressIn(page, 'Rotate the signing secret', 'Rotate secret');
  const next = await theSecret(page);
  await press(page, 'I’ve saved it');
  await page.getByText(/A rotation runs\. The old secret still works for (1 h|59 min)/).waitFor();
  expect(await sendTest()).toBe('HTTP 200');
  const { headers, body } = (await calls()).at(-1)!;
  const fits = (one: string) => examine([one], headers, Buffer.from(body));
  expect([secret, next].map(fits)).toEqual([null, null]);
  expect(problems).toEqual([]);
});

/** The tenant is not ours alone, and the endpoint hears of every chat. */
async function deliveryOf(type: string, webhookId: string, eventIds: readonly string[]): Promise<string> {
  const headers = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
  const answer = await fetch(`${demo.apiUrl}/webhooks/${webhookId}/deliveries`, { headers });
  const { data } = (await answer.json()) as { data: { id: string; eventId: string; eventType: string }[] };
  return data.find(({ eventId, eventType }) => eventType === type && eventIds.includes(eventId))?.id ?? 'none';
}

test('a delivery says what happened and how to repeat it, and comes again with the same id: alone, and as a range', async () => {
  const { id, address, secret, putSecret, ids } = await anEndpoint(page);
  await putSecret(secret);
  const { conversationId } = await aChat('How long does delivery take?');
  const ours = () => ids(conversationId);
  await expect.poll(ours).toHaveLength(3);
  const arrived = await ours();
  await open(page, address);
  const log = part(page, 'Table of deliveries');
  await log.getByRole('link', { name: 'message.created' }).nth(1).waitFor();
  await log.locator(`a[href$="${await deliveryOf('conversation.created', id, arrived)}"]`).click();
  await page
    .getByRole('link', { name: 'Open it' })
    .and(page.locator(`[href$="${conversationId}"]`))
    .waitFor();

  const tries = part(page, '1 try');
  for (const seen of ['Attempt 1', 'HTTP 200', 'Delivered.']) await tries.getByText(seen, { exact: true }).waitFor();
  await tries.getByRole('img', { name: /^DNS .+ total [\d.]+ ms$/ }).waitFor();
  const eventId = (await page.getByRole('button', { name: /^Copy evt_/ }).getAttribute('aria-label'))?.slice(5) ?? '';
  expect(await part(page, 'The body, formatted for reading').innerText()).toContain(eventId);
  const curl = await part(page, /^Repeat it from your machine/).innerText();
  expect([curl.startsWith('curl '), curl.includes(demo.receiverUrl), curl.includes(eventId)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(curl).not.toContain(secret);

  const first = page.url();
  await press(page, 'Replay');
  await page.waitForURL((url) => url.href !== first);
  await page.getByText('Replayed', { exact: true }).waitFor();
  await page.getByText('Arrived').first().waitFor();
  expect((await ours()).toSorted()).toEqual([...arrived, eventId].toSorted());

  await open(page, address);
  await press(page, 'Replay a range');
  await page.getByLabel('Arrived', { exact: true }).check();
  await pressIn(page, 'Replay a range', 'Replay');
  const ending = part(page, 'Replay').getByText(/^Done\. \d+ deliveries put into the queue again\. None of them waits/);
  await ending.waitFor();
  const twice = [...arrived, eventId, ...arrived, eventId].toSorted();
  await expect.poll(async () => (await ours()).toSorted()).toEqual(twice);
  const watched = page.url();
  await page.getByRole('link', { name: 'All endpoints' }).click();
  await page.goto(watched);
  await ending.waitFor();
  expect(problems).toEqual([]);
});
