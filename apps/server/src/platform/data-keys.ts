import { createHash, randomBytes } from 'node:crypto';
import type { Tx } from './db.ts';
import { callWrapper } from './key-service-needed.ts';
import { masterKeyOf, type Keyring, type MasterKey, type WrapContext } from './master-keys.ts';

/** A transaction of a tenant, as in `Context`. */
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

/** Includes the wrapped key, so that a key from a rolled-back transaction is never used for a later one. */
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
    const pending = unwrapped.get(name) ?? unwrapping.get(name); // another request may have unwrapped it after this one was rolled back
    if (pending) return pending;
    const call = unwrapRemotely();
    unwrapping.set(name, call);
    return call;
  });
}

/** Wraps with the current master key. `name` distinguishes the keys of one transaction. */
const wrap = (ctx: KeyContext, name: string, version: number, key: () => Buffer): Promise<Buffer> => {
  const { current, unwrapped } = ctx.keyring;
  return callWrapper(ctx.keyring, current, `${name} ${version}`, async () => {
    const plain = key();
    const wrapped = await current.wrapper.wrap(plain, contextOf(ctx, current, version));
    unwrapped.set(cacheName(ctx, wrapped), plain); // otherwise its first use would call the key service again
    return wrapped;
  });
};

/** Rewraps the data keys of this tenant with the current master key. Secrets are unchanged. Returns the number of keys. */
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
 * The key that encrypts. Locked until the transaction ends, so that the removal of old keys waits for transactions that
 * still encrypt with them, and sees what they wrote.
 */
export async function newestDataKey(ctx: KeyContext): Promise<DataKey> {
  for (;;) {
    const newest = await newestVersion(ctx);
    if (newest === 0) {
      // Two concurrent first secrets: the second waits here, conflicts, and reads the key of the first.
      await addDataKey(ctx, 1);
      continue;
    }
    const locked = ctx.tx.selectFrom('dataKeys').selectAll().where('version', '=', newest).forKeyShare();
    const row = await locked.executeTakeFirst();
    if (row) return { version: newest, key: await unwrap(ctx, row) }; // otherwise it was just removed, and there is a newer one
  }
}

/** 0 if there is none yet. */
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

/** Adds a new data key, unless there is one created since then and wrapped by the current master key. */
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
 * Removes unused data keys, except the newest. Waits for transactions that encrypt with one. `hasRemaining` is true if
 * some are still used.
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
