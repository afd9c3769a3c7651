import type { Ground } from '../../platform/context.ts';
import { isSealedByCurrent, sealForPlatform, unsealForPlatform } from '../../platform/crypto.ts';
import { inPool, type PoolName } from '../../platform/pool.ts';

/** Seals what a pool keeps sealed, signing keys and second factors, with the current master key. Says how many. */
export const rewrapPool = ({ db, keyring }: Ground, pool: PoolName): Promise<number> =>
  inPool(db, pool, async (tx) => {
    const again = (purpose: string, rowId: string, sealed: Buffer) =>
      sealForPlatform(keyring, { purpose, rowId }, unsealForPlatform(keyring, { purpose, rowId }, sealed));
    const isStale = ({ sealed }: { sealed: Buffer }) => !isSealedByCurrent(keyring, sealed);
    const keys = (await tx.selectFrom('signingKeys').select(['kid', 'sealed']).forUpdate().execute()).filter(isStale);
    for (const { kid, sealed } of keys) {
      const set = { sealed: again(`signing-key/${pool}`, kid, sealed) };
      await tx.updateTable('signingKeys').set(set).where('kid', '=', kid).execute();
    }
    const factors = (await tx.selectFrom('totp').select(['userId', 'sealed']).forUpdate().execute()).filter(isStale);
    for (const { userId, sealed } of factors) {
      const set = { sealed: again(`totp/${pool}`, userId, sealed) };
      await tx.updateTable('totp').set(set).where('userId', '=', userId).execute();
    }
    return keys.length + factors.length;
  });
