import { defineEvent } from '../../platform/events.ts';
import { z } from 'zod';
import { TenantEntitlements } from './entitlements.contract.ts';

/** Not for customers' webhooks: the operator's change, for the tenant's audit log. */
export const entitlementsChanged = defineEvent('entitlements.changed', z.object({ object: TenantEntitlements }), {
  isPublic: false,
});
