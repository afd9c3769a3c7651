import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { asSystem, inTenant } from '../apps/server/src/platform/context.ts';
import { openKeyring, encrypt } from '../apps/server/src/platform/crypto.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { countOf } from '../tools/testing/size.ts';
import { alive, demo, settings } from './browser.ts';
import { lookHere } from './appearances.ts';
import { operatorSignedIn } from './operators.ts';
import { part, press, pressIn } from './steps.ts';

const secrets = countOf('SECRETS', { sample: 200, full: 10_000 });

/** Keys of models, encrypted as the service does, in the tenant of the demo. */
async function layOut() {
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

/** Somebody else holds one of them, so that it is not over before it was looked at. */
async function holdOne() {
  const db = connect(inject('databaseUrl'), { max: 1 });
  const [isHeld, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.transaction().execute(async (tx) => {
    await sql`select id from models where name like 'Planted %' order by id desc limit 1 for update`.execute(tx);
    isHeld.resolve();
    await isOver.promise;
  });
  onTestFinished(async () => {
    isOver.resolve();
    await holding;
    await db.destroy();
  });
  await isHeld.promise;
  return isOver.resolve;
}

test(
  `${secrets} secrets are re-encrypted from the page, with progress, and nothing fails meanwhile`,
  { timeout: 60_000 + secrets * 20 },
  async () => {
    await using db = connect(inject('databaseUrl'), { max: 1 });
    await layOut();
    const letGo = await holdOne();
    const { page, problems } = await operatorSignedIn();
    await page.goto(`${demo.adminUrl}/keys`);
    await alive(page);

    // Light load.
    const headers = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
    let [asked, isOver] = [0, false];
    const failed: number[] = [];
    const load = (async () => {
      while (!isOver) {
        const response = await fetch(`${demo.apiUrl}/webhooks`, { headers }); // opens the headers of each endpoint
        if (!response.ok) failed.push(response.status);
        asked++;
        await sleep(50);
      }
    })();

    await press(page, 'Rotate encryption keys');
    await page.getByRole('dialog').getByLabel('Reason').fill('The yearly turn');
    await lookHere(page, 'admin-rotate-dialog');
    await pressIn(page, 'Rotate encryption keys', 'Start rotation');
    const encryption = part(page, 'Encryption');
    await encryption.getByRole('progressbar', { name: 'Rotation progress' }).waitFor({ state: 'attached' });
    await encryption.getByText(/[\d,]+ of [\d,]+ secrets re-encrypted/).waitFor();
    // It can be left and found again.
    await page.getByRole('link', { name: 'Announcements' }).click();
    await page.getByRole('heading', { name: 'Announcements' }).waitFor();
    await page.getByRole('link', { name: 'Keys and secrets' }).click();
    await encryption.getByText(/[\d,]+ of [\d,]+ secrets re-encrypted/).waitFor();
    await vi.waitUntil(() => asked > 10);
    letGo();
    await encryption.getByText(/^Finished\. All [\d,]+ secrets in \d+ tenants? are encrypted with/).waitFor({
      timeout: 50_000 + secrets * 15,
    });
    isOver = true;
    await load;
    console.log(`keys: ${secrets} secrets from the page, ${asked} requests meanwhile, ${failed.length} failed`);
    expect(failed).toEqual([]);
    const { rows } = await sql`select tenant_id from data_keys group by tenant_id having count(*) > 1`.execute(db);
    expect(rows).toEqual([]);
    await sql`delete from models where name like 'Planted %'`.execute(db);

    // A signing key is changed in order: the next one is published.
    await page.getByRole('button', { name: 'Rotate key: Customer access tokens' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The yearly turn');
    await press(page, 'Publish next key');
    await page.getByRole('region', { name: 'Customer access tokens' }).getByText('Next').waitFor();
    expect(problems).toEqual([]);
  },
);
