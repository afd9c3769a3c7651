import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { asSystem, inTenant } from '../apps/server/src/platform/context.ts';
import { openKeyring, encrypt } from '../apps/server/src/platform/crypto.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { countOf } from '../tools/testing/size.ts';
import { waitForHydration, demo, settings } from './browser.ts';
import { checkCurrentPage } from './appearances.ts';
import { operatorSignedIn } from './operators.ts';
import { region, press, pressIn } from './steps.ts';

const secrets = countOf('SECRETS', { sample: 200, full: 10_000 });

/** Encrypted model keys in the demo's tenant. */
async function addSecrets() {
  await using db = connect(settings['DATABASE_URL'] ?? '', { max: 1 });
  const services = { db, keyring: openKeyring(settings['MASTER_KEYS'] ?? ''), wakeRelay: () => {}, notify: () => {} };
  for (let n = 0; n < secrets; n += 500)
    await inTenant(services, asSystem(demo.tenantId, 'test'), async (ctx) => {
      const rows = [];
      for (let m = n; m < Math.min(n + 500, secrets); m++) {
        const id = newId('model');
        const encryptedKey = await encrypt(ctx, { purpose: 'model-key', rowId: id }, `sk-${id}`);
        const prices = { inputPrice: 1, outputPrice: 1 };
        rows.push({
          id,
          name: `Planted ${id}`,
          provider: 'anthropic',
          model: 'm',
          ...prices,
          createdBy: 'test',
          encryptedKey,
        });
      }
      await ctx.tx.insertInto('models').values(rows).execute();
    });
}

/** Locks one of them, so that the rotation does not end before the page is checked. */
async function lockOne() {
  const db = connect(inject('databaseUrl'), { max: 1 });
  const [acquired, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = db.transaction().execute(async (tx) => {
    await sql`select id from models where name like 'Planted %' order by id desc limit 1 for update`.execute(tx);
    acquired.resolve();
    await isOver.promise;
  });
  onTestFinished(async () => {
    isOver.resolve();
    await transaction;
    await db.destroy();
  });
  await acquired.promise;
  return isOver.resolve;
}

test(
  `re-encrypts ${secrets} secrets from the page, with progress and without failed requests`,
  { timeout: 60_000 + secrets * 20 },
  async () => {
    await using db = connect(inject('databaseUrl'), { max: 1 });
    await addSecrets();
    const release = await lockOne();
    const { page, problems } = await operatorSignedIn();
    await page.goto(`${demo.adminUrl}/keys`);
    await waitForHydration(page);

    // Light load.
    const headers = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
    let [requests, isOver] = [0, false];
    const failed: number[] = [];
    const load = (async () => {
      while (!isOver) {
        const response = await fetch(`${demo.apiUrl}/webhooks`, { headers }); // decrypts the headers of each endpoint
        if (!response.ok) failed.push(response.status);
        requests++;
        await sleep(50);
      }
    })();

    await press(page, 'Rotate encryption keys');
    await page.getByRole('dialog').getByLabel('Reason').fill('The yearly turn');
    await checkCurrentPage(page, 'admin-rotate-dialog');
    await pressIn(page, 'Rotate encryption keys', 'Start rotation');
    const encryption = region(page, 'Encryption');
    await encryption.getByRole('progressbar', { name: 'Rotation progress' }).waitFor({ state: 'attached' });
    await encryption.getByText(/[\d,]+ of [\d,]+ secrets re-encrypted/).waitFor();
    // The page can be left and opened again.
    await page.getByRole('link', { name: 'Announcements' }).click();
    await page.getByRole('heading', { name: 'Announcements' }).waitFor();
    await page.getByRole('link', { name: 'Keys and secrets' }).click();
    await encryption.getByText(/[\d,]+ of [\d,]+ secrets re-encrypted/).waitFor();
    await vi.waitUntil(() => requests > 10);
    release();
    await encryption.getByText(/^Finished\. All [\d,]+ secrets in \d+ tenants? are encrypted with/).waitFor({
      timeout: 50_000 + secrets * 15,
    });
    isOver = true;
    await load;
    console.log(`keys: ${secrets} secrets from the page, ${requests} requests meanwhile, ${failed.length} failed`);
    expect(failed).toEqual([]);
    const { rows } = await sql`select tenant_id from data_keys group by tenant_id having count(*) > 1`.execute(db);
    expect(rows).toEqual([]);
    await sql`delete from models where name like 'Planted %'`.execute(db);

    // Signing keys are rotated in two steps: the next one is published first.
    await page.getByRole('button', { name: 'Rotate key: Customer access tokens' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The yearly turn');
    await press(page, 'Publish next key');
    await page.getByRole('region', { name: 'Customer access tokens' }).getByText('Next').waitFor();
    expect(problems).toEqual([]);
  },
);
