import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { isFull } from '../tools/testing/size.ts';
import { aBrowser, waitForHydration, demo, signedIn, signIn } from './browser.ts';
import { aChat, aColleague } from './people.ts';
import { aName, open, region, press, pressIn, shownSecret, within } from './steps.ts';

const sh = promisify(execFile);

let page: Page;
let problems: string[];
beforeAll(async () => {
  const opened = await signedIn();
  ({ page, problems } = opened);
  return () => opened.context.close();
});

/** Collects all response bodies that the page receives from now on. */
function listen(page: Page) {
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('/inbox/events')) return; // a stream, which never ends
    bodies.push(response.text().catch(() => ''));
  });
  return async () => (await Promise.all(bodies)).join('\n');
}

interface Key {
  name: string;
  id: string;
  secret: string;
}

/** Created on the page, as a developer does. */
async function aKey(permissions: string[]): Promise<Key> {
  const name = aName('Shop backend');
  await open(page, '/developers/keys');
  await press(page, 'Create key');
  await page.getByLabel('Name').fill(name);
  for (const permission of permissions) await page.getByLabel(permission, { exact: true }).check();
  await pressIn(page, 'Create key', 'Create key');
  const secret = await shownSecret(page);
  const headers = await region(page, 'Request headers').innerText();
  return { name, secret, id: /X-Service-Api-Key-Id: (\S+)/.exec(headers)?.[1] ?? '' };
}

const me = (id: string, secret: string) =>
  fetch(`${demo.apiUrl}/me`, { headers: { authorization: `Bearer ${secret}`, 'x-service-api-key-id': id } });
const statusOf = async (id: string, secret: string) => (await me(id, secret)).status;

test('returns 200 with both secrets during a key rotation and 401 five seconds after revoking; no secret is shown twice', async () => {
  const { name, id, secret } = await aKey(['Read conversations', 'Read bots']);
  const caller = (await (await me(id, secret)).json()) as { tenantId: string; permissions: string[] };
  expect([caller.tenantId, caller.permissions.toSorted()]).toEqual([demo.tenantId, ['bot.view', 'conversation.view']]);

  const since = listen(page);
  await press(page, 'I’ve saved it');
  await page.getByLabel('Secret value').waitFor({ state: 'detached' });
  await page.reload();
  await waitForHydration(page);
  const row = page.getByRole('row', { name: new RegExp(name) });
  await row.getByText('Read conversations, Read bots').waitFor();
  expect(await page.getByLabel('Secret value').count()).toBe(0);

  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Rotate' }).click();
  await page.getByLabel('In 1 hour').check();
  await page.getByText('Both secrets work for 1 hour.').waitFor();
  await pressIn(page, /^Rotate/, 'Rotate key');
  const next = await shownSecret(page);
  expect(next).not.toBe(secret);
  expect([await statusOf(id, secret), await statusOf(id, next)]).toEqual([200, 200]);
  await row.getByText(/Old secret expires in (1 h|59 min)/).waitFor();
  const received = await since();
  expect([received.includes(name), received.includes(secret)]).toEqual([true, false]);

  const developer = await aBrowser();
  await signIn(developer.page, await aColleague('developer'));
  const theirs = listen(developer.page);
  await open(developer.page, '/developers/keys');
  const same = developer.page.getByRole('row', { name: new RegExp(name) });
  await same.getByText(/Old secret expires in 59 min \d+ s/).waitFor();
  const receivedByDeveloper = await theirs();
  expect([name, secret, next].map((text) => receivedByDeveloper.includes(text))).toEqual([true, false, false]);

  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  const revoke = page.getByRole('dialog').getByRole('button', { name: 'Revoke key' });
  expect(await revoke.isDisabled()).toBe(true);
  await page.getByLabel(`Type ${name} to confirm`).fill(name);
  await revoke.click();
  await row.getByText('Revoked').waitFor();
  const both = async () => [await statusOf(id, secret), await statusOf(id, next)];
  await expect.poll(both, within(5)).toEqual([401, 401]);
  expect([...problems, ...developer.problems]).toEqual([]);
});

test('the first request of the quick start, run in a shell with a new key, returns the organisation', async () => {
  const key = await aKey([]);
  await open(page, '/developers');
  const command = await region(page, 'Test your key (curl)').innerText();
  const env = { PATH: process.env['PATH'] ?? '', PARLEY_KEY: key.secret, PARLEY_KEY_ID: key.id };
  const { stdout } = await sh('/bin/sh', ['-c', command], { env });
  expect((JSON.parse(stdout) as { tenantId: string }).tenantId).toBe(demo.tenantId);
});

test.runIf(isFull)('403 permission_missing: a viewer sees which roles can use keys and change endpoints', async () => {
  const { page: theirs } = await aBrowser();
  await signIn(theirs, await aColleague('viewer'));
  await open(theirs, '/developers/keys');
  await theirs.getByRole('heading', { name: 'Your role doesn’t include this' }).waitFor();
  await theirs.getByText(/^Only owners, admins,? or developers have access\./).waitFor();
  await open(theirs, `/developers/webhooks/${demo.webhookId}`);
  expect(await theirs.getByRole('button', { name: 'Send test event' }).isDisabled()).toBe(true);
  await theirs
    .getByRole('note', { name: /^Only owners, admins,? or developers can do this/ })
    .first()
    .waitFor();
});

test('the event log shows the newest first, filters by type, shows the payload and updates live within five seconds', async () => {
  const { conversationId: before } = await aChat('How long does delivery take?');
  await open(page, '/developers/events');
  const rows = region(page, 'Event list').locator('tbody tr');
  const of = (conversationId: string) => rows.locator(`a[href="/conversations/${conversationId}"]`);
  await of(before).first().waitFor();
  const ages = await rows.locator('time').evaluateAll((all) => all.map((one) => (one as HTMLTimeElement).dateTime));
  expect(Date.parse(ages[0] ?? '')).toBeGreaterThan(Date.parse(ages.at(-1) ?? ''));

  await page.getByLabel('Event type').selectOption('conversation.created');
  await page.getByText(/^\d+ of \d+ loaded events?/).waitFor();
  expect(new Set(await rows.locator('td:first-child').allInnerTexts())).toEqual(new Set(['conversation.created']));
  await rows.first().getByRole('button', { name: 'View conversation.created payload' }).click();
  const envelope = JSON.parse(await region(page, 'Event payload').innerText()) as Record<string, string>;
  expect([envelope['type'], envelope['tenantId']]).toEqual(['conversation.created', demo.tenantId]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.getByRole('switch', { name: 'Live updates' }).check();
  const { conversationId } = await aChat('Can I send it back?');
  await of(conversationId).waitFor(within(5));
  expect(problems).toEqual([]);
});
