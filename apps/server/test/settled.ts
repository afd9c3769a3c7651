import { sql } from 'kysely';
import { afterAll } from 'vitest';
import { timerHandlers } from '../src/features/durable.ts';
import type { Platform } from '../src/platform/platform.ts';
import { startSweeper } from '../src/platform/sweeper.ts';
import { until } from './chat/helpers.ts';
import { admin } from './harness.ts';

// For tests that something does not happen: waits until everything that could cause it has run, instead of sleeping.

const isDelivered = async (tenantId: string) => {
  const { rows } = await sql<{ isDelivered: boolean }>`select delivered_position = last_position as is_delivered
    from directory.event_streams where tenant_id = ${tenantId}`.execute(admin);
  return rows[0]?.isDelivered ?? true;
};

const countSweeps = async () => {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(found), 0)::int as n from directory.sweeps where kind = ''`.execute(admin);
  return rows[0]?.n ?? 0;
};
/** Waits for two sweeps, because the current one may have started before. `wake` is for sweepers with a long interval. */
async function sweepFinished(wake = () => {}): Promise<void> {
  const before = await countSweeps();
  await until(async () => {
    wake();
    return (await countSweeps()) >= before + 2;
  }, 90_000); // without `wake`, a worker sweeps every 30 seconds
}

/** Runs a second sweeper with a short interval. */
export function sweepOften({ services, restate, externalStores, log }: Platform) {
  const handlers = timerHandlers(services, restate, externalStores);
  const sweeper = startSweeper({ services, handlers, log, everyMs: 100, graceSeconds: 1 });
  afterAll(() => sweeper.stop());
}

/** Counts the invocations of this tenant that are neither completed nor scheduled. */
async function countActiveInvocations(adminUrl: string, tenantId: string): Promise<number> {
  const response = await fetch(`${adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      query: `select id from sys_invocation where status not in ('completed', 'scheduled')
        and (target_service_key like '${tenantId}/%' or idempotency_key like '${tenantId}/%')`,
    }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { rows: unknown[] }).rows.length;
}

/** Waits until the tenant has no active invocations. */
export const invocationsFinished = (
  { adminUrl }: { adminUrl: string },
  { tenantId }: { tenantId: string },
): Promise<void> => until(async () => (await countActiveInvocations(adminUrl, tenantId)) === 0);

/** Waits until events are delivered, the sweeper has run, and no invocation is active. */
export async function settled(
  restate: { adminUrl: string },
  tenant: { tenantId: string },
  wakeSweeper?: () => void,
): Promise<void> {
  await until(() => isDelivered(tenant.tenantId));
  await sweepFinished(wakeSweeper);
  await invocationsFinished(restate, tenant);
}
