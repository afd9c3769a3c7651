import { escapeLiteral } from 'pg';
import { transact, type Db, type Tx } from './db.ts';

/**
 * Runs `work` in one transaction for several tenants, for the delivery of webhooks. Its role sees the rows of these tenants
 * and of no others, and only the columns that a migration opened to it. Only files `*.dispatch.ts` may call it.
 *
 * The planner must use indexes: statistics of a queue that was empty would have it read all rows. Compiling a statement
 * (JIT) takes longer than running it. A plan is made for each execution, because one from when a table was empty is kept
 * until the table is analyzed, and may use an index on time instead of the endpoint's. A transaction that its worker does
 * not end, because it was paused, ends soon, so that another can take over.
 */
export const forTenants = <T>(db: Db, tenantIds: Iterable<string>, work: (tx: Tx) => Promise<T>): Promise<T> =>
  transact(
    db,
    `begin read write; set local role parley_dispatcher; set local app.tenant_ids = ${escapeLiteral([...tenantIds].join(','))};
      set local enable_seqscan = off; set local enable_bitmapscan = off; set local jit = off; set local plan_cache_mode = force_custom_plan;
      set local idle_in_transaction_session_timeout = '2s'`,
    work,
  );
