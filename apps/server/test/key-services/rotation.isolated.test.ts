import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { stepRotation } from '../../src/features/key-rotation/rotating.operator.service.ts';
import { ensureSigningKeys } from '../../src/features/pools/signing-keys.store.ts';
import { builtDir } from '../faults/child.ts';
import { admin, anOperator, as, aTenant, settings } from '../harness.ts';
import { kms, local, masterKeyOf, openWith, serviceSettings, transit, vault, withSecret } from './fixture.ts';

/** Runs the CLI in a separate process. */
const rewrap = (masterKeys: string) =>
  promisify(execFile)(process.execPath, [join(builtDir(), 'cli.js'), 'secrets', 'rewrap'], {
    env: {
      NODE_COMPILE_CACHE: join(inject('serverDir'), 'compiled'),
      DATABASE_URL: settings()['DATABASE_URL'],
      MASTER_KEYS: masterKeys,
      ...serviceSettings,
    },
  });
/** Ids of the master keys that encrypted the signing keys. */
const signingKeys = async () =>
  (
    await sql<{
      id: string;
    }>`select distinct convert_from(substring(encrypted from 2 for get_byte(encrypted, 0)), 'UTF8') as id
      from customer_pool.signing_keys`.execute(admin)
  ).rows.map(({ id }) => id);

test('`secrets rewrap` moves from local keys to AWS KMS, to Vault and back, and each previous key can be removed', async () => {
  const tenant = await aTenant();
  const before = await openWith(local);
  const { secret, show } = await withSecret(before, tenant);
  const signing = await ensureSigningKeys(before.platform.services, 'customer', 90);
  const back = `back:${randomBytes(32).toString('base64')}`;
  const backToLocal: [string, string, string][] = isFull
    ? [
        [back, transit, 'back'],
        [local, back, 'test'],
      ]
    : [[local, transit, 'test']];
  const steps: [string, string, string][] = [
    [kms, [local, transit].join(','), 'kms'],
    [transit, kms, 'transit'],
    ...backToLocal,
  ];
  for (const [next, former, id] of steps) {
    const { stdout } = await rewrap(`${next},${former}`);
    expect(stdout).toContain(`All of them are now encrypted with '${id}'.`);
    expect([await masterKeyOf(tenant), await signingKeys()]).toEqual([[id], [id]]);
    const alone = await openWith(next);
    expect((await show(alone)).json()).toEqual({ secret });
    expect(await ensureSigningKeys(alone.platform.services, 'customer', 90)).toEqual(signing);
  }
});

test('a rotation creates new data keys, continues after an outage, and counts secrets that cannot be decrypted', async () => {
  const [tenant, damaged] = [await aTenant(), await aTenant()];
  const vaulted = await openWith(transit);
  const { secret, show } = await withSecret(vaulted, tenant);
  const { show: showDamaged } = await withSecret(vaulted, damaged);
  await sql`update data_keys set wrapped = 'vault:v1:AAAA' where tenant_id = ${damaged.tenantId}`.execute(admin);

  const api = await openWith(`${kms},${transit},${local}`);
  await expect.poll(() => api.platform.listProcesses()).toHaveLength(1);
  const operator = as((await anOperator()).headers, api.app);
  const started = await operator.post('/admin/key-rotations', { reason: 'to KMS' });
  const { id } = started.json<{ keyRotation: { id: string } }>().keyRotation;
  const step = () => stepRotation(api.platform.services, id);
  vault.state.mode = 'failing';
  const untilOutage = async () => {
    while ((await step()) !== 'over');
  };
  await expect(untilOutage()).rejects.toMatchObject({ reason: 'key_service_unavailable' });
  vault.state.mode = 'up';
  while ((await step()) !== 'over');
  const { keyRotation } = (await operator.get(`/admin/key-rotations/${id}`)).json<{ keyRotation: object }>();
  expect(keyRotation).toMatchObject({ status: 'finished', failures: 1, problem: null });

  const alone = await openWith(kms);
  expect([await masterKeyOf(tenant), (await show(alone)).json()]).toEqual([['kms'], { secret }]);
  expect((await showDamaged(alone)).statusCode).toBe(500);
});
