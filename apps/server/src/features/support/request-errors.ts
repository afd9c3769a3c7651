import { asSystem, inTenant, type Context, type Services } from '../../platform/context.ts';
import { everyTenant } from '../../platform/every-tenant.ts';
import type { FailedRequest } from '../../platform/http/observe.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Log } from '../../platform/telemetry.ts';
import { purgeErrors, saveErrors, type NotedError } from './request-errors.store.ts';

/** Whoever asks for nonsense a thousand ways fills no memory: the kinds that came first are counted. */
const maxKinds = 200;
const maxTenants = 5_000;

/**
 * Remembers which requests of a tenant were refused or failed, an hour's alike as one, and writes them every few seconds:
 * never a write per request. A crash loses those seconds of it; the log has every one.
 */
export function createRequestErrors(services: Services, log: Log, everyMs = 3_000) {
  let seen = new Map<Id<'tenant'>, Map<string, NotedError>>();

  const note = ({ tenantId, ...refused }: FailedRequest) => {
    const kinds = seen.get(tenantId) ?? new Map<string, NotedError>();
    if (kinds.size === 0 && seen.size >= maxTenants) return;
    seen.set(tenantId, kinds);
    const at = new Date();
    const hour = new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000);
    const kind = [hour.getTime(), refused.operation, refused.status, refused.reason].join(' ');
    const known = kinds.get(kind);
    if (!known && kinds.size >= maxKinds) return;
    kinds.set(kind, { ...refused, hour, at, count: (known?.count ?? 0) + 1 });
  };

  const flush = async () => {
    const batch = seen;
    seen = new Map();
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

/** Each hour: a week is kept. */
export const purgeRequestErrors = (services: Services): Promise<void> =>
  everyTenant(services, 'request-errors', async ({ tx }: Context) => {
    await purgeErrors(tx);
    return false;
  });
