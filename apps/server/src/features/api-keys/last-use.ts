import { asSystem, inTenant, type Caller, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Log } from '../../platform/telemetry.ts';
import { touch } from './api-keys.store.ts';

/** Buffers when keys were last used and writes once a minute instead of per request. A crash loses up to a minute. */
export function createLastUse(services: Services, log: Log, everyMs = 60_000) {
  let pending = new Map<Id<'tenant'>, Map<string, number>>();

  const record = ({ tenantId, actor }: Caller) => {
    const keys = pending.get(tenantId);
    if (keys) keys.set(actor.id, Date.now());
    else pending.set(tenantId, new Map([[actor.id, Date.now()]]));
  };

  const flush = async () => {
    const batch = pending;
    pending = new Map();
    for (const [tenantId, keys] of batch) {
      const uses = [...keys].map(([id, at]) => ({ id, at: new Date(at) }));
      await inTenant(services, asSystem(tenantId, 'last-use'), ({ tx }) => touch(tx, uses)).catch((error: unknown) =>
        log.warn({ err: error, tenantId }, 'recording the last use of API keys failed'),
      );
    }
  };
  const timer = setInterval(() => void flush(), everyMs).unref();

  return {
    record,
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
