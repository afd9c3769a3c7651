import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Model } from './models.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

const models = (tx: Tx) =>
  tx
    .selectFrom('models')
    .select(['id', 'name', 'provider', 'baseUrl', 'model', 'createdBy', 'createdAt'])
    .select([
      sql<boolean>`encrypted_key is not null`.as('hasKey'),
      sql<number>`input_price::float8`.as('inputPrice'),
      sql<number>`output_price::float8`.as('outputPrice'),
    ])
    .$narrowType<Model>();

export async function list(tx: Tx, before: string | undefined, limit: number): Promise<Model[]> {
  let query = models(tx).orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
}

export const find = (tx: Tx, id: string): Promise<Model | undefined> =>
  models(tx).where('id', '=', id).executeTakeFirst();

export const lock = (tx: Tx, id: string) =>
  tx.selectFrom('models').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

type Fields = Pick<Model, 'name' | 'provider' | 'baseUrl' | 'model' | 'inputPrice' | 'outputPrice'>;
export const insert = (tx: Tx, row: Fields & { id: string; createdBy: string; encryptedKey: Buffer | null }) =>
  tx.insertInto('models').values(row).execute();

export const update = (tx: Tx, id: string, change: Fields & { encryptedKey: Buffer | null }) =>
  tx.updateTable('models').set(change).where('id', '=', id).execute();

export const remove = (tx: Tx, id: string) => tx.deleteFrom('models').where('id', '=', id).execute();

export const findEncryptedKey = async (tx: Tx, id: string): Promise<Buffer | null> =>
  (await tx.selectFrom('models').select('encryptedKey').where('id', '=', id).executeTakeFirst())?.encryptedKey ?? null;

/** The names that match no model. `default` is the deployment's and always exists. */
export async function missingModels(tx: Tx, names: readonly string[]): Promise<string[]> {
  const ids = names.filter((name) => name !== 'default');
  if (ids.length === 0) return [];
  const rows = await tx.selectFrom('models').select('id').where('id', 'in', ids).execute();
  return ids.filter((id) => !rows.some((row) => row.id === id));
}
