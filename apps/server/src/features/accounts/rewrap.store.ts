import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import { formerKeys, encryptForPlatform, decryptForPlatform } from '../../platform/crypto.ts';
import { inPool, type PoolName } from '../../platform/pool.ts';

/** Ciphertext format: one byte with the length of the master key’s id, the id, then the encrypted data. */
const masterKeyId = sql<Buffer>`substring(encrypted from 2 for get_byte(encrypted, 0))`;
const byteaArray = (ids: readonly string[]) => sql`${ids.map((id) => Buffer.from(id))}::bytea[]`;

/** Counts the signing keys and TOTP secrets of a pool that are still encrypted with each of these master keys. */
export const countEncryptedInPool = ({ db }: Services, pool: PoolName, masterKeys: readonly string[]) =>
  inPool(db, pool, async (tx) => {
    const count = sql<{ id: Buffer; n: number }>`
      select id, (select count(*) from signing_keys where ${masterKeyId} = id)::int
        + (select count(*) from totp where ${masterKeyId} = id)::int as n
      from unnest(${byteaArray(masterKeys)}) as id`;
    return (await count.execute(tx)).rows.map(({ id, n }) => ({ id: id.toString(), n }));
  });

/**
 * Re-encrypts a batch of a pool's signing keys and TOTP secrets with the current master key. Returns how many rows it
 * changed, 0 when none are left. Rows locked by another transaction are left for the next call.
 */
export const rewrapPool = ({ db, keyring }: Services, pool: PoolName, max = 500): Promise<number> =>
  inPool(db, pool, async (tx) => {
    const reencrypt = (purpose: string, rowId: string, encrypted: Buffer) =>
      encryptForPlatform(keyring, { purpose, rowId }, decryptForPlatform(keyring, { purpose, rowId }, encrypted));
    const isFormer = sql<boolean>`${masterKeyId} = any (${byteaArray(formerKeys(keyring))})`;
    const keys = tx.selectFrom('signingKeys').select(['kid', 'encrypted']).where(isFormer);
    const staleKeys = await keys.limit(max).forUpdate().skipLocked().execute();
    for (const { kid, encrypted } of staleKeys) {
      const set = { encrypted: reencrypt(`signing-key/${pool}`, kid, encrypted) };
      await tx.updateTable('signingKeys').set(set).where('kid', '=', kid).execute();
    }
    const factors = tx.selectFrom('totp').select(['userId', 'encrypted']).where(isFormer);
    const staleFactors = await factors.limit(max).forUpdate().skipLocked().execute();
    for (const { userId, encrypted } of staleFactors) {
      const set = { encrypted: reencrypt(`totp/${pool}`, userId, encrypted) };
      await tx.updateTable('totp').set(set).where('userId', '=', userId).execute();
    }
    return staleKeys.length + staleFactors.length;
  });
