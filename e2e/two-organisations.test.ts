import { expect, test } from 'vitest';
import { aBrowser, waitForHydration, byHostedPage, demo, clearAccessToken } from './browser.ts';
import { aNewcomer, linkFor, post } from './people.ts';

test('a user of two organisations switches between them and sees the bots of one at a time', async () => {
  const [nora, other] = [await aNewcomer(), await aNewcomer()];
  const bots: Record<string, string> = {};
  const create = async (person: typeof nora, name: string) => {
    const { accessToken } = await post<{ accessToken: string }>('/auth/login', person);
    const headers = { authorization: `Bearer ${accessToken}` };
    bots[name] = (await post<{ bot: { id: string } }>('/bots', { name }, headers)).bot.id;
    return headers;
  };
  await create(nora, 'Nori');
  const headers = await create(other, 'Sunny');
  await fetch(`${demo.apiUrl}/tenant`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Southwind' }),
  });
  await post('/invitations', { email: nora.email, roles: ['developer'] }, headers);
  const { page, problems } = await aBrowser();
  // The earlier email, of the sign-up, may still be the newest.
  await expect.poll(async () => (await linkFor(nora.email)).pathname).toContain('/invitation');
  await page.goto((await linkFor(nora.email)).href);
  await page.getByRole('link', { name: 'Sign in to accept' }).click();
  await byHostedPage(page, nora);
  await page.getByRole('heading', { name: 'Join Southwind' }).waitFor();
  await page.getByRole('button', { name: 'Accept invitation' }).click();

  const sees = async (name: string, not: string) => {
    await page.goto(`${demo.portalUrl}/bots`);
    await page.getByRole('link', { name }).first().waitFor();
    expect(await page.content()).not.toContain(not);
    await page.goto(`${demo.portalUrl}/bots/${bots[not]}`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  };
  const switchTo = async (organisation: string) => {
    const button = page.getByRole('button', { name: `Switch to ${organisation}` });
    // A new membership takes effect everywhere within five seconds.
    const check = async () => {
      await page.goto(`${demo.portalUrl}/profile`);
      await waitForHydration(page);
      return button.count();
    };
    await expect.poll(check).toBe(1);
    await button.click();
    await page.getByRole('banner').getByText(organisation).waitFor();
  };
  await page.getByRole('button', { name: 'User menu: Nora North' }).waitFor();
  const isInNorthlight = await page.getByRole('banner').getByText('Northlight').isVisible();
  if (!isInNorthlight) await switchTo('Northlight');
  await sees('Nori', 'Sunny');
  await switchTo('Southwind');
  await sees('Sunny', 'Nori');
  // A renewed session stays in the current organisation.
  await clearAccessToken(page);
  await sees('Sunny', 'Nori');
  await switchTo('Northlight');
  await sees('Nori', 'Sunny');
  expect(problems).toEqual([]);
});
