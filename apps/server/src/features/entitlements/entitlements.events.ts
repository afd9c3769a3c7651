import { defineEvent } from '../../platform/events.ts';
import { z } from 'zod';
import { PlanName, TenantEntitlements } from './entitlements.contract.ts';

/** What the operator's word is about: the plan, and the values that differ from it. */
const Decided = z.object({ plan: PlanName, overrides: z.record(z.string(), z.int()) });

/** Not for customers' webhooks: the operator's change, for the tenant's audit log. */
export const entitlementsChanged = defineEvent(
  'entitlements.changed',
  z.object({ object: TenantEntitlements, overrides: Decided.shape.overrides, previous: Decided }),
  { isPublic: false },
);
