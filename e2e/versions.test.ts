import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { aBot, site, tabOf } from './a-bot.ts';
import { demo } from './browser.ts';
import { post } from './people.ts';
import { within } from './steps.ts';

async function publish(page: Page, version: number) {
  await page.getByRole('button', { name: 'Publish…' }).click();
  await page.getByRole('button', { name: 'Publish to live' }).click();
  await page.getByText(`Published version ${version} to live. New conversations use it.`).waitFor();
}

/** The greeting that the tenant's pages show, or the error status. */
async function asVisitor(id: string, headers: Record<string, string>) {
  const { secret } = await post<{ secret: string }>(
    '/api-keys',
    { name: 'Pages', keyType: 'public_widget', boundBotId: id },
    headers,
  );
  return async () => {
    const response = await fetch(`${demo.cdnUrl}/config/${id}?key=${secret}`, { headers: { origin: site } });
    return response.ok ? ((await response.json()) as { greeting: string }).greeting : response.status;
  };
}
const soon = within(2);

test('publishes two versions, shows their differences and switches between them; visitors get the change within two seconds', async () => {
  const { page, id, headers } = await aBot();
  const greetingOf = await asVisitor(id, headers);
  await tabOf(page, 'Settings').click();
  await page.getByRole('heading', { name: 'General' }).waitFor();
  await publish(page, 1);
  await expect.poll(greetingOf, soon).toBe('Hello from the first day.');
  await page.getByRole('button', { name: 'Publish…' }).waitFor({ state: 'detached' });

  await tabOf(page, 'Build').click();
  await page.getByRole('textbox', { name: 'Greeting' }).fill('Good morning.\nWhat is it?');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Draft saved').waitFor();
  expect(await greetingOf()).toBe('Hello from the first day.');
  await publish(page, 2);
  await expect.poll(greetingOf, soon).toBe('Good morning.\nWhat is it?');

  await tabOf(page, 'Versions').click();
  await page.getByRole('button', { name: 'Show changes in version 2' }).click();
  expect(await page.getByRole('region', { name: 'Changes to greeting' }).innerText()).toMatch(
    /removed\s+Hello from the first day\.\s+\+ added\s+Good morning\.\s+\+ added\s+What is it\?/,
  );
  await page.getByRole('button', { name: 'Roll back… version 1' }).click();
  await page.getByText('Your draft stays as it is').waitFor();
  await page.getByRole('button', { name: 'Roll back to version 1' }).click();
  await page.getByText('Deployed version 1 to live. New conversations use it.').waitFor();
  await expect.poll(greetingOf, soon).toBe('Hello from the first day.');
  await page.getByRole('listitem').filter({ hasText: 'Version 1' }).getByText('Deployed to live').waitFor();

  await page.getByRole('button', { name: 'Deploy… version 2' }).click();
  await page.getByRole('button', { name: 'Deploy version 2' }).click();
  await page.getByText('Deployed version 2 to live. New conversations use it.').waitFor();
  await expect.poll(greetingOf, soon).toBe('Good morning.\nWhat is it?');
});

test('pauses, resumes and archives a bot by its name; visitors see the change within two seconds', async () => {
  const { page, id, headers, saved } = await aBot('Settings');
  const greetingOf = await asVisitor(id, headers);
  await publish(page, 1);
  await page.getByRole('button', { name: 'Pause bot' }).click();
  await page.getByText('This bot is paused. Visitors can’t see it').waitFor();
  await expect.poll(greetingOf, soon).toBeTypeOf('number');
  await page.getByRole('button', { name: 'Resume bot' }).click();
  await page.getByText('v1 live', { exact: true }).waitFor();
  await expect.poll(greetingOf, soon).toBe('Hello from the first day.');

  await page.getByRole('button', { name: 'Archive bot…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Archive this bot?' });
  await dialog.getByRole('textbox').fill('nori');
  expect(await dialog.getByRole('button', { name: 'Archive bot' }).isDisabled()).toBe(true);
  await dialog.getByRole('textbox').press('Enter');
  expect((await saved()).status).toBe('active');
  await dialog.getByRole('textbox').fill('Nori');
  await dialog.getByRole('button', { name: 'Archive bot' }).click();
  await page.getByText('This bot is archived. It doesn’t answer').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(greetingOf, soon).toBeTypeOf('number');
  expect((await saved()).status).toBe('archived');
});
