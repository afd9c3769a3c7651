import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { orNotFound } from '../../platform/errors.ts';
import type { SupportPolicy, SupportRequest } from './support-access.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it.

export const policyOf = async (tx: Tx): Promise<SupportPolicy> =>
  orNotFound('tenant', await tx.selectFrom('tenants').select('supportAccess').executeTakeFirst())
    .supportAccess as SupportPolicy;

export const setPolicy = (tx: Tx, supportAccess: SupportPolicy) =>
  tx.updateTable('tenants').set({ supportAccess }).execute();

const status = sql<
  SupportRequest['status']
>`case when status = 'approved' and expires_at <= now() then 'expired' else status end`;
const requests = (tx: Tx) =>
  tx
    .selectFrom('supportRequests')
    .select(['id', 'operatorName', 'reason', 'createdAt', 'decidedAt', 'expiresAt', status.as('status')])
    .$castTo<SupportRequest>();

export const listRequests = (tx: Tx) => requests(tx).orderBy('id', 'desc').limit(20).execute();
export const findRequest = (tx: Tx, id: string) => requests(tx).where('id', '=', id).executeTakeFirst();

/** The operator's open request, so that a repeated one sends no second email. */
export const findOpen = (tx: Tx, operatorId: string) =>
  requests(tx)
    .where('operatorId', '=', operatorId)
    .where('supportRequests.status', '=', 'open')
    .where('createdAt', '>', sql<Date>`now() - interval '1 day'`)
    .executeTakeFirst();

export const insertRequest = (tx: Tx, row: { id: string; operatorId: string; operatorName: string; reason: string }) =>
  tx.insertInto('supportRequests').values(row).execute();

/** Updates only open requests, or an approval when it is withdrawn. */
export const decide = (
  tx: Tx,
  id: string,
  change: { status: 'approved' | 'declined'; decidedBy: string; decidedAt: Date; expiresAt: Date | null },
) =>
  tx
    .updateTable('supportRequests')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', change.status === 'approved' ? ['open'] : ['open', 'approved'])
    .returning('id')
    .executeTakeFirst();

export const hasApproval = async (tx: Tx, operatorId: string): Promise<boolean> =>
  (await tx
    .selectFrom('supportRequests')
    .select('id')
    .where('operatorId', '=', operatorId)
    .where('status', '=', 'approved')
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst()) !== undefined;

export const findTenantName = (tx: Tx) => tx.selectFrom('tenants').select('name').executeTakeFirst();
