import type { Services } from '../../platform/context.ts';
import type { Subscriber } from '../../platform/relay.ts';
import { runTimersOf, type TimerHandlers } from '../../platform/timers.ts';
import { isReactivation } from './tenants.events.ts';
import { erasureTimer } from './erasure/tenant-deletion.service.ts';
import { eraseTenant, type ExternalStores } from './erasure/tenant-erasure.service.ts';

/**
 * For the sweeper, after the 30 days. Each sweep does one step, which takes seconds. The timer is deleted with the last row,
 * so a large tenant, or one whose stores were unreachable, is continued in the next sweep.
 */
export const overdueErasure = (services: Services, externalStores: ExternalStores): TimerHandlers => ({
  [erasureTimer]: async ({ tenantId }) => {
    await eraseTenant(services, externalStores, tenantId);
  },
});

/**
 * Wakes all work of a tenant that is active again: everything unfinished has a timer. Retried if this fails, and the
 * sweeper would find the timers in any case.
 */
export const wakeTenant =
  (services: Services, timerHandlers: TimerHandlers): Subscriber =>
  async (tenantId, events) => {
    if (events.some(({ type }) => isReactivation(type))) await runTimersOf(services, tenantId, timerHandlers);
  };
