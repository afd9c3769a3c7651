import { defineEvent } from '../../platform/events.ts';
import { z } from 'zod';
import { PlanName, TenantEntitlements } from './entitlements.contract.ts';

/** What an operator can set: the plan and the overrides. */
const EntitlementSettings = z.object({ plan: PlanName, overrides: z.record(z.string(), z.int()) });

/** Not sent to webhooks: for the tenant's audit log. */
export const entitlementsChanged = defineEvent(
  'entitlements.changed',
  z.object({
    object: TenantEntitlements,
    overrides: EntitlementSettings.shape.overrides,
    previous: EntitlementSettings,
  }),
  { isPublic: false },
);
