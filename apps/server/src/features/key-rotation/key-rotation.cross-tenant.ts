import { sql } from 'kysely';
import { acrossTenants } from '../../platform/cross-tenant.ts';
import type { Db } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';

interface OldKeysFilter {
  after: string;
  startedAt: Date;
  masterKeyId: string;
  max: number;
}

/** Tenants with a data key from before the rotation or under another master key, ordered by id. */
export const tenantsWithOldKeys = (
  db: Db,
  { after, startedAt, masterKeyId, max }: OldKeysFilter,
): Promise<Id<'tenant'>[]> =>
  acrossTenants(db, async (tx) => {
    const rows = await tx
      .selectFrom('dataKeys')
      .select('tenantId')
      .distinct()
      .where('tenantId', '>', after)
      .where((eb) => eb.or([eb('createdAt', '<', startedAt), eb('masterKeyId', '<>', masterKeyId)]))
      .orderBy('tenantId')
      .limit(max)
      .execute();
    return rows.map(({ tenantId }) => tenantId as Id<'tenant'>);
  });

/** Number of data keys per master key, including unknown master keys. */
export const countDataKeys = (db: Db) =>
  acrossTenants(db, (tx) =>
    tx
      .selectFrom('dataKeys')
      .select(['masterKeyId as id', sql<number>`count(*)::int`.as('n')])
      .groupBy('masterKeyId')
      .execute(),
  );
