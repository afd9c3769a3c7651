import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { admin, aTenant, services, inside } from '../../test/harness.ts';
import { asSystem, inTenant } from './context.ts';
import { openKeyring, rewrapDataKeys, encrypt, decrypt } from './crypto.ts';

const context = { purpose: 'test', rowId: 'row-1' };
const masterKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

test('decrypts in the same encryption context only', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  const encrypted = await inside(tenant.tenantId, (ctx) => encrypt(ctx, context, 'a secret'));
  expect(encrypted.includes('a secret')).toBe(false);
  expect(await inside(tenant.tenantId, (ctx) => decrypt(ctx, context, encrypted))).toBe('a secret');

  await inside(other.tenantId, (ctx) => encrypt(ctx, context, 'gives the other tenant a data key too'));
  const wrong = [
    () => inside(tenant.tenantId, (ctx) => decrypt(ctx, { ...context, rowId: 'row-2' }, encrypted)),
    () => inside(tenant.tenantId, (ctx) => decrypt(ctx, { ...context, purpose: 'other' }, encrypted)),
    () => inside(other.tenantId, (ctx) => decrypt(ctx, context, encrypted)),
  ];
  for (const attempt of wrong) await expect(attempt()).rejects.toThrow();
});

test('does not decrypt with a data key moved to another tenant', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  const encrypted = await inside(tenant.tenantId, (ctx) => encrypt(ctx, context, 'a secret'));
  const row = await admin
    .selectFrom('dataKeys')
    .selectAll()
    .where('tenantId', '=', tenant.tenantId)
    .executeTakeFirstOrThrow();
  await admin
    .insertInto('dataKeys')
    .values({ ...row, tenantId: other.tenantId })
    .execute();
  await expect(inside(other.tenantId, (ctx) => decrypt(ctx, context, encrypted))).rejects.toThrow();
});

test('detects a single flipped bit', async () => {
  const { tenantId } = await aTenant();
  const encrypted = await inside(tenantId, (ctx) => encrypt(ctx, context, 'a secret'));
  for (let i = 0; i < encrypted.length; i++) {
    const flipped = Buffer.from(encrypted);
    flipped.writeUInt8(flipped.readUInt8(i) ^ 1, i);
    await expect(inside(tenantId, (ctx) => decrypt(ctx, context, flipped))).rejects.toThrow();
  }
});

test('encrypts the same secret to different ciphertexts', async () => {
  const { tenantId } = await aTenant();
  const [one, two] = await inside(tenantId, async (ctx) => [
    await encrypt(ctx, context, 'same'),
    await encrypt(ctx, context, 'same'),
  ]);
  expect(one?.equals(two ?? Buffer.alloc(0))).toBe(false);
});

test('creates one data key when the first secrets are encrypted concurrently', async () => {
  const { tenantId } = await aTenant();
  const encrypted = await Promise.all(
    [1, 2, 3, 4].map((n) => inside(tenantId, (ctx) => encrypt(ctx, context, `secret ${n}`))),
  );
  const decrypted = await Promise.all(encrypted.map((box) => inside(tenantId, (ctx) => decrypt(ctx, context, box))));
  expect(decrypted).toEqual(['secret 1', 'secret 2', 'secret 3', 'secret 4']);
});

test('rotation: encrypts with the new master key, decrypts with the old one, and no longer needs it after rewrapping', async () => {
  const [oldKey, newKey] = [masterKey('old'), masterKey('new')];
  const { tenantId } = await aTenant();
  const within = <T>(keys: string, work: Parameters<typeof inTenant<T>>[2]) =>
    inTenant({ ...services, keyring: openKeyring(keys) }, asSystem(tenantId, 'test'), work);

  const encrypted = await within(oldKey, (ctx) => encrypt(ctx, context, 'survives'));
  expect(await within(`${newKey},${oldKey}`, (ctx) => decrypt(ctx, context, encrypted))).toBe('survives');
  await expect(within(newKey, (ctx) => decrypt(ctx, context, encrypted))).rejects.toThrow(
    "Master key 'old' is not configured",
  );

  expect(await within(`${newKey},${oldKey}`, rewrapDataKeys)).toBe(1);
  expect(await within(`${newKey},${oldKey}`, rewrapDataKeys)).toBe(0);
  expect(await within(newKey, (ctx) => decrypt(ctx, context, encrypted))).toBe('survives');
  await expect(within(oldKey, (ctx) => decrypt(ctx, context, encrypted))).rejects.toThrow();
});

test('cannot decrypt anything after the data keys of a tenant are deleted', async () => {
  const { tenantId } = await aTenant();
  const encrypted = await inside(tenantId, (ctx) => encrypt(ctx, context, 'forgotten'));
  await admin.deleteFrom('dataKeys').where('tenantId', '=', tenantId).execute();
  await expect(inside(tenantId, (ctx) => decrypt(ctx, context, encrypted))).rejects.toThrow();
});
