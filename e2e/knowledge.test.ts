import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { aBot } from './a-bot.ts';
import { demo } from './browser.ts';

const row = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Sources' }).getByRole('listitem').filter({ hasText: name });

async function add(page: Page, kind: string, fields: Record<string, string>) {
  await page.getByRole('button', { name: kind, exact: true }).click();
  const dialog = page.getByRole('dialog');
  for (const [label, text] of Object.entries(fields)) await dialog.getByRole('textbox', { name: label }).fill(text);
  await dialog.getByRole('button', { name: 'Add source' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Two sections, each long enough to become a chunk. */
const help = `# Returns

You can send anything back within 30 days. We refund the whole price within five working days after it has arrived, to
the account that paid for it, and we tell you so in an email.

# Delivery

Delivery takes two working days within the country and five beyond it. It costs four euros ninety, or nothing at all
for an order of more than fifty euros, whatever is in it and wherever it goes.`;

test('syncs, counts, tests, shows, disables and deletes knowledge of each kind', async () => {
  const { page, id, read } = await aBot('Knowledge');
  await add(page, 'Text', {
    Name: 'Help',
    Text: help,
  });
  await add(page, 'Questions and answers', {
    Name: 'Asked often',
    'Question 1': 'Do you have a shop?',
    'Answer 1': 'Yes, at the harbour of Kiel.',
  });
  await page.getByRole('button', { name: 'Files' }).click();
  await page.locator('input[type=file]').setInputFiles([
    { name: 'care.md', mimeType: 'text/markdown', buffer: Buffer.from('# Care\n\nWash lamps with cold water only.') },
    { name: 'hours.txt', mimeType: 'text/plain', buffer: Buffer.from('We are open from nine to five.') },
  ]);
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await add(page, 'Web page', { 'Page URL': 'https://no-such-host.invalid/' });

  await row(page, 'Help')
    .getByText(/^2 excerpts from 1 document[.,]/)
    .waitFor();
  for (const name of ['Asked often', 'care.md', 'hours.txt'])
    await row(page, name)
      .getByText(/^1 excerpt from 1 document[.,]/)
      .waitFor();
  const broken = row(page, 'no-such-host.invalid');
  await broken.getByText('Sync failed', { exact: true }).waitFor();
  await broken.getByText('No site with this name was found. Check the URL for typos.').waitFor();

  const ask = async (question: string) => {
    await page.getByRole('textbox', { name: 'Question' }).fill(question);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText(`Quoted answer to “${question}”`).waitFor();
    return page.getByRole('region', { name: 'Test a question' }).getByRole('status').innerText();
  };
  const found = await ask('Can I send it back?');
  expect(found).toMatch(/From Help › Returns \[1\]:\s+You can send anything back within 30 days\./);
  expect(found).toMatch(/in Help, \d+% match\s+Quoted\s+Matched terms\s+send\s+back\s+You can send anything back/);

  await page.getByRole('region', { name: 'Test a question' }).getByRole('link', { name: 'Returns' }).first().click();
  await page.getByRole('list', { name: 'Excerpts' }).getByText('You can send anything back').waitFor();
  await page.getByRole('link', { name: 'All sources' }).click();

  await page.getByRole('switch', { name: 'Enabled: Help' }).click();
  await expect.poll(() => page.getByRole('switch', { name: 'Enabled: Help' }).isChecked()).toBe(false);
  expect(await ask('Can I send it back?')).not.toContain('within 30 days');

  await page.getByRole('button', { name: 'More options for care.md' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this source?' });
  await dialog.getByRole('textbox').fill('hours.txt');
  expect(await dialog.getByRole('button', { name: 'Delete source' }).isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('care.md');
  await dialog.getByRole('button', { name: 'Delete source' }).click();
  await row(page, 'care.md').waitFor({ state: 'detached' });
  // From its own page too, which is left without a "Page not found" in between.
  await page.getByRole('link', { name: 'hours.txt' }).click();
  await page.evaluate(() => {
    const check = () => {
      if (document.body.textContent.includes('Page not found')) document.documentElement.dataset['lost'] = 'yes';
    };
    new MutationObserver(check).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByRole('textbox').fill('hours.txt');
  await dialog.getByRole('button', { name: 'Delete source' }).click();
  await page.getByRole('heading', { name: 'Add knowledge' }).waitFor();
  await row(page, 'hours.txt').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.documentElement.dataset['lost'])).toBeUndefined();
  const { data } = await read<{ data: { name: string; isEnabled: boolean }[] }>(`/bots/${id}/knowledge-sources`);
  expect(data.map(({ name, isEnabled }) => `${name} ${isEnabled}`).toSorted()).toEqual([
    'Asked often true',
    'Help false',
    'no-such-host.invalid true',
  ]);
});

test('a website is added by one URL: the plan, the parts to leave out, the pages, and why one failed', async () => {
  const { page, id, read } = await aBot('Knowledge');
  await page.getByRole('button', { name: 'Website', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const url = dialog.getByRole('textbox', { name: 'URL' });
  await url.fill('https://no-such-host.invalid/');
  await url.press('Enter');
  await dialog.getByText('No site with this name was found. Check the URL for typos.').waitFor();
  await url.fill(`${demo.siteUrl}/help/`);
  await url.press('Enter');
  await dialog.getByText(/^Found 4 pages\./).waitFor();
  await dialog.getByRole('checkbox', { name: 'Only pages under /help/' }).press('Space');
  await dialog.getByText(/^Found \d\d pages\./).waitFor();
  await url.fill(demo.siteUrl);
  await url.press('Enter');
  await dialog.getByText(/^Found \d+ pages\. Syncing takes about a minute\.$/).waitFor();
  await dialog.getByText(/^From the site’s sitemap and the links on the start page\./).waitFor();
  await dialog.getByRole('checkbox', { name: '/blog/ (2 pages)' }).press('Space');
  await dialog.getByRole('button', { name: 'Add website' }).click();
  await dialog.waitFor({ state: 'hidden' });

  const source = row(page, new URL(demo.siteUrl).host);
  await source.getByText(/^\d+ excerpts from \d+ pages; \d pages failed/).waitFor();
  await source.getByRole('link').first().click();
  await page.getByRole('region', { name: 'Documents' }).getByText('Failed', { exact: true }).first().click();
  await page.getByText(/shows its content only with JavaScript/).waitFor();
  expect(await page.getByRole('textbox', { name: /^Exclude these paths/ }).inputValue()).toBe('/blog/');

  const { data: sources } = await read<{ data: { id: string; kind: string; schedule: string }[] }>(
    `/bots/${id}/knowledge-sources`,
  );
  expect(sources).toMatchObject([{ kind: 'site', schedule: 'weekly' }]);
  const { data: documents } = await read<{ data: { location: string }[] }>(
    `/knowledge-sources/${sources[0]?.id}/documents?limit=100`,
  );
  const paths = documents.map(({ location }) => new URL(location).pathname);
  expect(paths).toEqual(expect.arrayContaining(['/', '/help/delivery', '/help/returns', '/help/configurator']));
  expect(paths.filter((path) => path.startsWith('/blog'))).toEqual([]);
});
