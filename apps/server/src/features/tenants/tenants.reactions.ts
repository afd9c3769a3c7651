import type { Services } from '../../platform/context.ts';
import type { Subscriber } from '../../platform/relay.ts';
import { runTimersOf, type TimerHandlers } from '../../platform/timers.ts';
import { goesOn } from './tenant-active.ts';
import { erasureTimer } from './erasure/tenant-deletion.service.ts';
import { eraseTenant, type ExternalStores } from './erasure/tenant-erasure.service.ts';

/**
 * For the sweeper: the thirty days are over. One step a sweep, which is seconds of work; the timer goes with the last row,
 * so what is left of a big tenant, or could not be reached, is met again.
 */
export const overdueErasure = (services: Services, externalStores: ExternalStores): TimerHandlers => ({
  [erasureTimer]: async ({ tenantId }) => {
    await eraseTenant(services, externalStores, tenantId);
  },
});

/**
 * A tenant that was suspended or deleted goes on, and with it all that was held: whatever was not done has a timer. Called
 * for again if this fails, and by the sweeper in any case.
 */
export const wakeTenant =
  (services: Services, held: TimerHandlers): Subscriber =>
  async (tenantId, events) => {
    if (events.some(({ type }) => goesOn(type))) await runTimersOf(services, tenantId, held);
  };
