import { createHash, hkdfSync } from 'node:crypto';
import { decryptAesGcm, encryptAesGcm } from './aes-gcm.ts';
import { dataKey, newestDataKey, type DataKey, type KeyContext } from './data-keys.ts';
import { masterKeyOf, type Keyring } from './master-keys.ts';

export { newestVersion, removeDataKeys, rewrapDataKeys, rotateDataKey, type KeyContext } from './data-keys.ts';
export { openKeyring, type Keyring } from './master-keys.ts';

// Envelope encryption. Data keys, stored per tenant, encrypt its secrets; master keys, local or in a key service, wrap the
// data keys. A new master key requires rewrapping one short value per tenant, not every secret. Once the data keys of a
// tenant are deleted, its secrets cannot be decrypted.

/** Bound to the ciphertext as associated data: moved to another tenant, purpose or row, it cannot be decrypted. */
export interface EncryptionContext {
  purpose: string;
  rowId: string;
}
const associatedData = (tenantId: string, { purpose, rowId }: EncryptionContext, version: number) =>
  Buffer.from([tenantId, purpose, rowId, version].join('|'));

/** Format: version of the data key in 4 bytes, then nonce, tag and ciphertext. */
export const encrypt = async (ctx: KeyContext, context: EncryptionContext, secret: string): Promise<Buffer> =>
  encryptWith(ctx, await newestDataKey(ctx), context, Buffer.from(secret));

export async function decrypt(ctx: KeyContext, context: EncryptionContext, encrypted: Buffer): Promise<string> {
  const version = encrypted.readUInt32BE(0);
  return decryptWith(ctx, { version, key: await dataKey(ctx, version) }, context, encrypted).toString();
}

/** For batches: decrypts each secret with its own data key, encrypts it with the newest, and reads each key once. */
export async function reencrypter(ctx: KeyContext) {
  const { version, key } = await newestDataKey(ctx);
  const keys = new Map([[version, key]]);
  return {
    version,
    reencrypt: async (context: EncryptionContext, encrypted: Buffer): Promise<Buffer> => {
      const old = encrypted.readUInt32BE(0);
      const oldKey = keys.get(old) ?? (await dataKey(ctx, old));
      keys.set(old, oldKey);
      return encryptWith(
        ctx,
        { version, key },
        context,
        decryptWith(ctx, { version: old, key: oldKey }, context, encrypted),
      );
    },
  };
}

function encryptWith(
  { tenantId }: KeyContext,
  { version, key }: DataKey,
  context: EncryptionContext,
  secret: Buffer,
): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(version);
  return Buffer.concat([head, encryptAesGcm(key, secret, associatedData(tenantId, context, version))]);
}

const decryptWith = (
  { tenantId }: KeyContext,
  { version, key }: DataKey,
  context: EncryptionContext,
  encrypted: Buffer,
): Buffer => decryptAesGcm(key, encrypted.subarray(4), associatedData(tenantId, context, version));

/**
 * For secrets of the deployment, which belong to no tenant. Format: id of the master key, then the secret encrypted with
 * the master key or with the platform key that it wraps.
 */
export function encryptForPlatform({ current }: Keyring, context: EncryptionContext, secret: string): Buffer {
  const box = encryptAesGcm(current.key, Buffer.from(secret), associatedData('platform', context, 0));
  return Buffer.concat([Buffer.from([current.id.length]), Buffer.from(current.id), box]);
}

export function decryptForPlatform(keyring: Keyring, context: EncryptionContext, encrypted: Buffer): string {
  const id = masterKeyIdOf(encrypted);
  return decryptAesGcm(
    masterKeyOf(keyring, id).key,
    encrypted.subarray(1 + id.length),
    associatedData('platform', context, 0),
  ).toString();
}

/** The ids of all master keys except the current one. */
export const formerKeys = ({ byId, current }: Keyring): string[] => [...byId.keys()].filter((id) => id !== current.id);
/** The id of the master key that encrypted it. */
export const masterKeyIdOf = (encrypted: Buffer) => encrypted.subarray(1, 1 + (encrypted[0] ?? 0)).toString();

/** For random values only, such as tokens, so that the stored hash does not reveal them. */
export const sha256 = (value: string): Buffer => createHash('sha256').update(value).digest();

/** Keys for one purpose, derived from the master keys. They are not stored, and rotate with the master keys. */
export const derivedKeys = ({ byId, current }: Keyring, purpose: string): string[] =>
  [current, ...[...byId.values()].filter((key) => key !== current)].map(({ key }) =>
    Buffer.from(hkdfSync('sha256', key, '', purpose, 32)).toString('base64url'),
  );
