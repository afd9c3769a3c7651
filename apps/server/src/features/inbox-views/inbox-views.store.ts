import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { InboxView } from './inbox-views.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

const columns = [
  'id',
  'name',
  'filters',
  'createdBy',
  'createdAt',
  sql<boolean>`user_id is null`.as('isShared'),
] as const;

const visibleTo = (userId: string) => sql<boolean>`(user_id is null or user_id = ${userId})`;

export const list = (tx: Tx, userId: string, max: number): Promise<InboxView[]> =>
  tx
    .selectFrom('inboxViews')
    .select(columns)
    .where(visibleTo(userId))
    .orderBy('name')
    .orderBy('id')
    .limit(max)
    .$narrowType<InboxView>()
    .execute();

interface NewView {
  id: string;
  userId: string | null;
  name: string;
  filters: string;
  createdBy: string;
}
export const insert = (tx: Tx, row: NewView) =>
  tx.insertInto('inboxViews').values(row).returning(columns).$narrowType<InboxView>().executeTakeFirstOrThrow();

/** Shared ones by any member who may reply; personal ones by their owner. */
export const remove = (tx: Tx, userId: string, id: string) =>
  tx
    .deleteFrom('inboxViews')
    .where('id', '=', id)
    .where(visibleTo(userId))
    .returning(columns)
    .$narrowType<InboxView>()
    .executeTakeFirst();
