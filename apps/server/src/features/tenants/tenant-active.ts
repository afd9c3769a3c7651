import { tenantRestored, tenantResumed } from './tenants.events.ts';

/** Whether the event makes a suspended or deleted tenant active again. */
export const isReactivation = (type: string): boolean => type === tenantResumed.type || type === tenantRestored.type;
