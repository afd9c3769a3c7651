import { sql } from 'kysely';
import type { Id } from '../../../platform/ids.contract.ts';
import type { PoolTx } from '../../../platform/pool.ts';

export const upsertTotp = (tx: PoolTx, userId: string, encrypted: Buffer) =>
  tx
    .insertInto('totp')
    .values({ userId, encrypted })
    .onConflict((same) => same.column('userId').doUpdateSet({ encrypted, confirmedAt: null, lastStep: 0 }))
    .execute();
export const findTotp = (tx: PoolTx, userId: string) =>
  tx.selectFrom('totp').select(['encrypted', 'confirmedAt']).where('userId', '=', userId).executeTakeFirst();
/** True on the first use of this step's code, so that an observed code can't be replayed. */
export const consumeTotpStep = async (tx: PoolTx, userId: string, step: number): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('totp')
    .set({ lastStep: step, confirmedAt: sql`coalesce(confirmed_at, now())` })
    .where('userId', '=', userId)
    .where('lastStep', '<', String(step))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};
export const deleteTotp = (tx: PoolTx, userId: string) => tx.deleteFrom('totp').where('userId', '=', userId).execute();

export async function replaceRecoveryCodes(tx: PoolTx, userId: string, hashes: Buffer[]) {
  await tx.deleteFrom('recoveryCodes').where('userId', '=', userId).execute();
  if (hashes.length > 0)
    await tx
      .insertInto('recoveryCodes')
      .values(hashes.map((hash) => ({ userId, hash })))
      .execute();
}
export const useRecoveryCode = async (tx: PoolTx, userId: string, hash: Buffer): Promise<boolean> => {
  const { numDeletedRows } = await tx
    .deleteFrom('recoveryCodes')
    .where('userId', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
};
export const countRecoveryCodes = async (tx: PoolTx, userId: string): Promise<number> => {
  const query = tx.selectFrom('recoveryCodes').select((eb) => eb.fn.countAll<string>().as('n'));
  return Number((await query.where('userId', '=', userId).executeTakeFirst())?.n ?? 0);
};

const columns = ['id', 'name', 'createdAt', 'lastUsedAt'] as const;
export interface Passkey {
  id: Id<'passkey'>;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}
export interface NewPasskey {
  id: Id<'passkey'>;
  userId: string;
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  name: string;
}
export const listPasskeys = (tx: PoolTx, userId: string): Promise<Passkey[]> =>
  tx
    .selectFrom('passkeys')
    .select(columns)
    .where('userId', '=', userId)
    .orderBy('id')
    .limit(50)
    .$narrowType<Passkey>()
    .execute();
export const credentialsOf = (tx: PoolTx, userId: string) =>
  tx.selectFrom('passkeys').select(['credentialId', 'transports']).where('userId', '=', userId).limit(50).execute();
export const insertPasskey = (tx: PoolTx, row: NewPasskey): Promise<Passkey> =>
  tx.insertInto('passkeys').values(row).returning(columns).$narrowType<Passkey>().executeTakeFirstOrThrow();
export const findPasskey = (tx: PoolTx, credentialId: string) =>
  tx.selectFrom('passkeys').selectAll().where('credentialId', '=', credentialId).executeTakeFirst();
export const recordPasskeyUse = (tx: PoolTx, id: string, counter: number) =>
  tx
    .updateTable('passkeys')
    .set({ counter, lastUsedAt: sql`now()` })
    .where('id', '=', id)
    .execute();
export const deletePasskey = (tx: PoolTx, userId: string, id: string): Promise<Passkey | undefined> =>
  tx
    .deleteFrom('passkeys')
    .where('userId', '=', userId)
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Passkey>()
    .executeTakeFirst();
