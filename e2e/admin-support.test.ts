import { expect, test, vi } from 'vitest';
import { backend, waitForHydration, demo, signedIn } from './browser.ts';
import { checkCurrentPage } from './appearances.ts';
import { operatorSignedIn, anOperator } from './operators.ts';
import { aChat, post } from './people.ts';
import { aName, region, press, pressIn } from './steps.ts';

vi.setConfig({ testTimeout: 240_000 });
const asTenant = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
const slow = { timeout: 60_000 };

/** An endpoint whose server does not have its secret yet, and so refuses every call. */
async function aRefusedEndpoint() {
  const path = `/${aName('support').replace(' ', '-')}`;
  const { webhook, secret } = await post<{ webhook: { id: string }; secret: string }>(
    '/webhooks',
    { url: `${demo.receiverUrl}${path}?key=s3cr3t`, eventTypes: ['message.created', 'conversation.created'] },
    asTenant,
  );
  return {
    id: webhook.id,
    /** Gives the server its secret and resumes the paused deliveries. */
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
  await expect.poll(listed, slow).toBe(1);
  await row.getByText('Your endpoint returned 401').waitFor();
  await waitForHydration(page);
  await row.getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: new URL(demo.receiverUrl).host }).waitFor();
  await page.getByText(/requests in a row failed.*Your endpoint returned 401/).waitFor();
  expect(await page.content()).not.toContain('s3cr3t');

  await endpoint.fix();
  await region(page, 'Deliveries').getByRole('link', { name: 'message.created' }).first().click();
  await press(page, 'Resend');
  await page.getByLabel('Reason').fill('Ticket 12: their server knows the secret now');
  await checkCurrentPage(page, 'admin-replay-dialog');
  await pressIn(page, 'Resend delivery', 'Resend');
  await region(page, 'Delivery').getByText('Resent').waitFor();
  await region(page, 'Delivery').getByText('Delivered').waitFor(slow);
  expect(problems).toEqual([]);
  await endpoint.remove();
});

test('support requests access, an owner approves, and impersonation is shown on every page and in the tenant, and ends', async () => {
  const { page, context, problems } = await operatorSignedIn('support');
  await page.goto(`${demo.adminUrl}/tenants/${demo.tenantId}/health`);
  await waitForHydration(page);
  await press(page, 'Impersonate member');
  const dialog = page.getByRole('dialog', { name: 'Impersonate member' });
  const owner = await dialog
    .getByLabel('Member')
    .locator('option', { hasText: demo.customer.email })
    .getAttribute('value');
  await dialog.getByLabel('Member').selectOption(owner);
  await dialog.getByLabel('Reason').fill('Ticket 4711: the widget stays empty');
  await checkCurrentPage(page, 'admin-act-dialog');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('An owner of this tenant must approve this first').waitFor();
  await dialog.getByRole('button', { name: 'Request approval' }).click();
  await dialog.getByText('We emailed the owners').waitFor();
  await checkCurrentPage(page, 'admin-ask-owner-dialog');

  const tenant = await signedIn();
  await tenant.page.goto(`${demo.portalUrl}/organisation/settings`);
  await waitForHydration(tenant.page);
  const request = tenant.page.getByRole('listitem').filter({ hasText: 'Ticket 4711' });
  await request.getByText('Pending').first().waitFor();
  await checkCurrentPage(tenant.page, 'support-request');
  await request.getByRole('button', { name: 'Approve for 24 hours' }).first().click();
  await request.getByText('Approved').first().waitFor();

  await dialog.getByRole('button', { name: 'Continue' }).click();
  const opened = context.waitForEvent('page');
  await dialog.getByRole('link', { name: 'Open customer portal' }).click();
  const impersonation = await opened;
  await impersonation.getByText(/you’re about to impersonate/).waitFor();
  // Opening the link has changed nothing.
  const cookies = async () => (await context.cookies(demo.portalUrl)).filter(({ name }) => name.includes('portal_'));
  expect(await cookies()).toEqual([]);
  await waitForHydration(impersonation);
  await checkCurrentPage(impersonation, 'impersonation');
  const used = impersonation.url();
  await impersonation.getByRole('button', { name: 'Continue' }).click();

  const banner = impersonation.getByRole('region', { name: 'Impersonation' });
  await banner.getByText(/^Platform admin Olga support is impersonating/).waitFor();
  await banner.getByText(/Reason: Ticket 4711.*Ends in 1[45]:\d\d/).waitFor();
  expect((await cookies()).every(({ httpOnly, secure }) => httpOnly && secure)).toBe(true);
  await impersonation.getByRole('link', { name: 'Bots', exact: true }).click();
  await impersonation.getByRole('heading', { level: 1, name: 'Bots' }).waitFor();
  await banner.waitFor();
  await checkCurrentPage(impersonation, 'impersonation-banner');
  const again = await context.newPage();
  await again.goto(used);
  await again.getByRole('heading', { name: 'This link has expired' }).waitFor();

  await tenant.page.goto(`${demo.portalUrl}/organisation`);
  await tenant.page.getByText(/Platform admin Olga support is impersonating .* Reason: Ticket 4711/).waitFor();
  await checkCurrentPage(tenant.page, 'impersonation-members-notice');
  await tenant.page.goto(`${demo.portalUrl}/organisation/audit`);
  await tenant.page.getByText('Impersonation started').first().waitFor();

  await banner.getByRole('button', { name: 'End session' }).click();
  await impersonation.getByRole('heading', { name: 'Impersonation ended' }).waitFor();
  await checkCurrentPage(impersonation, 'impersonation-ended');
  await impersonation.goto(`${demo.portalUrl}/bots`);
  expect(new URL(impersonation.url()).pathname).toBe('/sign-in');
  await page.reload();
  await page.getByText('No one is impersonating a member right now.').waitFor();
  expect([...problems, ...tenant.problems]).toEqual([]);
});

test('finds users of both pools by email, and an operator can be disabled and enabled by another', async () => {
  const { page, operator } = await operatorSignedIn();
  await page.goto(`${demo.adminUrl}/users?pool=admin&email=${encodeURIComponent(operator.email)}`);
  await waitForHydration(page);
  await page.getByRole('link', { name: 'Olga platform_admin' }).click();
  await region(page, 'Access').waitFor();
  expect(await page.getByRole('button', { name: 'Disable account' }).isDisabled()).toBe(true); // one cannot lock oneself out
  const other = await anOperator('auditor');
  await page.goto(`${demo.adminUrl}/users/admin/${other.userId}`);
  await waitForHydration(page);
  await press(page, 'Disable account');
  await page.getByLabel('Reason').fill('Left us');
  await checkCurrentPage(page, 'admin-disable-dialog');
  await pressIn(page, `Disable ${other.email}?`, 'Disable account');
  await page.locator('main header').getByText('Disabled', { exact: true }).waitFor();
  await press(page, 'Enable account');
  await page.locator('main header').getByText('Active', { exact: true }).waitFor();
});
