import { sql } from 'kysely';
import { tenantRestored, tenantResumed } from './tenants.events.ts';

/**
 * Whether anything may be begun for the transaction's tenant. Meant as a part of the statement that takes the work, so that it
 * costs no way to the database of its own: a suspended or deleted tenant's work stays where it is until the tenant goes on.
 */
export const isTenantActive = sql<boolean>`exists (select from tenants where status = 'active')`;

/** The events after which it may again. */
export const goesOn = (type: string): boolean => type === tenantResumed.type || type === tenantRestored.type;
