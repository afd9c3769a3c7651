import { sql } from 'kysely';
import { tenantRestored, tenantResumed } from './tenants.events.ts';

/**
 * Whether work may start for the transaction's tenant. Use it in the statement that claims the work, to save a round trip.
 * The work of a suspended or deleted tenant stays queued until the tenant is active again.
 */
export const isTenantActive = sql<boolean>`exists (select from tenants where status = 'active')`;

/** Whether the event makes a suspended or deleted tenant active again. */
export const isReactivation = (type: string): boolean => type === tenantResumed.type || type === tenantRestored.type;
