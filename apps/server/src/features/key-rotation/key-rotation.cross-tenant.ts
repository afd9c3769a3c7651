import { sql } from 'kysely';
import { acrossTenants } from '../../platform/cross-tenant.ts';
import type { Db } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';

interface Wanted {
  after: string;
  startedAt: Date;
  masterKeyId: string;
  max: number;
}

/** Tenants that have a data key from before, or by another master key, in the order of their ids. */
export const tenantsWithOldKeys = (
  db: Db,
  { after, startedAt, masterKeyId, max: most }: Wanted,
): Promise<Id<'tenant'>[]> =>
  acrossTenants(db, async (tx) => {
    const rows = await tx
      .selectFrom('dataKeys')
      .select('tenantId')
      .distinct()
      .where('tenantId', '>', after)
      .where((eb) => eb.or([eb('createdAt', '<', startedAt), eb('masterKeyId', '<>', masterKeyId)]))
      .orderBy('tenantId')
      .limit(most)
      .execute();
    return rows.map(({ tenantId }) => tenantId as Id<'tenant'>);
  });

/** How many data keys each master key encrypts, whether it is known or not. */
export const countDataKeys = (db: Db) =>
  acrossTenants(db, (tx) =>
    tx
      .selectFrom('dataKeys')
      .select(['masterKeyId as id', sql<number>`count(*)::int`.as('n')])
      .groupBy('masterKeyId')
      .execute(),
  );
