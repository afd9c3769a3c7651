import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** Locked until the transaction ends: of two merges of one visitor, the second sees the first. */
export const lockVisitor = (tx: Tx, id: string) =>
  tx
    .selectFrom('visitors')
    .select(['id', 'tokensAfter', 'contactId', 'createdAt'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .$narrowType<{ id: Id<'visitor'> }>()
    .executeTakeFirst();

/** Conversations without a contact, locked in the order of an erasure. */
export const lockAnonymous = (tx: Tx, visitorId: string) =>
  tx
    .selectFrom('conversations')
    .select(['id', 'state'])
    .where('visitorId', '=', visitorId)
    .where('contactId', 'is', null)
    .orderBy('id', 'desc')
    .forNoKeyUpdate()
    .execute();

export const assignToContact = (tx: Tx, { visitorId, contactId }: { visitorId: string; contactId: string }) =>
  sql`with visitor as (update visitors set contact_id = ${contactId} where id = ${visitorId})
    update conversations set contact_id = ${contactId} where visitor_id = ${visitorId} and contact_id is null`.execute(
    tx,
  );
