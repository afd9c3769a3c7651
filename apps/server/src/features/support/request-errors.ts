import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import { forDueTenants } from '../../platform/due-tenants.ts';
import type { FailedRequest } from '../../platform/http/observe.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Log } from '../../platform/telemetry.ts';
import { oldErrors, purgeErrors, saveErrors, type ErrorCount } from './request-errors.store.ts';

/** Bounds memory: beyond these limits, new kinds of errors are dropped. */
const maxKinds = 200;
const maxTenants = 5_000;

/**
 * Counts rejected and failed requests by tenant, hour and kind in memory, and writes them every few seconds instead of once
 * per request. A crash loses the last few seconds; the log has every request.
 */
export function createRequestErrors(services: Services, log: Log, everyMs = 3_000) {
  let pending = new Map<Id<'tenant'>, Map<string, ErrorCount>>();

  const note = ({ tenantId, ...refused }: FailedRequest) => {
    const kinds = pending.get(tenantId) ?? new Map<string, ErrorCount>();
    if (kinds.size === 0 && pending.size >= maxTenants) return;
    pending.set(tenantId, kinds);
    const at = new Date();
    const hour = new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000);
    const kind = [hour.getTime(), refused.operation, refused.status, refused.reason].join(' ');
    const existing = kinds.get(kind);
    if (!existing && kinds.size >= maxKinds) return;
    kinds.set(kind, { ...refused, hour, at, count: (existing?.count ?? 0) + 1 });
  };

  const flush = async () => {
    const batch = pending;
    pending = new Map();
    for (const [tenantId, kinds] of batch)
      await inTenant(services, asSystem(tenantId, 'request-errors'), (ctx) =>
        saveErrors(ctx, [...kinds.values()]),
      ).catch((error: unknown) => log.warn({ err: error, tenantId }, 'recording rejected requests failed'));
  };
  const timer = setInterval(() => void flush(), everyMs).unref();

  return {
    note,
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Runs hourly. Errors are kept for a week. */
export const purgeRequestErrors = (services: Services): Promise<void> =>
  forDueTenants(services, 'request-errors', oldErrors, async ({ tx }) => {
    await purgeErrors(tx);
    return false;
  });
