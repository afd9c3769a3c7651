import { sql, type Transaction } from 'kysely';
import type { Actor } from './context.ts';
import { transact, transactReadOnly, type Db, type Tx } from './db.ts';
import { newId } from './ids.ts';
import type { DB as PoolDb } from './pool-types.ts';

/** Users of tenants and of the platform, with separate accounts, keys, cookies, pages and tables. */
export type PoolName = 'customer' | 'admin';
export type PoolTx = Transaction<PoolDb>;

/** Runs `work` in one transaction with access to the schema of this pool only. */
export const inPool = <T>(db: Db, pool: PoolName, work: (tx: PoolTx) => Promise<T>): Promise<T> =>
  transact(db, `begin; ${enter(pool)}`, (tx) => work(tx as unknown as PoolTx));

/** The same for reading, in one round trip for each round of statements. */
export const readPool = <T>(db: Db, pool: PoolName, work: (tx: PoolTx) => Promise<T>): Promise<T> =>
  transactReadOnly(db, `begin read only; ${enter(pool)}`, (tx) => work(tx as unknown as PoolTx));

const enter = (pool: PoolName) => `set local role parley_${pool}_pool; set local search_path = ${pool}_pool`;

/** The same inside a tenant's transaction, for changes that must be atomic on both sides. */
export async function enterPool<T>(tx: Tx, pool: PoolName, work: (tx: PoolTx) => Promise<T>): Promise<T> {
  await switchToPool(tx, pool);
  const result = await work(tx as unknown as PoolTx);
  await sql`select set_config('role', current_setting('app.role_before_pool'), true), set_config('search_path', 'public', true)`.execute(
    tx,
  );
  return result;
}

const switchToPool = (tx: Tx, pool: PoolName) =>
  sql`select set_config('app.role_before_pool', current_setting('role'), true), set_config('role', ${`parley_${pool}_pool`}, true), set_config('search_path', ${`${pool}_pool`}, true)`.execute(
    tx,
  );

export interface PoolAuditEntry {
  action: string;
  /** The affected user; null if the account is unknown. */
  userId: string | null;
  actor: Actor | { type: 'visitor'; id: string };
  ip?: string | undefined;
  requestId?: string | undefined;
  data?: Record<string, unknown>;
}

/** Writes to the audit log of the pool, which records authentication events of all tenants. */
export const recordPoolAudit = (tx: PoolTx, { action, userId, actor, ip, requestId, data = {} }: PoolAuditEntry) =>
  tx
    .insertInto('auditEntries')
    .values({
      id: newId('auditEntry'),
      action,
      userId,
      actorType: actor.type,
      actorId: actor.id,
      ip: ip ?? null,
      requestId: requestId ?? null,
      data: JSON.stringify(data),
    })
    .execute();
