import { transact, type Db, type Tx } from './db.ts';

/**
 * Runs `work` in one transaction that reads across tenants, for operators. Its role is read-only and sees only the columns
 * that a migration opened with `open_to_operators`. Only files `*.cross-tenant.ts` may call it, and `due-tenants.ts`,
 * which learns only the ids of tenants.
 */
export const acrossTenants = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  transact(db, 'begin read only; set local role parley_operator', work);
