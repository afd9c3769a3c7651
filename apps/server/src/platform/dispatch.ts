import { escapeLiteral } from 'pg';
import { transact, type Db, type Tx } from './db.ts';

/**
 * Runs `work` in one transaction for several tenants, for the delivery of webhooks. Its role sees the rows of these tenants
 * and of no others, and only the columns that a migration opened to it. Only files `*.dispatch.ts` may call it.
 *
 * Statements are planned once per connection, because planning them costs more than executing them. The plan may be from when
 * a table was empty, so the planner must look rows up in an index (not read a whole one), and statements must be written so
 * that only one index fits (test/webhooks/steps).
 * Compiling a statement (JIT) takes longer than running it. A transaction that its worker does not end, because it was
 * paused, ends soon, so that another can take over.
 */
export const forTenants = <T>(db: Db, tenantIds: Iterable<string>, work: (tx: Tx) => Promise<T>): Promise<T> =>
  transact(
    db,
    `begin read write; set local role parley_dispatcher; set local app.tenant_ids = ${escapeLiteral([...tenantIds].join(','))};
      set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_indexonlyscan = off;
      set local jit = off; set local plan_cache_mode = force_generic_plan;
      set local idle_in_transaction_session_timeout = '2s'`,
    work,
  );
