import { asSystem, inTenant, type Ground } from '../../platform/context.ts';
import type { TimerHandlers } from '../../platform/timers.ts';
import { erasureTimer } from './tenant-deletion.service.ts';
import { eraseTenant } from './tenants.store.ts';

/**
 * For the sweeper: the thirty days are over. One step a sweep, which is seconds of work; the timer goes with the last row,
 * so what is left of a big tenant is met again.
 */
export const overdueErasure = (ground: Ground): TimerHandlers => ({
  [erasureTimer]: async ({ tenantId }) => {
    await inTenant(ground, asSystem(tenantId, 'sweeper'), ({ tx }) => eraseTenant(tx));
  },
});
