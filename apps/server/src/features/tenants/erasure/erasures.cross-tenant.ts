import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/db.ts';
import type { Erasure } from './erasures.contract.ts';

interface ReceiptFilter {
  id?: string;
  tenantId?: string | undefined;
  before?: string | undefined;
  limit: number;
}

/** Receipts, newest first. They belong to no tenant, because theirs is erased. */
export const listReceipts = (db: Db, { id, tenantId, before, limit }: ReceiptFilter): Promise<Erasure[]> =>
  acrossTenants(db, async (tx) => {
    const conditions = [
      ...(id === undefined ? [] : [sql`id = ${id}`]),
      ...(tenantId === undefined ? [] : [sql`tenant_hash = ${sha256(tenantId)}`]),
      ...(before === undefined ? [] : [sql`id < ${before}`]),
    ];
    const { rows } = await sql<Erasure>`
      select id, encode(tenant_hash, 'hex') as tenant_hash, requested_by, deleted_at, started_at, erased_at,
        jsonb_build_object('rows', rows, 'people', people, 'invocations', invocations, 'states', states, 'keys', keys) as counts
      from directory.erasures where ${sql.join([sql`true`, ...conditions], sql` and `)} order by id desc limit ${limit}`.execute(
      tx,
    );
    return rows;
  });
