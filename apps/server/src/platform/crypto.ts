import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Tx } from './db.ts';

/**
 * Secrets at rest, in two layers. Each tenant has data keys, kept in its rows, which seal its secrets; master keys from
 * the configuration seal the data keys. A new master key means wrapping one short value a tenant again, not every secret,
 * and a tenant whose data keys are deleted has left nothing that can be read.
 */
export interface Keyring {
  current: MasterKey;
  byId: ReadonlyMap<string, MasterKey>;
  /** Data keys already unwrapped: by tenant and version. */
  opened: LRUCache<string, Buffer>;
}
interface MasterKey {
  id: string;
  key: Buffer;
}

/** `id:base64,id:base64`: the first one seals, all of them open. */
export function openKeyring(masterKeys: string): Keyring {
  const keys = masterKeys.split(',').map((entry) => {
    const [id = '', text = ''] = entry.trim().split(':');
    const key = Buffer.from(text, 'base64');
    if (!/^[\w-]{1,32}$/.test(id) || key.length !== 32)
      throw new Error('A master key is `id:` and 32 bytes of base64.');
    return { id, key };
  });
  const [current] = keys;
  if (!current) throw new Error('At least one master key is needed.');
  return { current, byId: new Map(keys.map((key) => [key.id, key])), opened: new LRUCache({ max: 10_000 }) };
}

/** Where a sealed value stands. A ciphertext that was moved to another tenant, purpose or row does not open. */
export interface Place {
  purpose: string;
  rowId: string;
}
const boundTo = (tenantId: string, { purpose, rowId }: Place, version: number) =>
  Buffer.from([tenantId, purpose, rowId, version].join('|'));

/** A tenant's transaction, as every service has one. */
export interface SealContext {
  tx: Tx;
  tenantId: string;
  keyring: Keyring;
}

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

interface DataKey {
  version: number;
  key: Buffer;
}

function sealWith({ tenantId }: SealContext, { version, key }: DataKey, place: Place, secret: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(version);
  return Buffer.concat([head, encrypt(key, secret, boundTo(tenantId, place, version))]);
}

const openWith = ({ tenantId }: SealContext, { version, key }: DataKey, place: Place, sealed: Buffer): Buffer =>
  decrypt(key, sealed.subarray(4), boundTo(tenantId, place, version));

/** For secrets of the deployment itself, which belong to no tenant: sealed by the master key, whose name stands before. */
export function sealForPlatform({ current }: Keyring, place: Place, secret: string): Buffer {
  const box = encrypt(current.key, Buffer.from(secret), boundTo('platform', place, 0));
  return Buffer.concat([Buffer.from([current.id.length]), Buffer.from(current.id), box]);
}

export function unsealForPlatform({ byId }: Keyring, place: Place, sealed: Buffer): string {
  const id = sealerOf(sealed);
  const master = byId.get(id);
  if (!master) throw new Error(`Master key '${id}' is not configured, but secrets are still sealed by it.`);
  return decrypt(master.key, sealed.subarray(1 + id.length), boundTo('platform', place, 0)).toString();
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

/** Wraps this tenant's data keys with the current master key. Secrets stay as they are. Says how many it wrapped. */
export async function rewrapDataKeys({ tx, tenantId, keyring }: SealContext): Promise<number> {
  const stale = await tx.selectFrom('dataKeys').selectAll().where('masterKeyId', '<>', keyring.current.id).execute();
  for (const row of stale) {
    const key = unwrap(keyring, tenantId, row);
    await tx
      .updateTable('dataKeys')
      .set({ masterKeyId: keyring.current.id, wrapped: wrap(keyring.current, tenantId, row.version, key) })
      .where('version', '=', row.version)
      .execute();
  }
  return stale.length;
}

/**
 * The one that seals. Held until the transaction ends, so that whoever removes an old one waits for those who still seal
 * with it, and then sees what they sealed.
 */
async function newestDataKey(ctx: SealContext): Promise<DataKey> {
  for (;;) {
    const newest = await newestVersion(ctx);
    if (newest === 0) {
      // Two first secrets at once: the second waits here, finds the row taken, and reads the one that won.
      await addDataKey(ctx, 1);
      continue;
    }
    const held = ctx.tx.selectFrom('dataKeys').selectAll().where('version', '=', newest).forKeyShare();
    const row = await held.executeTakeFirst();
    if (row) return { version: newest, key: openDataKey(ctx, row) }; // else it was removed meanwhile: there is a newer one
  }
}

/** 0: there is none yet. */
export async function newestVersion({ tx }: SealContext): Promise<number> {
  const found = await tx
    .selectFrom('dataKeys')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst();
  return found?.version ?? 0;
}

const addDataKey = ({ tx, tenantId, keyring: { current } }: SealContext, version: number) =>
  tx
    .insertInto('dataKeys')
    .values({ version, masterKeyId: current.id, wrapped: wrap(current, tenantId, version, randomBytes(32)) })
    .onConflict((same) => same.columns(['tenantId', 'version']).doNothing())
    .execute();

/** Seals with a new data key from here on, unless there is one since then by the current master key. */
export async function turnDataKey(ctx: SealContext, since: Date): Promise<void> {
  const newest = await ctx.tx
    .selectFrom('dataKeys')
    .select(['version', 'masterKeyId', 'createdAt'])
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!newest || (newest.createdAt >= since && newest.masterKeyId === ctx.keyring.current.id)) return;
  await addDataKey(ctx, newest.version + 1);
}

/**
 * Removes the data keys, all but the newest, that seal nothing. Waits for those who are sealing with one. Says whether
 * some are left since they do.
 */
export async function removeDataKeys(
  ctx: SealContext,
  isUsed: (version: number) => Promise<boolean>,
): Promise<{ isLeft: boolean }> {
  const newest = await newestVersion(ctx);
  const old = await ctx.tx.selectFrom('dataKeys').select('version').where('version', '<', newest).forUpdate().execute();
  let isLeft = false;
  for (const { version } of old) {
    if (await isUsed(version)) isLeft = true;
    else await ctx.tx.deleteFrom('dataKeys').where('version', '=', version).execute();
  }
  return { isLeft };
}

async function dataKey(ctx: SealContext, version: number): Promise<Buffer> {
  const row = ctx.tx.selectFrom('dataKeys').selectAll().where('version', '=', version);
  return openDataKey(ctx, await row.executeTakeFirstOrThrow());
}

function openDataKey({ tenantId, keyring }: SealContext, row: Wrapped): Buffer {
  // The wrapped form is part of the name: a key made in a transaction that rolled back cannot answer for a later one.
  const name = createHash('sha256').update(tenantId).update(row.wrapped).digest('base64');
  const known = keyring.opened.get(name);
  if (known) return known;
  const key = unwrap(keyring, tenantId, row);
  keyring.opened.set(name, key);
  return key;
}

interface Wrapped {
  version: number;
  masterKeyId: string;
  wrapped: Buffer;
}

const wrap = (master: MasterKey, tenantId: string, version: number, key: Buffer) =>
  encrypt(master.key, key, boundTo(tenantId, { purpose: 'data-key', rowId: master.id }, version));

function unwrap(keyring: Keyring, tenantId: string, row: Wrapped): Buffer {
  const master = keyring.byId.get(row.masterKeyId);
  if (!master)
    throw new Error(`Master key '${row.masterKeyId}' is not configured, but secrets are still sealed by it.`);
  return decrypt(master.key, row.wrapped, boundTo(tenantId, { purpose: 'data-key', rowId: master.id }, row.version));
}

function encrypt(key: Buffer, plain: Buffer, bound: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound);
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

function decrypt(key: Buffer, box: Buffer, bound: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(bound).setAuthTag(box.subarray(12, 28));
  return Buffer.concat([decipher.update(box.subarray(28)), decipher.final()]);
}
