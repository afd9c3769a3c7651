import { createHash, randomBytes } from 'node:crypto';
import type { Tx } from './db.ts';
import { callWrapper } from './key-service-needed.ts';
import { masterKeyOf, type Keyring, type MasterKey, type WrapContext } from './master-keys.ts';

/** A tenant's transaction, as every service has one. */
export interface KeyContext {
  tx: Tx;
  tenantId: string;
  keyring: Keyring;
}

export interface DataKey {
  version: number;
  key: Buffer;
}

interface WrappedKey {
  version: number;
  masterKeyId: string;
  wrapped: Buffer;
}

const contextOf = ({ tenantId }: KeyContext, master: MasterKey, version: number): WrapContext => ({
  tenantId,
  purpose: 'data-key',
  masterKeyId: master.id,
  version,
});

/** The wrapped form is part of the name: a key made in a transaction that rolled back cannot answer for a later one. */
const cacheName = ({ tenantId }: KeyContext, wrapped: Buffer) =>
  createHash('sha256').update(tenantId).update(wrapped).digest('base64');

async function unwrap(ctx: KeyContext, row: WrappedKey): Promise<Buffer> {
  const { unwrapped, unwrapping } = ctx.keyring;
  const name = cacheName(ctx, row.wrapped);
  const cached = unwrapped.get(name);
  if (cached) return cached;
  const master = masterKeyOf(ctx.keyring, row.masterKeyId);
  const unwrapRemotely = async () => {
    try {
      const key = await master.wrapper.unwrap(row.wrapped, contextOf(ctx, master, row.version));
      unwrapped.set(name, key);
      return key;
    } finally {
      unwrapping.delete(name);
    }
  };
  return callWrapper(ctx.keyring, master, name, async () => {
    const pending = unwrapped.get(name) ?? unwrapping.get(name); // another request needed it while this one was rolled back
    if (pending) return pending;
    const call = unwrapRemotely();
    unwrapping.set(name, call);
    return call;
  });
}

/** With the current master key. `name` tells the keys of one transaction apart. */
const wrap = (ctx: KeyContext, name: string, version: number, key: () => Buffer): Promise<Buffer> => {
  const { current, unwrapped } = ctx.keyring;
  return callWrapper(ctx.keyring, current, `${name} ${version}`, async () => {
    const plain = key();
    const wrapped = await current.wrapper.wrap(plain, contextOf(ctx, current, version));
    unwrapped.set(cacheName(ctx, wrapped), plain); // else its first use would call the service again
    return wrapped;
  });
};

/** Wraps this tenant's data keys with the current master key. Secrets stay as they are. Says how many it wrapped. */
export async function rewrapDataKeys(ctx: KeyContext): Promise<number> {
  const { tx, keyring } = ctx;
  const stale = await tx.selectFrom('dataKeys').selectAll().where('masterKeyId', '<>', keyring.current.id).execute();
  for (const row of stale) {
    const key = await unwrap(ctx, row);
    const wrapped = await wrap(ctx, 'rewrap', row.version, () => key);
    await tx
      .updateTable('dataKeys')
      .set({ masterKeyId: keyring.current.id, wrapped })
      .where('version', '=', row.version)
      .execute();
  }
  return stale.length;
}

/**
 * The one that encrypts. Held until the transaction ends, so that whoever removes an old one waits for those who still
 * encrypt with it, and then sees what they wrote.
 */
export async function newestDataKey(ctx: KeyContext): Promise<DataKey> {
  for (;;) {
    const newest = await newestVersion(ctx);
    if (newest === 0) {
      // Two first secrets at once: the second waits here, finds the row taken, and reads the one that won.
      await addDataKey(ctx, 1);
      continue;
    }
    const locked = ctx.tx.selectFrom('dataKeys').selectAll().where('version', '=', newest).forKeyShare();
    const row = await locked.executeTakeFirst();
    if (row) return { version: newest, key: await unwrap(ctx, row) }; // else it was removed meanwhile: there is a newer one
  }
}

/** 0: there is none yet. */
export async function newestVersion({ tx }: KeyContext): Promise<number> {
  const found = await tx
    .selectFrom('dataKeys')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst();
  return found?.version ?? 0;
}

async function addDataKey(ctx: KeyContext, version: number): Promise<void> {
  const wrapped = await wrap(ctx, 'new', version, () => randomBytes(32));
  await ctx.tx
    .insertInto('dataKeys')
    .values({ version, masterKeyId: ctx.keyring.current.id, wrapped })
    .onConflict((same) => same.columns(['tenantId', 'version']).doNothing())
    .execute();
}

/** Encrypts with a new data key from here on, unless there is one since then by the current master key. */
export async function rotateDataKey(ctx: KeyContext, since: Date): Promise<void> {
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
 * Removes the data keys, all but the newest, that encrypt nothing. Waits for those who are encrypting with one. Says
 * whether some are left since they do.
 */
export async function removeDataKeys(
  ctx: KeyContext,
  isUsed: (version: number) => Promise<boolean>,
): Promise<{ hasRemaining: boolean }> {
  const newest = await newestVersion(ctx);
  const old = await ctx.tx.selectFrom('dataKeys').select('version').where('version', '<', newest).forUpdate().execute();
  let hasRemaining = false;
  for (const { version } of old) {
    if (await isUsed(version)) hasRemaining = true;
    else await ctx.tx.deleteFrom('dataKeys').where('version', '=', version).execute();
  }
  return { hasRemaining };
}

export async function dataKey(ctx: KeyContext, version: number): Promise<Buffer> {
  const row = ctx.tx.selectFrom('dataKeys').selectAll().where('version', '=', version);
  return unwrap(ctx, await row.executeTakeFirstOrThrow());
}
