import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { aBrowser, alive, demo, signIn } from './browser.ts';
import { aNewcomer, linkFor } from './people.ts';
import { open, within } from './steps.ts';

const { portalUrl } = demo;
const password = 'a ferry without a timetable';
const anAddress = () => `robin-${crypto.randomUUID().slice(0, 8)}@northlight.example`;

async function invite(page: Page, email: string, role: string) {
  await open(page, '/organisation');
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite somebody' });
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByLabel(role, { exact: true }).check();
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByText(`A letter is on its way to ${email}.`).waitFor();
}

/** Confirmed by name, as everything is that cannot be undone. */
async function confirm(page: Page, name: string, verb: string) {
  await page.getByLabel(/to confirm/).fill(name);
  await page.getByRole('dialog').getByRole('button', { name: verb }).click();
}

/** Whoever loads the page again may do it, without a new sign-in. */
async function enabledWithin5s(page: Page, button: Locator) {
  const look = async () => {
    await page.reload();
    return button.isEnabled();
  };
  await expect.poll(look, within(5)).toBe(true);
  await alive(page);
}

test('a colleague joins by the letter, sees what their role may, gets another within 5 s, becomes the owner, and removes who was', async () => {
  const nora = await aNewcomer();
  const [owner, colleague] = [await aBrowser(), await aBrowser()];
  await signIn(owner.page, nora);
  const email = anAddress();
  await invite(owner.page, email, 'Viewer');

  const { page } = colleague;
  await page.goto((await linkFor(email)).href);
  await page.getByRole('heading', { name: 'Join Northlight' }).waitFor();
  await page.getByLabel('Your name').fill('Robin Reed');
  await page.getByLabel(/password/i).fill(password);
  await page.getByRole('button', { name: 'Create account and join' }).click();
  await page.getByRole('heading', { name: 'Welcome to Northlight' }).waitFor();
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => url.href.startsWith(portalUrl));
  await signIn(page, { email, password });
  await open(page, '/organisation');
  await page.getByText('Members and invitations can be seen by owners or admins.').waitFor();
  await page.getByRole('link', { name: 'Workspaces' }).click();
  const create = page.getByRole('button', { name: 'Create workspace' });
  await page
    .getByLabel(/^Only owners or admins can do this/)
    .first()
    .waitFor();
  expect(await create.isDisabled()).toBe(true);

  // The last owner cannot leave, and is told what to do instead.
  await open(owner.page, '/organisation');
  await owner.page.getByRole('button', { name: 'Leave the organisation' }).click();
  await confirm(owner.page, nora.email, 'Leave organisation');
  await owner.page
    .getByRole('alert')
    .getByText(/This is the last owner who can sign in/)
    .waitFor();
  await owner.page.getByRole('button', { name: 'Cancel' }).click();

  await owner.page.getByRole('button', { name: 'Change roles of Robin Reed' }).click();
  const roles = owner.page.getByRole('dialog', { name: 'Roles of Robin Reed' });
  await roles.getByLabel('Viewer', { exact: true }).uncheck();
  await roles.getByLabel('Admin', { exact: true }).check();
  await roles.getByRole('button', { name: 'Save roles' }).click();
  await owner.page.getByRole('row', { name: /Robin Reed.*Admin/ }).waitFor();
  await enabledWithin5s(page, create);

  await owner.page.getByRole('button', { name: 'Hand over ownership to Robin Reed' }).click();
  await confirm(owner.page, email, 'Hand over ownership');
  await owner.page.getByText('Handing the ownership over is for owners.').waitFor();
  await owner.page.getByRole('row', { name: /Robin Reed.*Owner/ }).waitFor();

  await open(page, '/organisation');
  await enabledWithin5s(page, page.getByRole('button', { name: 'Remove Nora North' }));
  await page.getByRole('button', { name: 'Remove Nora North' }).click();
  await confirm(page, nora.email, 'Remove member');
  await page.getByRole('row', { name: /Nora North/ }).waitFor({ state: 'detached' });
  await owner.page.getByRole('link', { name: 'Audit log' }).click();
  await owner.page.waitForURL(`${portalUrl}/sign-in?next=%2Forganisation%2Faudit`);
  await owner.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  expect([...owner.problems, ...colleague.problems]).toEqual([]);
});

test('what is named anew is seen at once, the plan counts it, and the audit log tells it in words, filtered by the address and as a file', async () => {
  const { page, problems } = await aBrowser({ acceptDownloads: true });
  await signIn(page, await aNewcomer());
  await invite(page, anAddress(), 'Agent');

  await open(page, '/organisation/settings');
  await page.getByLabel('Name of the organisation').fill('Southlight');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('The name is saved.').waitFor();
  await page.getByRole('banner').getByText('Southlight').waitFor();

  await open(page, '/organisation/workspaces');
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create workspace' }).click();
  await page.getByRole('button', { name: 'Rename workspace Shop' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Help desk');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename workspace' }).click();
  await page.getByRole('heading', { name: 'Help desk' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Shop', exact: true }).count()).toBe(0);

  await open(page, '/organisation/plan');
  const use = page.getByRole('region', { name: 'How much you use' });
  await use.getByText('2 of 3', { exact: true }).waitFor();
  await use.getByText('One of them is an open invitation.').waitFor();
  await use.getByText(/^0 of 1,000$/).waitFor();

  await open(page, '/organisation/audit');
  const entries = page.getByRole('region', { name: 'Entries of the audit log' });
  for (const done of ['Renamed the organisation', 'Made a workspace', 'Renamed a workspace', 'Invited somebody'])
    await entries
      .getByRole('row', { name: new RegExp(`Nora North.*${done}`) })
      .first()
      .waitFor();
  await page.getByRole('combobox', { name: 'What was done' }).click();
  await page.getByRole('option', { name: /workspace\.updated/ }).click();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.waitForURL(`${portalUrl}/organisation/audit?action=workspace.updated`);
  await page.reload();
  const rows = entries.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.innerText()).toContain('Renamed a workspace');
  await alive(page);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download these 1 as CSV' }).click();
  const lines = (await readFile(await (await saved).path(), 'utf8')).split('\r\n');
  expect(lines.length).toBe(2);
  expect(lines[1]).toContain('"Nora North","user",');
  expect(lines[1]).toContain('"workspace.updated","Renamed a workspace"');
  await page.getByRole('button', { name: 'Show everything' }).click();
  await expect.poll(() => rows.count()).toBeGreaterThan(3);
  expect(problems).toEqual([]);
});
