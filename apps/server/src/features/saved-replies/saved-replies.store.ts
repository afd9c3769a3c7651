import type { Tx } from '../../platform/db.ts';
import type { SavedReply } from './saved-replies.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

const columns = ['id', 'name', 'text', 'createdBy', 'createdAt', 'updatedAt'] as const;

export const list = (tx: Tx, max: number): Promise<SavedReply[]> =>
  tx
    .selectFrom('savedReplies')
    .select(columns)
    .orderBy('name')
    .orderBy('id')
    .limit(max)
    .$narrowType<SavedReply>()
    .execute();

export const count = async (tx: Tx): Promise<number> =>
  (
    await tx
      .selectFrom('savedReplies')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
  ).total;

export const insert = (tx: Tx, row: { id: string; name: string; text: string; createdBy: string }) =>
  tx.insertInto('savedReplies').values(row).returning(columns).$narrowType<SavedReply>().executeTakeFirstOrThrow();

export const update = (tx: Tx, id: string, change: { name?: string; text?: string; updatedAt: Date }) =>
  tx
    .updateTable('savedReplies')
    .set(change)
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<SavedReply>()
    .executeTakeFirst();

export const remove = (tx: Tx, id: string) =>
  tx.deleteFrom('savedReplies').where('id', '=', id).returning(columns).$narrowType<SavedReply>().executeTakeFirst();
