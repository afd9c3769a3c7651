import * as restate from '@restatedev/restate-sdk';
import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { durableDefaults } from '../../platform/restate.ts';
import { clearTimer } from '../../platform/timers.ts';
import { apiKeyExpiring } from './api-keys.events.ts';
import { apiKeyExpiryService } from './api-keys.interface.ts';
import { expiryTimer } from './api-keys.service.ts';
import * as store from './api-keys.store.ts';

/**
 * Notifies the tenant that a key expires soon. Called with a delay instead of sleeping here: a handler that sleeps for weeks
 * pins the worker version it started on.
 */
export const apiKeyExpiry = (services: Services) =>
  restate.implement(apiKeyExpiryService, {
    options: durableDefaults,
    handlers: {
      warn: async (ctx, { tenantId, keyId, expiresAt }) => {
        const eventId = await ctx.run('choose the event id', () => newId('event')); // journaled: the same on every retry
        await ctx.run('emit api_key.expiring', () =>
          inTenant(services, asSystem(tenantId, 'api-key-expiry'), async (tenant) => {
            await store.lock(tenant.tx, keyId);
            const key = await store.find(tenant.tx, keyId);
            // The key was revoked, or its expiry changed, which set another timer.
            if (!key || key.status === 'revoked' || key.expiresAt?.toISOString() !== expiresAt) return;
            // The sweeper may run as well: whichever clears the timer emits the event.
            if (await clearTimer(tenant, expiryTimer, keyId))
              await emit(tenant, apiKeyExpiring, keyId, { object: key }, { id: eventId });
          }),
        );
      },
    },
  });
