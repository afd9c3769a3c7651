import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { aBrowser, demo, signIn } from './browser.ts';
import { aColleague, post } from './people.ts';

/** A page of a shop where a visitor chats and then signs in. The shop's server is this test. */
async function aShopVisitor(user: { externalUserId: string; name: string; attributes: object }) {
  const { page, problems } = await aBrowser();
  const { tenantId, workspaceId, environmentId, botId } = demo;
  await page.exposeFunction('sessionOfShop', () =>
    post<{ sessionToken: string }>(
      '/widget/sessions/authenticated',
      { tenantId, workspaceId, environmentId, botId, email: `${user.externalUserId}@shop.example`, ...user },
      { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId },
    ),
  );
  await page.goto(`${demo.siteUrl}/`);
  await page.locator('parley-chat').getByRole('button').first().click();
  const field = page.locator('parley-chat textarea');
  const say = async (text: string) => {
    await field.fill(text);
    await field.press('Enter');
    await page.locator('parley-chat [part~=message][part~=visitor]').getByText(text).waitFor();
  };
  const own = page.locator('parley-chat [part~=message][part~=visitor]');
  const identify = () => page.evaluate('Chatbot.identify({ getToken: () => sessionOfShop() })');
  return { page, problems, say, own, identify };
}

test('a visitor who signs in keeps the conversation, and the team sees their name and attributes', async () => {
  const id = crypto.randomUUID().slice(0, 8);
  const user = {
    externalUserId: `user-${id}`,
    name: `Ada ${id}`,
    attributes: { plan: 'Plus', orders: 12, isTrial: false, renewsOn: '2027-01-31' },
  };
  const shop = await aShopVisitor(user);
  await shop.say('How long does delivery take?');
  await shop.page
    .locator('parley-chat [part~=message][part~=bot]')
    .getByText(/working days/)
    .first()
    .waitFor();
  await shop.identify();
  await shop.own.getByText('How long does delivery take?').waitFor();
  await shop.say('And can I send it back?');
  expect(shop.problems).toEqual([]);

  const { page, problems } = await aBrowser();
  await signIn(page);
  await page.goto(`${demo.portalUrl}/contacts`);
  await page.getByLabel('Search contacts').fill(id);
  await page.getByRole('link', { name: user.name }).click();
  await page.getByRole('heading', { level: 1, name: user.name }).waitFor();
  const attributes = page.getByRole('region', { name: 'Attributes' });
  for (const text of ['plan', 'Plus', 'orders', '12', 'isTrial', 'No', 'renewsOn', '2027-01-31'])
    await attributes.getByText(text, { exact: true }).waitFor();
  // One conversation, from before and after the sign-in.
  const conversations = page
    .getByRole('region', { name: 'Conversations', exact: true })
    .locator('a[href^="/conversations/conv_"]');
  expect(await conversations.count()).toBe(1);
  await conversations.click();
  await page.getByRole('log').getByText('How long does delivery take?').waitFor();
  await page.getByRole('log').getByText('And can I send it back?').waitFor();
  const details = page.getByRole('complementary', { name: 'Visitor details' });
  for (const text of ['plan', 'Plus', 'isTrial', 'No']) await details.getByText(text, { exact: true }).waitFor();
  await details.getByRole('link', { name: 'View contact' }).click();
  await page.getByRole('link', { name: 'View in inbox' }).click();
  await page.getByRole('button', { name: 'Remove filter: Contact' }).waitFor();
  await expect.poll(() => page.locator('a[href*="/conversations/conv_"]').count()).toBe(1);
  expect(problems).toEqual([]);
});

test('an agent edits tags and attributes, and only an admin exports and erases', async () => {
  const id = crypto.randomUUID().slice(0, 8);
  const user = { externalUserId: `user-${id}`, name: `Bea ${id}`, attributes: { plan: 'Basic' } };
  const { tenantId, workspaceId, environmentId, botId } = demo;
  const { contactId } = await post<{ contactId: string }>(
    '/widget/sessions/authenticated',
    { tenantId, workspaceId, environmentId, botId, email: `${id}@shop.example`, ...user },
    { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId },
  );
  const [agent, admin] = [await aBrowser(), await aBrowser()];
  await signIn(agent.page, await aColleague('agent'));
  const { page } = agent;
  await page.goto(`${demo.portalUrl}/contacts/${contactId}`);
  await page.getByRole('region', { name: 'Tags' }).locator('input:visible').fill(`vip-${id}`);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Name').fill('seats');
  await page.getByLabel('Type').selectOption('number');
  await page.getByLabel('Value').fill('three');
  await page.getByRole('button', { name: 'Save attribute' }).click();
  await page.getByText('Enter a number.').waitFor();
  await page.getByLabel('Value').fill('3');
  await page.getByRole('button', { name: 'Save attribute' }).click();
  await page.getByRole('region', { name: 'Attributes' }).getByText('seats').waitFor();
  await page.getByRole('button', { name: 'Actions: plan' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByText('plan removed').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('region', { name: 'Attributes' }).getByText('plan', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Erase contact' }).isDisabled()).toBe(true);

  await signIn(admin.page);
  await admin.page.goto(`${demo.portalUrl}/contacts?tag=vip-${id}`);
  await admin.page.getByRole('link', { name: user.name }).click();
  const [download] = await Promise.all([
    admin.page.waitForEvent('download'),
    admin.page.getByRole('link', { name: 'Export data' }).click(),
  ]);
  const exported = JSON.parse(readFileSync(await download.path(), 'utf8')) as { contact: object };
  expect(exported.contact).toMatchObject({ id: contactId, attributes: { plan: 'Basic', seats: 3 } });
  await admin.page.getByRole('button', { name: 'Erase contact' }).click();
  await admin.page.getByLabel(/Type .* to confirm/).fill(user.externalUserId);
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Erase contact' }).click();
  await admin.page.getByText(/Contact erased\. Receipt: evt_/).waitFor();
  await admin.page.goto(`${demo.portalUrl}/contacts?q=${id}`);
  await admin.page.getByText('No results').waitFor();
  expect([...agent.problems, ...admin.problems]).toEqual([]);
});
