import { expect, test } from 'vitest';
import { aBrowser, waitForHydration, demo, signIn } from './browser.ts';
import { checkCurrentPage } from './appearances.ts';
import { operatorSignedIn } from './operators.ts';
import { aName, open, press, pressIn } from './steps.ts';

test('shows an announcement in the customer portal until it is dismissed or ended', async () => {
  const { page: operator, problems } = await operatorSignedIn();
  const [news, incident] = [aName('New reports'), aName('Slow answers')];
  await operator.goto(`${demo.adminUrl}/announcements`);
  await waitForHydration(operator);
  const announce = async (title: string, kind: string) => {
    await press(operator, 'New announcement');
    const dialog = operator.getByRole('dialog', { name: 'New announcement' });
    await dialog.getByRole('textbox', { name: 'Title' }).fill(title);
    await dialog.getByRole('textbox', { name: 'Message' }).fill('<b>Read</b> https://status.example');
    await dialog.getByLabel('Type').selectOption(kind);
    await dialog.getByRole('group').getByText(title).waitFor(); // as customers see it
    if (kind === 'incident') await checkCurrentPage(operator, 'admin-announce-dialog');
    await pressIn(operator, 'New announcement', 'Publish');
    await operator.getByRole('row').filter({ hasText: title }).getByText('Live', { exact: true }).waitFor();
  };
  await announce(news, 'info');
  await announce(incident, 'incident');

  const { page: customer } = await aBrowser();
  await signIn(customer);
  await open(customer, '/');
  const note = (title: string) => customer.getByRole('status').filter({ hasText: title });
  await note(incident).getByText('<b>Read</b> https://status.example').waitFor();
  expect(await note(incident).getByRole('link').count()).toBe(0);
  expect(await note(incident).getByRole('button').count()).toBe(0);
  await note(news)
    .getByRole('button', { name: `Dismiss: ${news}` })
    .click();
  await open(customer, '/bots');
  await note(incident).waitFor();
  expect(await note(news).count()).toBe(0);

  await press(operator, `End ${incident} now`);
  await operator.getByRole('row').filter({ hasText: incident }).getByText('Ended').waitFor();
  const isShown = async () => {
    const [response] = await Promise.all([
      customer.waitForResponse((one) => one.url().endsWith('/api/announcements')),
      open(customer, '/'),
    ]);
    const { data } = (await response.json()) as { data: { title: string }[] };
    return data.some(({ title }) => title === incident);
  };
  await expect.poll(isShown).toBe(false); // within five seconds of its next page
  expect(await note(incident).count()).toBe(0);
  await press(operator, `End ${news} now`);
  expect(problems).toEqual([]);
});
