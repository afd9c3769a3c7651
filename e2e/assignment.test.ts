import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { anOrganisation } from './an-organisation.ts';
import { aBrowser, demo, setVisibility, signIn } from './browser.ts';
import { aColleague, post } from './people.ts';
import { open } from './steps.ts';

const origin = { origin: new URL(demo.siteUrl).origin };

/** A visitor who asks for an agent. */
async function aWaitingVisitor({ botId, openSession }: Awaited<ReturnType<typeof anOrganisation>>, message: string) {
  const { sessionToken } = await openSession();
  const path = `/widget/chatbots/${botId}/message`;
  const { conversationId } = await post<{ conversationId: string }>(path, { sessionToken, message }, origin);
  const session = { authorization: `Bearer ${sessionToken}`, ...origin };
  await post(`/widget/conversations/${conversationId}/handoff`, {}, session);
  return conversationId;
}

async function signedIn(person: { email: string; password: string }) {
  const { page, problems } = await aBrowser();
  await signIn(page, person);
  return { page, problems };
}

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('a visitor who waits goes to a team, and after a minute without an agent to the team lead, who is sent an email', async () => {
  const organisation = await anOrganisation();
  const { owner } = organisation;
  const [agent, lead] = [
    await aColleague('agent', { owner, name: 'Rita Returns' }),
    await aColleague('agent', { owner, name: 'Lea Lead' }),
  ];
  const { page, problems } = await signedIn(owner);
  await open(page, '/organisation/inbox');
  await page.getByRole('button', { name: 'Create team' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create team' });
  await dialog.getByLabel('Name').fill('Returns');
  await dialog.getByRole('combobox', { name: 'Members' }).click();
  await page.getByRole('option', { name: 'Rita Returns' }).click();
  await dialog.getByLabel('Name').click(); // closes the list
  await dialog.getByRole('button', { name: 'Create team' }).click();
  await page.getByRole('cell', { name: 'Returns', exact: true }).waitFor();
  await choose(page, 'Team', 'Returns');
  await choose(page, 'Escalate if no one claims within', '1 minute');
  await choose(page, 'Escalate to', 'Lea Lead');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Inbox settings saved').first().waitFor();

  const [member, leader] = [await signedIn(agent), await signedIn(lead)];
  await member.page.goto(`${demo.portalUrl}/conversations`);
  const conversationId = await aWaitingVisitor(organisation, 'I want to send my bike back');
  const row = member.page.getByRole('link', { name: /I want to send my bike back/ });
  await row.getByText('Returns', { exact: false }).waitFor();
  await row.click();
  await member.page.getByText('Assigned to the team Returns').waitFor();

  await leader.page.goto(`${demo.portalUrl}/conversations?view=mine`);
  const escalated = leader.page.getByRole('link', { name: /I want to send my bike back/ });
  await escalated.waitFor({ timeout: 120_000 });
  await escalated.click();
  await leader.page.getByText('Escalated: no one took over within 1 min').waitFor();
  await expect
    .poll(async () => {
      const response = await fetch(`${demo.mailUrl}/messages`);
      const emails = (await response.json()) as { to: string[]; text: string }[];
      return emails.some(({ to, text }) => to.includes(lead.email) && text.includes(conversationId));
    })
    .toBe(true);
  expect([...problems, ...member.problems, ...leader.problems]).toEqual([]);
});

test('round robin gives each waiting visitor to another available agent, up to the cap', async () => {
  const organisation = await anOrganisation();
  const { owner } = organisation;
  const people = [
    await aColleague('agent', { owner, name: 'Ann Agent' }),
    await aColleague('agent', { owner, name: 'Ben Agent' }),
  ];
  const { page } = await signedIn(owner);
  await open(page, '/organisation/inbox');
  await page.getByRole('radio', { name: 'Round robin' }).check();
  await page.getByLabel('Open conversations per agent').fill('1');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Inbox settings saved').first().waitFor();
  for (const person of people) {
    const { accessToken } = await post<{ accessToken: string }>('/auth/login', person);
    const response = await fetch(`${demo.apiUrl}/me/presence`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ status: 'available' }),
    });
    expect(response.status).toBe(200);
  }
  for (const text of ['First visitor', 'Second visitor', 'Third visitor']) await aWaitingVisitor(organisation, text);
  await page.goto(`${demo.portalUrl}/conversations?view=waiting`);
  const rows = () => page.locator('a[href^="/conversations/conv_"]').allInnerTexts();
  const ownerOf = async (text: string) =>
    /Ann Agent|Ben Agent|Unassigned/.exec((await rows()).find((row) => row.includes(text)) ?? '')?.[0];
  await expect
    .poll(async () => {
      await page.reload();
      return new Set([await ownerOf('First visitor'), await ownerOf('Second visitor')]);
    })
    .toEqual(new Set(['Ann Agent', 'Ben Agent']));
  expect(await ownerOf('Third visitor')).toBe('Unassigned');
});

test('an agent asks to be notified, and is, by one tab in the background, also on a computer whose clock is fast', async () => {
  const organisation = await anOrganisation();
  const { page, context, problems } = await aBrowser();
  await context.grantPermissions([]); // not decided
  await context.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + 600_000;
    const shown: string[] = [];
    class Stub extends EventTarget {
      static permission = localStorage.getItem('permission') ?? 'default';
      static requestPermission() {
        Stub.permission = localStorage.getItem('answer') ?? 'granted';
        localStorage.setItem('permission', Stub.permission);
        return Promise.resolve(Stub.permission);
      }
      constructor(title: string, { body, tag }: NotificationOptions) {
        super();
        shown.push(`${tag} ${title}: ${body}`);
      }
      close() {}
    }
    Object.assign(globalThis, { Notification: Stub, shown });
  });
  await signIn(page, organisation.owner);
  await open(page, '/conversations');
  await page.getByRole('button', { name: 'Notify me' }).click();
  await page.getByText('We’ll notify you when a visitor is waiting').waitFor();
  const other = await context.newPage();
  await open(other, '/conversations');
  for (const tab of [page, other]) await setVisibility(tab, 'hidden');

  const conversationId = await aWaitingVisitor(organisation, 'Is anyone there?');
  const shownIn = (tab: Page) => tab.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
  const shown = async () => (await Promise.all([page, other].map(shownIn))).flat();
  await expect.poll(shown).toHaveLength(1);
  // Both tabs have the counts by now: the second one would have shown it as well.
  for (const tab of [page, other]) await expect.poll(() => tab.title()).toMatch(/^\(1\)/);
  const [notification] = await shown();
  expect(notification).toContain(conversationId);
  expect(notification).toMatch(/ is waiting: Is anyone there\?$/);
  await setVisibility(page, 'visible');
  await open(page, '/profile');
  const setting = page.getByRole('switch', { name: 'Desktop notifications' });
  expect(await setting.isChecked()).toBe(true);
  await setting.uncheck();
  await page.getByText('Notification settings saved').waitFor();
  await page.evaluate(() => localStorage.setItem('answer', 'denied'));
  await setting.click();
  await page.getByText('Your browser blocks notifications from this site.').waitFor();
  expect(await setting.isChecked()).toBe(false);
  expect(problems).toEqual([]);
});
