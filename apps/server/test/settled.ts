import { sql } from 'kysely';
import { afterAll } from 'vitest';
import { timerHandlers } from '../src/features/durable.ts';
import type { Platform } from '../src/platform/platform.ts';
import { startSweeper } from '../src/platform/timers.ts';
import { until } from './chat/helpers.ts';
import { admin } from './harness.ts';

// For tests of what does not happen: in place of a pause, all that would make it happen has had its turn.

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
/** The one under way may have looked before; the next has not. `wake` asks a sweeper that would sleep for long. */
async function sweepFinished(wake = () => {}): Promise<void> {
  const before = await countSweeps();
  await until(async () => {
    wake();
    return (await countSweeps()) >= before + 2;
  });
}

/** Besides the worker's own, so that nobody waits for a whole second. */
export function sweepOften({ services, restate, externalStores, log }: Platform) {
  const handlers = timerHandlers(services, restate, externalStores);
  const sweeper = startSweeper({ services, handlers, log, everyMs: 100, graceSeconds: 1 });
  afterAll(() => sweeper.stop());
}

/** Calls of this tenant that Restate has taken, and that do not wait for their time. */
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

/** What was called for has come to its end, and nobody is at work for it. */
export const invocationsFinished = (
  { adminUrl }: { adminUrl: string },
  { tenantId }: { tenantId: string },
): Promise<void> => until(async () => (await countActiveInvocations(adminUrl, tenantId)) === 0);

/** Its events are handed on, the sweeper has looked since, and what was called for has come to its end. */
export async function settled(
  restate: { adminUrl: string },
  tenant: { tenantId: string },
  wakeSweeper?: () => void,
): Promise<void> {
  await until(() => isDelivered(tenant.tenantId));
  await sweepFinished(wakeSweeper);
  await invocationsFinished(restate, tenant);
}
