import { expect, test, vi } from 'vitest';
import { aBrowser, alive, demo, signedIn } from './browser.ts';
import { lookHere } from './appearances.ts';
import { operatorSignedIn, anOperator } from './operators.ts';
import { aChat, post } from './people.ts';
import { aName, part, press, pressIn } from './steps.ts';

vi.setConfig({ testTimeout: 240_000 });
const asTenant = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
const within = { timeout: 60_000 };

/** An endpoint whose server does not know its secret yet, and so refuses what comes. */
async function aRefusedEndpoint() {
  const path = `/${aName('support').replace(' ', '-')}`;
  const { webhook, secret } = await post<{ webhook: { id: string }; secret: string }>(
    '/webhooks',
    { url: `${demo.receiverUrl}${path}?key=s3cr3t`, eventTypes: ['message.created', 'conversation.created'] },
    asTenant,
  );
  const backend = (await aBrowser({ ignoreHTTPSErrors: true })).context.request;
  return {
    id: webhook.id,
    /** Its owner gives their server the secret, and has what was held delivered. */
    fix: async () => {
      await backend.put(`${demo.receiverUrl}/secrets`, { data: secret });
      await fetch(`${demo.apiUrl}/webhooks/${webhook.id}/resume`, { method: 'POST', headers: asTenant });
    },
    remove: () => fetch(`${demo.apiUrl}/webhooks/${webhook.id}`, { method: 'DELETE', headers: asTenant }),
  };
}

test('an operator finds a failing endpoint, reads why, replays a delivery with a reason and sees it arrive', async () => {
  const endpoint = await aRefusedEndpoint();
  await aChat('How long does delivery take?', 'Can I send it back?');
  const { page, problems } = await operatorSignedIn();
  const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${endpoint.id}"]`) });
  const listed = async () => {
    await page.goto(`${demo.adminUrl}/deliveries`);
    return row.count();
  };
  await expect.poll(listed, within).toBe(1);
  await row.getByText('Your endpoint returned 401').waitFor();
  await alive(page);
  await row.getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: new URL(demo.receiverUrl).host }).waitFor();
  await page.getByText(/requests in a row failed.*Your endpoint returned 401/).waitFor();
  expect(await page.content()).not.toContain('s3cr3t');

  await endpoint.fix();
  await part(page, 'Deliveries').getByRole('link', { name: 'message.created' }).first().click();
  await press(page, 'Resend');
  await page.getByLabel('Reason').fill('Ticket 12: their server knows the secret now');
  await lookHere(page, 'admin-replay-dialog');
  await pressIn(page, 'Resend delivery', 'Resend');
  await part(page, 'Delivery').getByText('Resent').waitFor();
  await part(page, 'Delivery').getByText('Delivered').waitFor(within);
  expect(problems).toEqual([]);
  await endpoint.remove();
});

test('support asks an owner, who approves; then acts as a member: every page says so, the tenant sees it, and it ends', async () => {
  const { page, context, problems } = await operatorSignedIn('support');
  await page.goto(`${demo.adminUrl}/tenants/${demo.tenantId}/health`);
  await alive(page);
  await press(page, 'Impersonate member');
  const dialog = page.getByRole('dialog', { name: 'Impersonate member' });
  const owner = await dialog
    .getByLabel('Member')
    .locator('option', { hasText: demo.customer.email })
    .getAttribute('value');
  await dialog.getByLabel('Member').selectOption(owner);
  await dialog.getByLabel('Reason').fill('Ticket 4711: the widget stays empty');
  await lookHere(page, 'admin-act-dialog');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('An owner of this tenant must approve this first').waitFor();
  await dialog.getByRole('button', { name: 'Request approval' }).click();
  await dialog.getByText('We emailed the owners').waitFor();
  await lookHere(page, 'admin-ask-owner-dialog');

  const tenant = await signedIn();
  await tenant.page.goto(`${demo.portalUrl}/organisation/settings`);
  await alive(tenant.page);
  const asked = tenant.page.getByRole('listitem').filter({ hasText: 'Ticket 4711' });
  await asked.getByText('Pending').first().waitFor();
  await lookHere(tenant.page, 'support-request');
  await asked.getByRole('button', { name: 'Approve for 24 hours' }).first().click();
  await asked.getByText('Approved').first().waitFor();

  await dialog.getByRole('button', { name: 'Continue' }).click();
  const opened = context.waitForEvent('page');
  await dialog.getByRole('link', { name: 'Open customer portal' }).click();
  const visit = await opened;
  await visit.getByText(/you’re about to impersonate/).waitFor();
  // The link alone has changed nothing.
  const cookies = async () => (await context.cookies(demo.portalUrl)).filter(({ name }) => name.includes('portal_'));
  expect(await cookies()).toEqual([]);
  await alive(visit);
  await lookHere(visit, 'impersonation');
  const used = visit.url();
  await visit.getByRole('button', { name: 'Continue' }).click();

  const banner = visit.getByRole('region', { name: 'Impersonation' });
  await banner.getByText(/^Platform admin Olga support is impersonating/).waitFor();
  await banner.getByText(/Reason: Ticket 4711.*Ends in 1[45]:\d\d/).waitFor();
  expect((await cookies()).every(({ httpOnly, secure }) => httpOnly && secure)).toBe(true);
  await visit.getByRole('link', { name: 'Bots', exact: true }).click();
  await visit.getByRole('heading', { level: 1, name: 'Bots' }).waitFor();
  await banner.waitFor();
  await lookHere(visit, 'impersonation-banner');
  const again = await context.newPage();
  await again.goto(used);
  await again.getByRole('heading', { name: 'This link has expired' }).waitFor();

  await tenant.page.goto(`${demo.portalUrl}/organisation`);
  await tenant.page.getByText(/Platform admin Olga support is impersonating .* Reason: Ticket 4711/).waitFor();
  await lookHere(tenant.page, 'impersonation-members-notice');
  await tenant.page.goto(`${demo.portalUrl}/organisation/audit`);
  await tenant.page.getByText('Impersonation started').first().waitFor();

  await banner.getByRole('button', { name: 'End session' }).click();
  await visit.getByRole('heading', { name: 'Impersonation ended' }).waitFor();
  await lookHere(visit, 'impersonation-ended');
  await visit.goto(`${demo.portalUrl}/bots`);
  expect(new URL(visit.url()).pathname).toBe('/sign-in');
  await page.reload();
  await page.getByText('No one is impersonating a member right now.').waitFor();
  expect([...problems, ...tenant.problems]).toEqual([]);
});

test('users of both pools are found by address, and an operator is locked out and let in again by another', async () => {
  const { page, operator } = await operatorSignedIn();
  await page.goto(`${demo.adminUrl}/users?pool=admin&email=${encodeURIComponent(operator.email)}`);
  await alive(page);
  await page.getByRole('link', { name: 'Olga platform_admin' }).click();
  await part(page, 'Access').waitFor();
  expect(await page.getByRole('button', { name: 'Disable account' }).isDisabled()).toBe(true); // nobody locks themselves out
  const other = await anOperator('auditor');
  await page.goto(`${demo.adminUrl}/users/admin/${other.userId}`);
  await alive(page);
  await press(page, 'Disable account');
  await page.getByLabel('Reason').fill('Left us');
  await lookHere(page, 'admin-disable-dialog');
  await pressIn(page, `Disable ${other.email}?`, 'Disable account');
  await part(page, 'Account').getByText('Disabled').waitFor();
  await press(page, 'Enable account');
  await part(page, 'Account').getByText('Active', { exact: true }).waitFor();
});
