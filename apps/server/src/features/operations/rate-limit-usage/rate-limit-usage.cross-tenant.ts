import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';

export interface BudgetRow {
  tenantId: Id<'tenant'>;
  tenantName: string | null;
  plan: string;
  name: 'messages' | 'spend';
  period: string;
  used: number;
  reserved: number;
  /** The tenant's overrides of these two limits. */
  overrides: { name: string; value: number }[];
}

/** Budgets of the current day and month that crossed a warning threshold. Uses a partial index. */
export const budgetsReached = (db: Db, day: string, month: string, limit: number): Promise<BudgetRow[]> =>
  acrossTenants(db, async (tx) => {
    await sql`set local statement_timeout = 5000`.execute(tx);
    const { rows } = await sql<BudgetRow>`
      select b.tenant_id, t.name as tenant_name, t.plan, b.name, to_char(b.period, 'YYYY-MM-DD') as period,
        b.used::float8 as used, b.reserved::float8 as reserved,
        coalesce((select json_agg(json_build_object('name', o.name, 'value', o.value)) from entitlement_overrides o
          where o.tenant_id = b.tenant_id and o.name in ('messages.per_month', 'model_spend.per_day')), '[]') as overrides
      from budgets b join tenants t on t.tenant_id = b.tenant_id
      where b.reached > 0 and ((b.period = ${day}::date and b.name = 'spend') or (b.period = ${month}::date and b.name = 'messages'))
      order by b.reached desc, b.tenant_id limit ${limit}`.execute(tx);
    return rows;
  });
