import { idOf } from '../../../platform/ids.contract.ts';
import type { Platform } from '../../../platform/platform.ts';
import { effective, type Plan } from '../../entitlements/index.ts';
import { tenantNames } from '../jobs/jobs.cross-tenant.ts';
import { budgetsReached, type BudgetRow } from './rate-limit-usage.cross-tenant.ts';
import type { RateLimitUsage } from './rate-limit-usage.contract.ts';

const limits = { messages: 'messages.per_month', spend: 'model_spend.per_day' } as const;
const maxRead = 500;
const maxShown = 100;

export async function readRateLimitUsage(
  { services, rateLimitUsage }: Pick<Platform, 'services' | 'rateLimitUsage'>,
  hours: number,
): Promise<RateLimitUsage> {
  const today = new Date().toISOString();
  const [refused, reached] = await Promise.all([
    rateLimitUsage.top(hours, 50).catch(() => null),
    budgetsReached(services.db, today.slice(0, 10), `${today.slice(0, 7)}-01`, maxRead),
  ]);
  const tenantIds = refused?.flatMap(({ tenantId }) => idOf('tenant').safeParse(tenantId).data ?? []) ?? [];
  const names = new Map((await tenantNames(services.db, tenantIds)).map(({ tenantId, name }) => [tenantId, name]));
  return {
    refusals:
      refused?.map(({ tenantId, policy, refused: times }) => ({
        tenantId: idOf('tenant').safeParse(tenantId).data ?? null,
        tenantName: names.get(tenantId ?? '') ?? null,
        policy,
        refused: times,
      })) ?? null,
    budgets: reached
      .map(toBudget)
      // An operator may have raised the limit since the threshold was crossed.
      .filter(({ percent }) => percent >= 80)
      .sort((a, b) => b.percent - a.percent)
      .slice(0, maxShown),
  };
}

function toBudget({ tenantId, tenantName, plan, name, period, used, reserved, overrides }: BudgetRow) {
  const limit = limits[name];
  const allowed = effective(plan as Plan, overrides)[limit];
  const unit = name === 'spend' ? 1_000_000 : 1;
  const percent = allowed === 0 ? 100 : Math.floor((100 * (used + reserved)) / unit / allowed);
  return { tenantId, tenantName, plan, limit, period, used: used / unit, reserved: reserved / unit, allowed, percent };
}
