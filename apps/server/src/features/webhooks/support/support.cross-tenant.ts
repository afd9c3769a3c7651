import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import type { ListStuck, ListUnhealthy } from './support.contract.ts';

// Only ids and tenants are read across tenants. Details are read within each tenant, under row-level security.

export interface EndpointRef {
  id: Id<'webhook'>;
  tenantId: Id<'tenant'>;
  tenantName: string;
}
interface Range {
  before: string | undefined;
  limit: number;
}

export const unhealthyEndpoints = (
  db: Db,
  { status, before, limit }: Pick<ListUnhealthy, 'status'> & Range,
): Promise<EndpointRef[]> =>
  acrossTenants(db, async (tx) => {
    const { rows } = await sql<EndpointRef>`
      select w.id, w.tenant_id, t.name as tenant_name from webhooks w join tenants t using (tenant_id)
      where w.status <> 'active' and t.status <> 'deleted'
        and (${status ?? null}::text is null or w.status = ${status ?? null})
        and (${before ?? null}::text is null or w.id < ${before ?? null})
      order by w.id desc limit ${limit}`.execute(tx);
    return rows;
  });

export interface DeliveryRef extends Omit<EndpointRef, 'id'> {
  id: Id<'delivery'>;
  webhookId: Id<'webhook'>;
}

/** At most one page per endpoint, so that one with a large backlog doesn't slow down the query. */
const queued = ({ tenantId, before, limit }: Pick<ListStuck, 'tenantId'> & Range) => sql<DeliveryRef>`
  select q.id, w.id as webhook_id, w.tenant_id, t.name as tenant_name
  from webhooks w join tenants t using (tenant_id) cross join lateral (
    select id from webhook_queue where tenant_id = w.tenant_id and webhook_id = w.id
      and (${before ?? null}::text is null or id < ${before ?? null}) order by id desc limit ${limit}) q
  where w.status <> 'active' and w.status in ('broken', 'disabled', 'paused') and t.status <> 'deleted'
    and (${tenantId ?? null}::text is null or w.tenant_id = ${tenantId ?? null})
  order by q.id desc limit ${limit}`;

const exhausted = ({ tenantId, before, limit }: Pick<ListStuck, 'tenantId'> & Range) => sql<DeliveryRef>`
  select d.id, d.webhook_id, d.tenant_id, t.name as tenant_name
  from webhook_deliveries d join tenants t using (tenant_id) join webhooks w on w.tenant_id = d.tenant_id and w.id = d.webhook_id
  where d.status = 'exhausted' and t.status <> 'deleted'
    and (${tenantId ?? null}::text is null or d.tenant_id = ${tenantId ?? null})
    and (${before ?? null}::text is null or d.id < ${before ?? null})
  order by d.id desc limit ${limit}`;

export const stuckDeliveries = (
  db: Db,
  { state, ...filter }: Pick<ListStuck, 'state' | 'tenantId'> & Range,
): Promise<DeliveryRef[]> =>
  acrossTenants(db, async (tx) => (await (state === 'held' ? queued : exhausted)(filter).execute(tx)).rows);
