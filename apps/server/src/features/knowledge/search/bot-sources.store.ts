import type { Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';

/** What the next published version of a bot answers from. Sorted, so that the same sources are the same content. */
export async function enabledSourceIds(tx: Tx, botId: string): Promise<Id<'knowledgeSource'>[]> {
  const rows = await tx
    .selectFrom('knowledgeSources')
    .select('id')
    .where('botId', '=', botId)
    .where('isEnabled', '=', true)
    .execute();
  return rows.map(({ id }) => id as Id<'knowledgeSource'>).toSorted();
}
