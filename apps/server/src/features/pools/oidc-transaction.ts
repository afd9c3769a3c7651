import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db } from '../../platform/db.ts';
import { inPool, readPool, type PoolName, type PoolTx } from '../../platform/pool.ts';
import type { LiveSession } from './sessions.store.ts';

interface OidcTransaction {
  tx: PoolTx;
  /** The session being created, so that its first token does not have to look it up. */
  session?: LiveSession;
}
const currentTransaction = new AsyncLocalStorage<OidcTransaction>();

/** Makes the OIDC library use this transaction for everything it saves during `work`. */
export const withOidcTransaction = <T>(tx: PoolTx, work: (transaction: OidcTransaction) => Promise<T>): Promise<T> => {
  const transaction: OidcTransaction = { tx };
  return currentTransaction.run(transaction, () => work(transaction));
};
export const pendingSession = () => currentTransaction.getStore()?.session;

/** Uses the current transaction, or starts a new one. */
export function inPoolTx<T>(db: Db, pool: PoolName, work: (tx: PoolTx) => Promise<T>): Promise<T> {
  const tx = currentTransaction.getStore()?.tx;
  return tx ? work(tx) : inPool(db, pool, work);
}

/** The same for reading. */
export function readPoolTx<T>(db: Db, pool: PoolName, work: (tx: PoolTx) => Promise<T>): Promise<T> {
  const tx = currentTransaction.getStore()?.tx;
  return tx ? work(tx) : readPool(db, pool, work);
}
