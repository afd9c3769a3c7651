import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { isFull } from '../tools/testing/size.ts';
import { anEndpoint } from './an-endpoint.ts';
import { checkCurrentPage } from './appearances.ts';
import { aBrowser, demo, signIn, waitForHydration } from './browser.ts';
import { operatorSignedIn } from './operators.ts';
import { open, press, region } from './steps.ts';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const selected = (page: Page) => palette(page).getByRole('option', { selected: true });

test('Ctrl+K opens pages, actions and bots from the keyboard, and says which item is selected', async () => {
  const { page, problems } = await aBrowser();
  await signIn(page);
  await open(page, '/organisation');
  await page.getByLabel('Search members').focus();
  await page.keyboard.press('Control+k'); // also from a field
  const input = palette(page).getByRole('combobox');
  await expect.poll(() => input.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('ArrowDown');
  expect(await input.getAttribute('aria-activedescendant')).toBe(await selected(page).getAttribute('id'));
  await checkCurrentPage(page, 'command-palette');

  await page.keyboard.type('audit');
  await expect.poll(() => selected(page).innerText()).toContain('Audit log');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${demo.portalUrl}/organisation/audit`);

  await page.keyboard.press('Control+k');
  await page.keyboard.type('members');
  await expect.poll(() => selected(page).innerText()).toContain('Members');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${demo.portalUrl}/organisation`);

  await page.keyboard.press('Control+k');
  await page.keyboard.type('SHOP help');
  await palette(page).getByRole('group', { name: 'Bots' }).getByRole('option', { name: 'Shop help' }).click();
  await page.waitForURL(/\/bots\/bot_/);
  await page.getByRole('heading', { level: 1, name: 'Shop help' }).waitFor();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('no such thing anywhere');
  await palette(page).getByText('Nothing found for “no such thing anywhere”.').waitFor();
  await page.keyboard.press('Escape');
  await palette(page).waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test.runIf(isFull)('the search button opens the palette on a phone', async () => {
  const { page, problems } = await aBrowser({ viewport: { width: 360, height: 740 } });
  await signIn(page);
  await open(page, '/bots');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await palette(page).getByRole('option', { name: 'Insights' }).click();
  await page.waitForURL(`${demo.portalUrl}/insights`);
  expect(problems).toEqual([]);
});

test.runIf(isFull)('the admin portal finds tenants', async () => {
  const { page, problems } = await operatorSignedIn();
  await page.goto(`${demo.adminUrl}/users`);
  await waitForHydration(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Demo');
  await palette(page).getByRole('group', { name: 'Tenants' }).getByRole('option').first().click();
  await page.waitForURL(/\/tenants\/ten_/);
  expect(problems).toEqual([]);
});

test.runIf(isFull)('a toast confirms a change and can undo it', async () => {
  const { page, problems } = await aBrowser();
  await signIn(page);
  const endpoint = await anEndpoint(page);
  await endpoint.putSecret(endpoint.secret); // or events of other tests' chats fail, and the endpoint with them
  await press(page, 'Pause');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Endpoint resumed.').waitFor();
  await region(page, 'Health').getByText('Active', { exact: true }).waitFor();
  expect(problems).toEqual([]);
});
