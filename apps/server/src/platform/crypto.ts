import { createHash, hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';
import { dataKey, newestDataKey, type DataKey, type SealContext } from './data-keys.ts';
import { masterKeyOf, type Keyring } from './master-keys.ts';

export { newestVersion, removeDataKeys, rewrapDataKeys, turnDataKey, type SealContext } from './data-keys.ts';
export { openKeyring, type Keyring } from './master-keys.ts';

// Secrets at rest, in two layers. Each tenant has data keys, kept in its rows, which encrypt its secrets; master keys, local
// or in a key service, wrap the data keys. A new master key means wrapping one short value a tenant again, not every
// secret, and a tenant whose data keys are deleted has left nothing that can be read.

/** Where a sealed value stands. A ciphertext that was moved to another tenant, purpose or row does not open. */
export interface Place {
  purpose: string;
  rowId: string;
}
const boundTo = (tenantId: string, { purpose, rowId }: Place, version: number) =>
  Buffer.from([tenantId, purpose, rowId, version].join('|'));

/** Sealed form: the data key's version in 4 bytes, then nonce, tag and ciphertext. */
export const seal = async (ctx: SealContext, place: Place, secret: string): Promise<Buffer> =>
  sealWith(ctx, await newestDataKey(ctx), place, Buffer.from(secret));

export async function unseal(ctx: SealContext, place: Place, sealed: Buffer): Promise<string> {
  const version = sealed.readUInt32BE(0);
  return openWith(ctx, { version, key: await dataKey(ctx, version) }, place, sealed).toString();
}

/** For many at a time: opens each with its own data key, seals it with the newest, and looks each key up once. */
export async function resealer(ctx: SealContext) {
  const { version, key } = await newestDataKey(ctx);
  const keys = new Map([[version, key]]);
  return {
    version,
    again: async (place: Place, sealed: Buffer): Promise<Buffer> => {
      const old = sealed.readUInt32BE(0);
      const opener = keys.get(old) ?? (await dataKey(ctx, old));
      keys.set(old, opener);
      return sealWith(ctx, { version, key }, place, openWith(ctx, { version: old, key: opener }, place, sealed));
    },
  };
}

function sealWith({ tenantId }: SealContext, { version, key }: DataKey, place: Place, secret: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(version);
  return Buffer.concat([head, encrypt(key, secret, boundTo(tenantId, place, version))]);
}

const openWith = ({ tenantId }: SealContext, { version, key }: DataKey, place: Place, sealed: Buffer): Buffer =>
  decrypt(key, sealed.subarray(4), boundTo(tenantId, place, version));

/**
 * For secrets of the deployment itself, which belong to no tenant: encrypted with the master key, or with the platform key
 * that it wraps, after the name of the master key.
 */
export function sealForPlatform({ current }: Keyring, place: Place, secret: string): Buffer {
  const box = encrypt(current.key, Buffer.from(secret), boundTo('platform', place, 0));
  return Buffer.concat([Buffer.from([current.id.length]), Buffer.from(current.id), box]);
}

export function unsealForPlatform(keyring: Keyring, place: Place, sealed: Buffer): string {
  const id = sealerOf(sealed);
  return decrypt(
    masterKeyOf(keyring, id).key,
    sealed.subarray(1 + id.length),
    boundTo('platform', place, 0),
  ).toString();
}

/** The master keys that may still have sealed something, besides the one that seals now. */
export const formerKeys = ({ byId, current }: Keyring): string[] => [...byId.keys()].filter((id) => id !== current.id);
/** The master key that sealed it. */
export const sealerOf = (sealed: Buffer) => sealed.subarray(1, 1 + (sealed[0] ?? 0)).toString();

/** For values that are random already: what is stored does not give back what was sent. */
export const sha256 = (value: string): Buffer => createHash('sha256').update(value).digest();

/** Keys for one purpose, made from the master keys: nothing to store, and they change with them. */
export const derivedKeys = ({ byId, current }: Keyring, purpose: string): string[] =>
  [current, ...[...byId.values()].filter((key) => key !== current)].map(({ key }) =>
    Buffer.from(hkdfSync('sha256', key, '', purpose, 32)).toString('base64url'),
  );
