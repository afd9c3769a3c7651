import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { isFull } from '../tools/testing/size.ts';
import { aBrowser, demo, signIn, waitForHydration } from './browser.ts';
import { aNewcomer } from './people.ts';
import { open } from './steps.ts';

async function save(page: Page) {
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Inbox settings saved').first().waitFor();
  await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
}

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('an owner sets business hours, creates a team and escalates to it', async () => {
  const { page, problems } = await aBrowser();
  await signIn(page, await aNewcomer());
  await open(page, '/organisation/inbox');
  await page.getByRole('radio', { name: 'Set hours for each day' }).check();
  const isOpenOn = (day: string) => page.getByRole('group', { name: day }).getByRole('checkbox');
  const otherDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday'];
  for (const day of [...otherDays, 'Friday']) await isOpenOn(day).uncheck();
  await page.getByText('Set hours for at least one day, or choose “Always open”.').waitFor();
  expect(await page.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true);
  for (const day of otherDays) await isOpenOn(day).check();
  await page.getByLabel('Monday opens').fill('08:30');
  await page.getByRole('button', { name: 'Add hours on Monday' }).click();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Berlin');
  await page.getByRole('option', { name: 'Europe/Berlin' }).click();
  await page.getByLabel('Holidays').fill('2026-12-25');
  await page.getByRole('button', { name: 'Add holiday' }).click();
  await page.getByLabel('Away message').fill('We’re back on Monday.');
  await choose(page, 'Expected reply time', '15 minutes');
  await save(page);

  await page.getByRole('button', { name: 'Create team' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create team' });
  await dialog.getByLabel('Name').fill('Returns');
  await dialog.getByRole('combobox', { name: 'Members' }).click();
  await page.getByRole('option', { name: 'Nora North' }).click();
  await dialog.getByLabel('Name').click(); // closes the list
  await dialog.getByRole('button', { name: 'Create team' }).click();
  await page.getByRole('cell', { name: 'Returns', exact: true }).waitFor();

  await page.getByRole('radio', { name: 'Round robin' }).check();
  await choose(page, 'Escalate if no one claims within', '5 minutes');
  await choose(page, 'Escalate to', 'Returns');
  await save(page);
  await page.reload();
  await waitForHydration(page);
  expect(await page.getByLabel('Monday opens').first().inputValue()).toBe('08:30');
  expect(await page.getByLabel('Monday opens').count()).toBe(2);
  expect(await page.getByRole('group', { name: 'Friday' }).getByText('Closed').isVisible()).toBe(true);
  await page.getByText('25 Dec 2026').waitFor();
  expect(await page.getByLabel('Away message').inputValue()).toBe('We’re back on Monday.');
  expect(await page.getByRole('combobox', { name: 'Escalate to' }).inputValue()).toBe('Returns');

  // A team in use can't be deleted, and the page says why.
  await page.getByRole('button', { name: 'Delete team Returns' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete team' }).click();
  await page.getByText(/assignment settings of a workspace use this team/).waitFor();
  expect(problems).toEqual([]);
});

test.runIf(isFull)('an agent chooses how to be notified', async () => {
  const { page } = await aBrowser();
  await signIn(page, await aNewcomer());
  await open(page, '/profile');
  await choose(page, 'Email me if a visitor has waited for', '5 minutes');
  await page.getByText('Notification settings saved').first().waitFor();
  await page.getByRole('switch', { name: 'Daily summary by email' }).check();
  await expect
    .poll(async () => {
      await page.goto(`${demo.portalUrl}/profile`);
      return page.getByRole('switch', { name: 'Daily summary by email' }).isChecked();
    })
    .toBe(true);
  expect(await page.getByRole('combobox', { name: 'Email me if a visitor has waited for' }).inputValue()).toBe(
    '5 minutes',
  );
});
