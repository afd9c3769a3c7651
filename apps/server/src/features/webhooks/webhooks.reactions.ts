import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import { hintLanes } from '../../platform/lane-hints.ts';
import type { Subscriber } from '../../platform/relay.ts';
import { isStatusChange } from '../tenants/index.ts';
import { listIds } from './endpoints/webhooks.store.ts';

/** Tells the workers that deliver to a tenant's endpoints that it was suspended or resumed. */
export const noteTenantStatus =
  (services: Services): Subscriber =>
  async (tenantId, events) => {
    if (!events.some(({ type }) => isStatusChange(type))) return;
    const ids = await inTenant(services, asSystem(tenantId, 'relay'), ({ tx }) => listIds(tx), { readOnly: true });
    hintLanes(services.notify, tenantId, ids, { isChanged: true });
  };
