import type { Context } from '../../../platform/context.ts';
import type { Db } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import * as log from '../log/deliveries.store.ts';
import { stuckDeliveries, unhealthyEndpoints } from './support.cross-tenant.ts';
import type { ListStuck, ListUnhealthy } from './support.contract.ts';
import { supportedDelivery, supportedEndpoint } from './views.ts';
import { find } from '../endpoints/webhooks.store.ts';

/** Runs work within one tenant, under its row-level security. */
export type InTenant = <T>(tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<T>) => Promise<T>;
interface SupportDeps {
  db: Db;
  inTenant: InTenant;
}

export async function listUnhealthy({ db, inTenant }: SupportDeps, { cursor, limit, status }: ListUnhealthy) {
  const found = await unhealthyEndpoints(db, { status, before: readCursor(cursor), limit: limit + 1 });
  const { data, nextCursor } = toPage(found, limit);
  return {
    data: await forEachTenant(inTenant, data, (ctx, row) => supportedEndpoint(ctx, row.tenantName, row.id)),
    nextCursor,
  };
}

export async function listStuck({ db, inTenant }: SupportDeps, { cursor, limit, state, tenantId }: ListStuck) {
  const found = await stuckDeliveries(db, { state, tenantId, before: readCursor(cursor), limit: limit + 1 });
  const { data, nextCursor } = toPage(found, limit);
  const deliveries = await forEachTenant(inTenant, data, async (ctx, { tenantName, webhookId, id }) => {
    const [endpoint, row] = [await find(ctx.tx, webhookId), await log.find(ctx.tx, webhookId, id)];
    return endpoint && row && supportedDelivery(ctx, tenantName, endpoint, row);
  });
  return { data: deliveries, nextCursor };
}

/** One transaction for each tenant of a page. Rows that were deleted in the meantime are skipped. */
async function forEachTenant<R extends { tenantId: Id<'tenant'> }, T>(
  inTenant: InTenant,
  rows: readonly R[],
  read: (ctx: Context, row: R) => Promise<T | undefined>,
): Promise<T[]> {
  const results = new Map<R, T>();
  for (const [tenantId, own] of Map.groupBy(rows, (row) => row.tenantId))
    await inTenant(tenantId, async (ctx) => {
      for (const row of own) {
        const result = await read(ctx, row);
        if (result !== undefined) results.set(row, result);
      }
    });
  return rows.flatMap((row) => results.get(row) ?? []);
}
