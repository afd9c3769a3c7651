import type { Page } from 'playwright-core';
import type { ReceivedCall } from '../tools/receiver/index.ts';
import { backend, demo } from './browser.ts';
import { aName, open, press, pressIn, shownSecret } from './steps.ts';

/** Adds an endpoint on the page; the tenant's server does not have its secret yet. */
export async function anEndpoint(page: Page) {
  const description = aName('Shop');
  const path = `/${description.replace(' ', '-')}`;
  await open(page, '/developers/webhooks');
  await press(page, 'Add endpoint');
  await page.getByLabel('URL').fill(demo.receiverUrl + path);
  await page.getByLabel(/^Description/).fill(description);
  await page.getByLabel('Search events').fill('.created');
  await page.getByLabel('message.created', { exact: true }).check();
  await page.getByLabel('conversation.created', { exact: true }).check();
  await pressIn(page, 'Add endpoint', 'Add endpoint');
  const secret = await shownSecret(page);
  await press(page, 'I’ve saved it');
  await page.getByLabel('Secret value').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'send a test event' }).click();
  await page.getByRole('heading', { name: description }).waitFor();
  const pagePath = new URL(page.url()).pathname;
  const calls = async () => {
    const all = (await (await backend.get(`${demo.receiverUrl}/calls`)).json()) as ReceivedCall[];
    return all.filter((call) => call.path === path);
  };
  return {
    description,
    secret,
    pagePath,
    id: pagePath.split('/').at(-1) ?? '',
    calls,
    putSecret: (value: string) => backend.put(`${demo.receiverUrl}/secrets`, { data: value }),
    /** Ids of the delivered events, in order. The tenant is shared with other tests, so filtered by conversation. */
    ids: async (conversationId: string) =>
      (await calls())
        .filter(({ problem, body }) => !problem && body.includes(`"conversationId":"${conversationId}"`))
        .map(({ headers }) => String(headers['idempotency-key'])),
  };
}
