import type { Page } from 'playwright-core';
import type { ReceivedCall } from '../tools/receiver/index.ts';
import { aBrowser, demo } from './browser.ts';
import { aName, open, press, pressIn, theSecret } from './steps.ts';

/** Added by the page; the tenant's server does not know its secret yet. */
export async function anEndpoint(page: Page) {
  // To the tenant's own server, whose certificate nobody else knows.
  const backend = (await aBrowser({ ignoreHTTPSErrors: true })).context.request;
  const description = aName('Shop');
  const path = `/${description.replace(' ', '-')}`;
  await open(page, '/developers/webhooks');
  await press(page, 'Add endpoint');
  await page.getByLabel('URL').fill(demo.receiverUrl + path);
  await page.getByLabel(/^Description/).fill(description);
  await page.getByLabel('message.created', { exact: true }).check();
  await page.getByLabel('conversation.created', { exact: true }).check();
  await pressIn(page, 'Add endpoint', 'Add endpoint');
  const secret = await theSecret(page);
  await press(page, 'I’ve saved it');
  await page.getByLabel('Secret value').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'send a test event' }).click();
  await page.getByRole('heading', { name: description }).waitFor();
  const address = new URL(page.url()).pathname;
  const calls = async () => {
    const all = (await (await backend.get(`${demo.receiverUrl}/calls`)).json()) as ReceivedCall[];
    return all.filter((call) => call.path === path);
  };
  return {
    description,
    secret,
    address,
    id: address.split('/').at(-1) ?? '',
    calls,
    putSecret: (good: string) => backend.put(`${demo.receiverUrl}/secrets`, { data: good }),
    /** Ids of the events that arrived, in order. The tenant is not ours alone, so it is asked by conversation. */
    ids: async (conversationId: string) =>
      (await calls())
        .filter(({ problem, body }) => !problem && body.includes(`"conversationId":"${conversationId}"`))
        .map(({ headers }) => String(headers['idempotency-key'])),
  };
}
