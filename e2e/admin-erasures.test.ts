import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { connect } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { waitForHydration, demo } from './browser.ts';
import { appearancesOf, checkPage } from './appearances.ts';
import { operatorSignedIn } from './operators.ts';
import { press } from './steps.ts';

/** As an erasure leaves them: waiting thirty days would take too long. */
async function aReceipt(tenantId: string, erasedAt: string | null) {
  await using db = connect(inject('databaseUrl'), { max: 1 });
  const rows = { conversations: 1_204, conversation_events: 31_877, webhook_deliveries: 5_012, bots: 3, api_keys: 7 };
  await sql`insert into directory.erasures
    (id, tenant_hash, requested_by, deleted_at, started_at, erased_at, rows, people, invocations, states, keys)
    values (${newId('erasure')}, ${createHash('sha256').update(tenantId).digest()}, 'owner', now() - interval '31 days', now(),
      ${erasedAt}, ${JSON.stringify(rows)}, 4, 61, 12, 9)`.execute(db);
}

test('finds the receipt of an erased tenant by its former id only', async () => {
  const tenantId = newId('tenant');
  await aReceipt(tenantId, new Date().toISOString());
  await aReceipt(newId('tenant'), null);
  const { page, problems } = await operatorSignedIn('auditor');
  await page.goto(`${demo.adminUrl}/erasures`);
  await waitForHydration(page);
  await page.getByText('In progress').first().waitFor();
  await page.getByLabel('Tenant ID').fill(tenantId);
  await press(page, 'Find');
  await page.getByText('In progress').first().waitFor({ state: 'detached' });
  expect(await page.getByText('38,103 rows').count()).toBe(1);
  await page.getByLabel('Tenant ID').fill(newId('tenant'));
  await press(page, 'Find');
  await page.getByText('No receipt found').waitFor();
  await page.getByLabel('Tenant ID').fill('Northlight');
  await press(page, 'Find');
  await page.getByText('A tenant ID starts with ten_').waitFor();
  expect(problems).toEqual([]);
  for (const [turn, query] of ['', '?tenantId=Northlight'].entries())
    for (const appearance of appearancesOf(turn))
      await checkPage(page, `${demo.adminUrl}/erasures${query}`, `admin-erasures-${turn}`, appearance);
});
