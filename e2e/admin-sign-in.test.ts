import { expect, test } from 'vitest';
import { productVersion } from '../apps/server/src/platform/product-version.ts';
import { aBrowser, demo, signOut, typePassword } from './browser.ts';
import { anOperator, signInAsOperatorByForm } from './operators.ts';

test('an operator signs in with password and code, sees their role and signs out; no token reaches the page', async () => {
  const operator = await anOperator('support');
  const { page, context, problems } = await aBrowser();
  await page.goto(`${demo.adminUrl}/tenants`);
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/sign-in?next=%2Ftenants');
  await signInAsOperatorByForm(page, operator);
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Tenants');
  await page.getByText(`Parley ${productVersion}`, { exact: true }).waitFor();
  const cookies = await context.cookies(demo.adminUrl);
  expect(cookies.filter(({ httpOnly }) => !httpOnly)).toEqual([]);
  expect(cookies.every(({ name }) => name.includes('admin_'))).toBe(true);
  await page.getByRole('button', { name: /^User menu/ }).click();
  await page.getByText('support').first().waitFor();
  await page.keyboard.press('Escape');
  await signOut(page);
  await page.goto(`${demo.adminUrl}/tenants`);
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  expect(problems).toEqual([]);
});

test('refuses a customer’s password in the admin portal, and an operator’s in the customer portal', async () => {
  const operator = await anOperator();
  const { page } = await aBrowser();
  for (const [portalUrl, person] of [
    [demo.adminUrl, demo.customer],
    [demo.portalUrl, operator],
  ] as const) {
    await page.goto(`${portalUrl}/sign-in`);
    await typePassword(page, person);
    await page.getByRole('alert').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  }
});
