import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import { formerKeys, encryptForPlatform, decryptForPlatform } from '../../platform/crypto.ts';
import { inPool, type PoolName } from '../../platform/pool.ts';

/** The name of the master key stands before what it encrypted, its length before that. */
const encrypter = sql<Buffer>`substring(encrypted from 2 for get_byte(encrypted, 0))`;
const named = (ids: readonly string[]) => sql`${ids.map((id) => Buffer.from(id))}::bytea[]`;

/** How many signing keys and second factors of a pool each of these master keys still encrypts. */
export const countEncryptedInPool = ({ db }: Services, pool: PoolName, masterKeys: readonly string[]) =>
  inPool(db, pool, async (tx) => {
    const count = sql<{ id: Buffer; n: number }>`
      select id, (select count(*) from signing_keys where ${encrypter} = id)::int
        + (select count(*) from totp where ${encrypter} = id)::int as n
      from unnest(${named(masterKeys)}) as id`;
    return (await count.execute(tx)).rows.map(({ id, n }) => ({ id: id.toString(), n }));
  });

/**
 * Encrypts some of what a pool keeps encrypted by other master keys, signing keys and second factors, with the current one. Says
 * how many, 0 at the end. A row that somebody is changing waits for the next call.
 */
export const rewrapPool = ({ db, keyring }: Services, pool: PoolName, max = 500): Promise<number> =>
  inPool(db, pool, async (tx) => {
    const again = (purpose: string, rowId: string, encrypted: Buffer) =>
      encryptForPlatform(keyring, { purpose, rowId }, decryptForPlatform(keyring, { purpose, rowId }, encrypted));
    const isFormer = sql<boolean>`${encrypter} = any (${named(formerKeys(keyring))})`;
    const keys = tx.selectFrom('signingKeys').select(['kid', 'encrypted']).where(isFormer);
    const staleKeys = await keys.limit(max).forUpdate().skipLocked().execute();
    for (const { kid, encrypted } of staleKeys) {
      const set = { encrypted: again(`signing-key/${pool}`, kid, encrypted) };
      await tx.updateTable('signingKeys').set(set).where('kid', '=', kid).execute();
    }
    const factors = tx.selectFrom('totp').select(['userId', 'encrypted']).where(isFormer);
    const staleFactors = await factors.limit(max).forUpdate().skipLocked().execute();
    for (const { userId, encrypted } of staleFactors) {
      const set = { encrypted: again(`totp/${pool}`, userId, encrypted) };
      await tx.updateTable('totp').set(set).where('userId', '=', userId).execute();
    }
    return staleKeys.length + staleFactors.length;
  });
