import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { aBrowser, waitForHydration, demo, signIn } from './browser.ts';
import { aNewcomer, linkFor } from './people.ts';
import { open, within } from './steps.ts';

const { portalUrl } = demo;
const password = 'a ferry without a timetable';
const anEmail = () => `robin-${crypto.randomUUID().slice(0, 8)}@northlight.example`;

async function invite(page: Page, email: string, role: string) {
  await open(page, '/organisation');
  await page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite member' });
  await dialog.getByRole('textbox', { name: 'Email', exact: true }).fill(email);
  await dialog.getByLabel(role, { exact: true }).check();
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByText(`Invitation sent to ${email}.`).waitFor();
}

/** Confirmed by name, as everything irreversible is. */
async function confirm(page: Page, name: string, verb: string) {
  await page.getByLabel(/to confirm/).fill(name);
  await page.getByRole('dialog').getByRole('button', { name: verb }).click();
}

async function chooseForMember(page: Page, member: string, action: string) {
  await page.getByRole('button', { name: `Actions: ${member}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Allowed after a reload, without a new sign-in. */
async function enabledWithin5s(page: Page, button: Locator) {
  const check = async () => {
    await page.reload();
    return button.isEnabled();
  };
  await expect.poll(check, within(5)).toBe(true);
  await waitForHydration(page);
}

/** By the links alone, since the profile is also read again without reloading the page. */
async function enabledAfterNavigation(page: Page, button: Locator) {
  const tabs = page.getByRole('navigation', { name: 'Organisation' });
  const check = async () => {
    await tabs.getByRole('link', { name: 'Settings' }).click();
    await page.waitForURL(`${portalUrl}/organisation/settings`);
    await tabs.getByRole('link', { name: 'Workspaces' }).click();
    await button.waitFor();
    return button.isEnabled();
  };
  await expect.poll(check, within(10)).toBe(true);
}

test('an invited member sees what their role allows, gets a new role within 5 s, receives ownership and removes the former owner', async () => {
  const nora = await aNewcomer();
  const [owner, colleague] = [await aBrowser(), await aBrowser()];
  await signIn(owner.page, nora);
  const email = anEmail();
  await invite(owner.page, email, 'Viewer');

  const { page } = colleague;
  await page.goto((await linkFor(email)).href);
  await page.getByRole('heading', { name: 'Join Northlight' }).waitFor();
  await page.getByLabel('Your name').fill('Robin Reed');
  await page.getByLabel(/password/i).fill(password);
  await page.getByRole('button', { name: 'Create account and join' }).click();
  await page.waitForURL(`${portalUrl}/`); // signed in
  await open(page, '/organisation');
  await page.getByText(/^Only owners or admins can view members and invitations\./).waitFor();
  await page.getByRole('link', { name: 'Workspaces' }).click();
  const create = page.getByRole('button', { name: 'Create workspace' });
  await page
    .getByLabel(/^Only owners or admins can do this/)
    .first()
    .waitFor();
  expect(await create.isDisabled()).toBe(true);

  // The last owner cannot leave, and is shown what to do instead.
  await open(owner.page, '/organisation');
  await chooseForMember(owner.page, 'Nora North', 'Leave organisation');
  await confirm(owner.page, nora.email, 'Leave organisation');
  await owner.page
    .getByRole('alert')
    .getByText(/This is the last owner who can sign in/)
    .waitFor();
  await owner.page.getByRole('button', { name: 'Cancel' }).click();

  await owner.page.getByRole('button', { name: 'Change roles for Robin Reed' }).click();
  const roles = owner.page.getByRole('dialog', { name: 'Roles for Robin Reed' });
  await roles.getByLabel('Viewer', { exact: true }).uncheck();
  await roles.getByLabel('Admin', { exact: true }).check();
  await roles.getByRole('button', { name: 'Save roles' }).click();
  await owner.page.getByRole('row', { name: /Robin Reed.*Admin/ }).waitFor();
  await enabledAfterNavigation(page, create);

  await chooseForMember(owner.page, 'Robin Reed', 'Transfer ownership to Robin Reed');
  await confirm(owner.page, email, 'Transfer ownership');
  await owner.page.getByText('Only owners can transfer ownership.').waitFor();
  await owner.page.getByRole('row', { name: /Robin Reed.*Owner/ }).waitFor();

  await open(page, '/organisation');
  await enabledWithin5s(page, page.getByRole('button', { name: 'Change roles for Nora North' }));
  await chooseForMember(page, 'Nora North', 'Remove Nora North');
  await confirm(page, nora.email, 'Remove member');
  await page.getByRole('row', { name: /Nora North/ }).waitFor({ state: 'detached' });
  await owner.page.waitForURL(/\/sign-in\?next=%2Forganisation/); // the open page notices automatically
  await owner.page.getByText('because your account no longer has access to the organisation').waitFor();
  expect([...owner.problems, ...colleague.problems]).toEqual([]);
});

test('renames show immediately, the plan counts seats, and the audit log lists, filters and downloads the changes', async () => {
  const { page, problems } = await aBrowser({ acceptDownloads: true });
  await signIn(page, await aNewcomer());
  await invite(page, anEmail(), 'Agent');
  await page.getByLabel('Search members').fill('nobody');
  await page.getByText('No members match “nobody”', { exact: true }).waitFor();

  await open(page, '/organisation/settings');
  await page.getByLabel('Organisation name').fill('Southlight');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Saved.').waitFor();
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
  const use = page.getByRole('region', { name: 'Plan usage' });
  await use.getByText('2 of 3', { exact: true }).waitFor();
  await use.getByText('Includes 1 pending invitation.').waitFor();
  await use.getByText(/^0 of 1,000$/).waitFor();

  await open(page, '/organisation/audit');
  const entries = page.getByRole('region', { name: 'Audit log entries' });
  for (const done of ['Renamed the organisation', 'Created a workspace', 'Renamed a workspace', 'Invited a member'])
    await entries
      .getByRole('row', { name: new RegExp(`Nora North.*${done}`) })
      .first()
      .waitFor();
  await page.getByRole('combobox', { name: 'Action' }).click();
  await page.getByRole('option', { name: /workspace\.updated/ }).click();
  await page.getByRole('button', { name: 'Apply filters' }).click();
  await page.waitForURL(`${portalUrl}/organisation/audit?action=workspace.updated`);
  await page.reload();
  const rows = entries.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.innerText()).toContain('Renamed a workspace');
  await waitForHydration(page);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download this page as CSV' }).click();
  const lines = (await readFile(await (await saved).path(), 'utf8')).split('\r\n');
  expect(lines.length).toBe(2);
  expect(lines[1]).toContain('"Nora North","user",');
  expect(lines[1]).toContain('"workspace.updated","Renamed a workspace"');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(() => rows.count()).toBeGreaterThan(3);
  expect(problems).toEqual([]);
});
