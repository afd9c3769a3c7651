import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { orNotFound } from '../../platform/errors.ts';
import type { Policies } from './policies.contract.ts';

// No `where tenantId` below: row-level security adds it.

export const policyColumns = [
  'requireTwoFactor',
  'allowedEmailDomains',
  'maxSessionHours',
  'memberIpRanges',
  'serverKeyIpRanges',
] as const;

export const lock = (tx: Tx) => tx.selectFrom('tenants').select('tenantId').forNoKeyUpdate().executeTakeFirst();

export const find = async (tx: Tx): Promise<Policies> =>
  orNotFound('tenant', await tx.selectFrom('tenants').select(policyColumns).executeTakeFirst());

export const update = (tx: Tx, policies: Policies) => tx.updateTable('tenants').set(policies).execute();

export async function countMembersOutside(tx: Tx, domains: readonly string[]): Promise<number> {
  if (domains.length === 0) return 0;
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from directory.people_of_tenant(array(select user_id from memberships))
    where lower(split_part(email, '@', -1)) <> all (${domains}::text[])`.execute(tx);
  return rows[0]?.n ?? 0;
}
