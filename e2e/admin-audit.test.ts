import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { waitForHydration, demo } from './browser.ts';
import { operatorSignedIn } from './operators.ts';
import { press } from './steps.ts';

test('an auditor filters the log of all tenants by URL and exports it, and the export is logged', async () => {
  const { page, problems } = await operatorSignedIn('auditor');
  await page.goto(`${demo.adminUrl}/audit?tenantId=${demo.tenantId}&action=api_key.created`);
  await waitForHydration(page);
  const rows = page.getByRole('region', { name: 'Audit log entries' }).getByRole('row');
  await rows.nth(1).getByText('Created an API key').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')]);
  await page.getByText(/^Exported \d+ entries\.$/).waitFor();
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
  expect(lines[0]).toContain('"tenant_id"');
  expect(lines.slice(1).every((line) => line.includes(demo.tenantId) && line.includes('api_key.created'))).toBe(true);
  expect(lines.length).toBeGreaterThan(1);

  await page.getByRole('link', { name: 'Platform admins and sign-ins' }).click();
  await page.getByRole('row').filter({ hasText: 'Exported the audit log' }).first().getByText('log: tenants').waitFor();
  expect(problems).toEqual([]);
});
