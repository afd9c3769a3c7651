import { expect, test } from 'vitest';
import { isFull } from '../tools/testing/size.ts';
import { aBrowser, waitForHydration, demo } from './browser.ts';
import { checkCurrentPage } from './appearances.ts';
import { operatorSignedIn } from './operators.ts';
import { linkFor } from './people.ts';
import { aName, press, pressIn } from './steps.ts';

const password = 'a lantern in the harbour';
const anEmail = () => `olive-${crypto.randomUUID().slice(0, 8)}@northlight.example`;

test('creates a tenant with its owner, who gets an email, sets a password and signs in to the customer portal', async () => {
  const [name, email] = [aName('Northlight'), anEmail()];
  const { page, problems } = await operatorSignedIn();
  await page.goto(`${demo.adminUrl}/tenants`);
  await waitForHydration(page);
  await press(page, 'Create tenant');
  const dialog = page.getByRole('dialog', { name: 'Create tenant' });
  await dialog.getByLabel('Organisation name').fill(name);
  await dialog.getByLabel('Owner’s email').fill(email);
  await checkCurrentPage(page, 'admin-create-dialog');
  await pressIn(page, 'Create tenant', 'Create tenant');
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText(`${email} was invited`).waitFor();

  const owner = await aBrowser();
  await owner.page.goto((await linkFor(email)).href);
  await owner.page.getByLabel('Your name').fill('Olive Owner');
  await owner.page.getByLabel(/^Password/).fill(password);
  await owner.page.locator('form button').first().click();
  await owner.page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await owner.page.getByText(name).first().waitFor();

  // Found by a part of the owner's email, which the URL keeps.
  await page.goto(`${demo.adminUrl}/tenants`);
  await waitForHydration(page);
  await page.getByLabel('Find a tenant').pressSequentially(email.slice(0, 14));
  await page.getByText(`Member: ${email}`).waitFor();
  expect(new URL(page.url()).searchParams.get('query')).toBe(email.slice(0, 14));
  await page.getByRole('link', { name }).click();
  await page.getByRole('region', { name: 'Members table' }).getByText(email).waitFor();
  expect(await page.getByText('Owner invitation').count()).toBe(0);
  expect([...problems, ...owner.problems]).toEqual([]);
});

test('records changes of plan and limits, previews a suspension, and says until when a deletion can be undone', async () => {
  const name = aName('Southlight');
  const { page, problems } = await operatorSignedIn();
  await page.goto(`${demo.adminUrl}/tenants`);
  await waitForHydration(page);
  await press(page, 'Create tenant');
  await page.getByRole('dialog').getByLabel('Organisation name').fill(name);
  await pressIn(page, 'Create tenant', 'Create tenant');
  await page.getByRole('heading', { name, level: 1 }).waitFor();

  await page.getByRole('link', { name: 'Plan and limits' }).click();
  await press(page, 'Override Bots for this tenant');
  await page.getByLabel('Bots for this tenant').fill('7');
  await press(page, 'Save plan and limits');
  await page.getByText('Bots: plan default → 7').waitFor();
  await page.getByText(/^Set by .*@/).waitFor();

  await page.getByRole('link', { name: 'Danger zone' }).click();
  await page.getByText('Nothing in this tenant is in use.').first().waitFor();
  await press(page, 'Suspend tenant');
  await page.getByRole('dialog').getByLabel('Reason').fill('Unpaid bills');
  await pressIn(page, `Suspend ${name}?`, 'Suspend tenant');
  await page.getByText('Reason: Unpaid bills').waitFor();
  await press(page, 'Resume tenant');
  await page.getByRole('button', { name: 'Suspend tenant' }).waitFor();

  await press(page, 'Delete tenant');
  const dialog = page.getByRole('dialog', { name: `Delete ${name}?` });
  await dialog.getByLabel('Reason').fill('They asked for it');
  expect(await dialog.getByRole('button', { name: 'Delete tenant' }).isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
  await checkCurrentPage(page, 'admin-delete-dialog');
  await pressIn(page, `Delete ${name}?`, 'Delete tenant');
  await page.getByText(/You can restore it until \d+ \w+ \d{4}/).waitFor();
  await press(page, 'Restore tenant');
  await page.getByRole('dialog').getByLabel('Reason').fill('They changed their mind');
  await pressIn(page, `Restore ${name}?`, 'Restore tenant');
  await page.getByRole('button', { name: 'Suspend tenant' }).waitFor();
  expect(problems).toEqual([]);
});

test.runIf(isFull)('shows a read-only role which role can do more', async () => {
  const { page } = await operatorSignedIn('support');
  await page.goto(`${demo.adminUrl}/tenants/${demo.tenantId}/danger`);
  await page.getByRole('note', { name: 'Requires the Platform admin role.' }).first().waitFor();
  expect(await page.getByRole('button', { name: 'Suspend tenant' }).isDisabled()).toBe(true);
});
