import { sql } from 'kysely';
import type { Ground } from '../../platform/context.ts';
import { formerKeys, sealForPlatform, unsealForPlatform } from '../../platform/crypto.ts';
import { inPool, type PoolName } from '../../platform/pool.ts';

/** The name of the master key stands before what it sealed, its length before that. */
const sealer = sql<Buffer>`substring(sealed from 2 for get_byte(sealed, 0))`;
const named = (ids: readonly string[]) => sql`${ids.map((id) => Buffer.from(id))}::bytea[]`;

/** How many signing keys and second factors of a pool each of these master keys still seals. */
export const countSealedInPool = ({ db }: Ground, pool: PoolName, masterKeys: readonly string[]) =>
  inPool(db, pool, async (tx) => {
    const count = sql<{ id: Buffer; n: number }>`
      select id, (select count(*) from signing_keys where ${sealer} = id)::int
        + (select count(*) from totp where ${sealer} = id)::int as n
      from unnest(${named(masterKeys)}) as id`;
    return (await count.execute(tx)).rows.map(({ id, n }) => ({ id: id.toString(), n }));
  });

/**
 * Seals some of what a pool keeps sealed by other master keys, signing keys and second factors, with the current one. Says
 * how many, 0 at the end. A row that somebody is changing waits for the next call.
 */
export const rewrapPool = ({ db, keyring }: Ground, pool: PoolName, most = 500): Promise<number> =>
  inPool(db, pool, async (tx) => {
    const again = (purpose: string, rowId: string, sealed: Buffer) =>
      sealForPlatform(keyring, { purpose, rowId }, unsealForPlatform(keyring, { purpose, rowId }, sealed));
    const isFormer = sql<boolean>`${sealer} = any (${named(formerKeys(keyring))})`;
    const keys = tx.selectFrom('signingKeys').select(['kid', 'sealed']).where(isFormer);
    const staleKeys = await keys.limit(most).forUpdate().skipLocked().execute();
    for (const { kid, sealed } of staleKeys) {
      const set = { sealed: again(`signing-key/${pool}`, kid, sealed) };
      await tx.updateTable('signingKeys').set(set).where('kid', '=', kid).execute();
    }
    const factors = tx.selectFrom('totp').select(['userId', 'sealed']).where(isFormer);
    const staleFactors = await factors.limit(most).forUpdate().skipLocked().execute();
    for (const { userId, sealed } of staleFactors) {
      const set = { sealed: again(`totp/${pool}`, userId, sealed) };
      await tx.updateTable('totp').set(set).where('userId', '=', userId).execute();
    }
    return staleKeys.length + staleFactors.length;
  });
