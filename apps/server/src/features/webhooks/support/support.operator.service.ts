import type { Context } from '../../../platform/context.ts';
import type { Db } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import * as log from '../log/deliveries.store.ts';
import { stuckDeliveries, unhealthyEndpoints } from './support.cross-tenant.ts';
import type { ListStuck, ListUnhealthy } from './support.contract.ts';
import { endpointsWithQueue } from './support.store.ts';
import { supportedDelivery, supportedEndpoints } from './views.ts';

/** Runs work within one tenant, under its row-level security. */
export type InTenant = <T>(tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<T>) => Promise<T>;
interface SupportDeps {
  db: Db;
  inTenant: InTenant;
}

export async function listUnhealthy({ db, inTenant }: SupportDeps, { cursor, limit, status }: ListUnhealthy) {
  const found = await unhealthyEndpoints(db, { status, before: readCursor(cursor), limit: limit + 1 });
  const { data, nextCursor } = toPage(found, limit);
  const endpoints = await readByTenant(inTenant, data, (ctx, tenantName, rows) =>
    supportedEndpoints(ctx, tenantName, idsOf(rows)),
  );
  return { data: endpoints, nextCursor };
}

export async function listStuck({ db, inTenant }: SupportDeps, { cursor, limit, state, tenantId }: ListStuck) {
  const found = await stuckDeliveries(db, { state, tenantId, before: readCursor(cursor), limit: limit + 1 });
  const { data, nextCursor } = toPage(found, limit);
  const deliveries = await readByTenant(inTenant, data, async (ctx, tenantName, rows) => {
    const ids = [...new Set(rows.map(({ webhookId }) => webhookId))];
    const endpoints = new Map(
      (await endpointsWithQueue(ctx.tx, { ids, limit: ids.length })).map((one) => [one.id, one]),
    );
    return (await log.findAll(ctx.tx, idsOf(rows))).flatMap((row) => {
      const endpoint = endpoints.get(row.webhookId);
      return endpoint ? [supportedDelivery(ctx, tenantName, endpoint, row)] : [];
    });
  });
  return { data: deliveries, nextCursor };
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Transactions at the same time: a page of many tenants must not use all connections of the process. */
const concurrency = 4;

interface Ref {
  id: string;
  tenantId: Id<'tenant'>;
  tenantName: string;
}
/**
 * One transaction for each tenant of a page, which reads all of its rows together. Returns them in the order of the page,
 * without those that were deleted in the meantime.
 */
async function readByTenant<R extends Ref, T extends { id: string }>(
  inTenant: InTenant,
  refs: readonly R[],
  read: (ctx: Context, tenantName: string, own: readonly R[]) => Promise<T[]>,
): Promise<T[]> {
  const results = new Map<string, T>();
  const tenants = [...Map.groupBy(refs, ({ tenantId }) => tenantId)];
  const readNext = async (): Promise<void> => {
    for (let next = tenants.pop(); next; next = tenants.pop()) {
      const [tenantId, own] = next;
      const rows = await inTenant(tenantId, (ctx) => read(ctx, own[0]?.tenantName ?? '', own));
      for (const row of rows) results.set(row.id, row);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, readNext));
  return refs.flatMap(({ id }) => results.get(id) ?? []);
}
