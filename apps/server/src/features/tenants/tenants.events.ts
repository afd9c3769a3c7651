import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Environment, Tenant, Workspace } from './tenants.contract.ts';

// For the audit log and internal subscribers. Not available to webhooks.
const internal = { isPublic: false } as const;

export const tenantCreated = defineEvent('tenant.created', z.object({ object: Tenant }), internal);
export const tenantUpdated = defineEvent(
  'tenant.updated',
  z.object({ object: Tenant, previous: Tenant.pick({ name: true }) }),
  internal,
);
export const tenantSuspended = defineEvent(
  'tenant.suspended',
  z.object({ object: Tenant, reason: z.string() }),
  internal,
);
export const tenantResumed = defineEvent('tenant.resumed', z.object({ object: Tenant }), internal);
export const tenantDeleted = defineEvent(
  'tenant.deleted',
  z.object({ object: Tenant, erasedAfter: z.date(), reason: z.string().optional() }),
  internal,
);
export const tenantRestored = defineEvent(
  'tenant.restored',
  z.object({ object: Tenant, reason: z.string() }),
  internal,
);
/** Whether the event makes a suspended or deleted tenant active again. */
export const isReactivation = (type: string): boolean => type === tenantResumed.type || type === tenantRestored.type;
/** Whether the event starts or ends the time in which nothing is done for a tenant. */
export const isStatusChange = (type: string): boolean =>
  isReactivation(type) || type === tenantSuspended.type || type === tenantDeleted.type;
export const workspaceCreated = defineEvent('workspace.created', z.object({ object: Workspace }), internal);
export const workspaceUpdated = defineEvent('workspace.updated', z.object({ object: Workspace }), internal);
export const environmentCreated = defineEvent('environment.created', z.object({ object: Environment }), internal);
export const environmentUpdated = defineEvent('environment.updated', z.object({ object: Environment }), internal);
