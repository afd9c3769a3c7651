import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { admin, aTenant, ground, inside } from '../../test/harness.ts';
import { asSystem, inTenant } from './context.ts';
import { openKeyring, rewrapDataKeys, seal, unseal } from './crypto.ts';

const place = { purpose: 'test', rowId: 'row-1' };
const masterKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

test('what was sealed opens again, at its own place only', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  const sealed = await inside(tenant.tenantId, (ctx) => seal(ctx, place, 'a secret'));
  expect(sealed.includes('a secret')).toBe(false);
  expect(await inside(tenant.tenantId, (ctx) => unseal(ctx, place, sealed))).toBe('a secret');

  await inside(other.tenantId, (ctx) => seal(ctx, place, 'gives the other tenant a data key too'));
  const wrong = [
    () => inside(tenant.tenantId, (ctx) => unseal(ctx, { ...place, rowId: 'row-2' }, sealed)),
    () => inside(tenant.tenantId, (ctx) => unseal(ctx, { ...place, purpose: 'other' }, sealed)),
    () => inside(other.tenantId, (ctx) => unseal(ctx, place, sealed)),
  ];
  for (const attempt of wrong) await expect(attempt()).rejects.toThrow();
});

test('a data key that was moved to another tenant opens nothing there', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  const sealed = await inside(tenant.tenantId, (ctx) => seal(ctx, place, 'a secret'));
  const row = await admin
    .selectFrom('dataKeys')
    .selectAll()
    .where('tenantId', '=', tenant.tenantId)
    .executeTakeFirstOrThrow();
  await admin
    .insertInto('dataKeys')
    .values({ ...row, tenantId: other.tenantId })
    .execute();
  await expect(inside(other.tenantId, (ctx) => unseal(ctx, place, sealed))).rejects.toThrow();
});

test('one flipped bit anywhere is noticed', async () => {
  const { tenantId } = await aTenant();
  const sealed = await inside(tenantId, (ctx) => seal(ctx, place, 'a secret'));
  for (let i = 0; i < sealed.length; i++) {
    const flipped = Buffer.from(sealed);
    flipped.writeUInt8(flipped.readUInt8(i) ^ 1, i);
    await expect(inside(tenantId, (ctx) => unseal(ctx, place, flipped))).rejects.toThrow();
  }
});

test('the same secret sealed twice looks different: nobody can tell that two are equal', async () => {
  const { tenantId } = await aTenant();
  const [one, two] = await inside(tenantId, async (ctx) => [
    await seal(ctx, place, 'same'),
    await seal(ctx, place, 'same'),
  ]);
  expect(one?.equals(two ?? Buffer.alloc(0))).toBe(false);
});

test('first secrets sealed at the same moment share one data key', async () => {
  const { tenantId } = await aTenant();
  const sealed = await Promise.all([1, 2, 3, 4].map((n) => inside(tenantId, (ctx) => seal(ctx, place, `secret ${n}`))));
  const opened = await Promise.all(sealed.map((box) => inside(tenantId, (ctx) => unseal(ctx, place, box))));
  expect(opened).toEqual(['secret 1', 'secret 2', 'secret 3', 'secret 4']);
});

test('rotation: a new master key seals, the old one still opens, and after wrapping anew the old one can go', async () => {
  const [oldKey, newKey] = [masterKey('old'), masterKey('new')];
  const { tenantId } = await aTenant();
  const within = <T>(keys: string, work: Parameters<typeof inTenant<T>>[2]) =>
    inTenant({ ...ground, keyring: openKeyring(keys) }, asSystem(tenantId, 'test'), work);

  const sealed = await within(oldKey, (ctx) => seal(ctx, place, 'survives'));
  expect(await within(`${newKey},${oldKey}`, (ctx) => unseal(ctx, place, sealed))).toBe('survives');
  await expect(within(newKey, (ctx) => unseal(ctx, place, sealed))).rejects.toThrow(
    "Master key 'old' is not configured",
  );

  expect(await within(`${newKey},${oldKey}`, rewrapDataKeys)).toBe(1);
  expect(await within(`${newKey},${oldKey}`, rewrapDataKeys)).toBe(0);
  expect(await within(newKey, (ctx) => unseal(ctx, place, sealed))).toBe('survives');
  await expect(within(oldKey, (ctx) => unseal(ctx, place, sealed))).rejects.toThrow();
});

test('a tenant whose data keys are deleted has left nothing that can be read', async () => {
  const { tenantId } = await aTenant();
  const sealed = await inside(tenantId, (ctx) => seal(ctx, place, 'forgotten'));
  await admin.deleteFrom('dataKeys').where('tenantId', '=', tenantId).execute();
  await expect(inside(tenantId, (ctx) => unseal(ctx, place, sealed))).rejects.toThrow();
});
