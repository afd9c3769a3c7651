import { sql, type RawBuilder } from 'kysely';
import { asSystem, inTenant, type Context, type Services } from './context.ts';
import { acrossTenants } from './cross-tenant.ts';
import type { Id } from './ids.contract.ts';

const page = 1_000;

/**
 * For maintenance: runs `work` in each tenant that has something due, until `due` finds no more rows. `due` selects the
 * `tenant_id` of due rows, oldest first, by an index. `work` must remove the rows that are due; it returns true to be called
 * again for the same tenant.
 */
export async function forDueTenants(
  services: Services,
  actorId: string,
  due: RawBuilder<unknown>,
  work: (ctx: Context) => Promise<boolean>,
): Promise<void> {
  let previous = '';
  for (;;) {
    const tenants = await acrossTenants(services.db, async (tx) => {
      const { rows } = await sql<{ tenantId: Id<'tenant'> }>`
        select distinct tenant_id from (${due} limit ${page}) as due order by tenant_id`.execute(tx);
      return rows.map(({ tenantId }) => tenantId);
    });
    if (tenants.length === 0) return;
    // Rows that stay due, for example because someone else has locked them, wait for the next time.
    if (tenants.join() === previous) return;
    previous = tenants.join();
    for (const tenantId of tenants) while (await inTenant(services, asSystem(tenantId, actorId), work));
  }
}
