import { createHourlyCounts } from './hourly-counts.ts';
import type { Valkey } from './valkey.ts';

/** Visitors' messages, attempts of deliveries, and the cost of models in millionths of a dollar. */
type Activity = 'messages' | 'deliveries' | 'model_spend';
export type CountActivity = (activity: Activity, tenantId: string, by?: number) => void;

export interface TenantActivity {
  count: CountActivity;
  /** The busiest tenants of the last hours. Throws while Valkey is down. */
  top(activity: Activity, hours: number, max: number): Promise<{ tenantId: string; count: number }[]>;
  stop(): void;
}

/** Counts what tenants do, for operators: labels of metrics can't be tenants, of which there may be a million. */
export function createTenantActivity(valkey: Valkey, prefix: string): TenantActivity {
  const counts = {
    messages: createHourlyCounts(valkey, `${prefix}activity:messages`),
    deliveries: createHourlyCounts(valkey, `${prefix}activity:deliveries`),
    model_spend: createHourlyCounts(valkey, `${prefix}activity:model_spend`),
  };
  return {
    count: (activity, tenantId, by) => counts[activity].count(tenantId, by),
    top: async (activity, hours, max) =>
      (await counts[activity].top(hours, max)).map(({ member, count }) => ({ tenantId: member, count })),
    stop: () => Object.values(counts).forEach(({ stop }) => stop()),
  };
}
