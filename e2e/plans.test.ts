import { expect, test } from 'vitest';
import { isFull } from '../tools/testing/size.ts';
import { aBrowser, demo, signIn } from './browser.ts';
import { aColleague, aNewcomer } from './people.ts';
import { open, region } from './steps.ts';

test('an owner compares the plans and finds whom to contact, from each place that mentions an upgrade', async () => {
  const { page, problems } = await aBrowser();
  await signIn(page, await aNewcomer());
  await open(page, '/organisation/plan');
  await page.getByRole('link', { name: 'Upgrade' }).click();
  await page.waitForURL(`${demo.portalUrl}/organisation/plans`);
  const plans = region(page, 'Plans');
  await plans.waitFor();
  expect(await plans.getByRole('columnheader').allInnerTexts()).toEqual([
    'Includes',
    expect.stringMatching(/^Free\s+Current plan$/),
    'Team',
    'Enterprise',
  ]);
  const rowOf = async (title: RegExp) =>
    (await plans.getByRole('row', { name: title }).getByRole('cell').allInnerTexts()).map((text) => text.trim());
  expect(await rowOf(/^Messages/)).toEqual(['1,000 per month', '50,000 per month', '10,000,000 per month']);
  const models = plans.getByRole('row', { name: /^Custom models/ }).getByRole('img');
  expect(await models.evaluateAll((icons) => icons.map((icon) => icon.getAttribute('aria-label')))).toEqual([
    'Not included',
    'Not included',
    'Included',
  ]);
  const contact = page.getByRole('link', { name: 'Contact us to upgrade' });
  expect(await contact.getAttribute('href')).toBe('mailto:sales@parley.example?subject=Upgrade');

  // The form of an endpoint, whose live events another plan includes.
  await open(page, '/developers/webhooks');
  await page.getByRole('button', { name: 'Add endpoint' }).first().click();
  await page.getByRole('dialog').getByRole('link', { name: 'Compare plans' }).click();
  await contact.waitFor();
  expect(problems).toEqual([]);
});

test.runIf(isFull)('a member who cannot change the plan is told who can', async () => {
  const { page } = await aBrowser();
  await signIn(page, await aColleague('developer'));
  await open(page, '/organisation/plans');
  await page.getByText('Only owners can change the plan. Ask one of them.').waitFor();
  expect(await page.getByRole('link', { name: /upgrade/i }).count()).toBe(0);
});
