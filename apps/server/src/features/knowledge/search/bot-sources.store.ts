import type { Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';

/** The sources in the next published version of a bot. Sorted, so that the same sources give the same content hash. */
export async function enabledSourceIds(tx: Tx, botId: string): Promise<Id<'knowledgeSource'>[]> {
  const rows = await tx
    .selectFrom('knowledgeSources')
    .select('id')
    .where('botId', '=', botId)
    .where('isEnabled', '=', true)
    .execute();
  return rows.map(({ id }) => id as Id<'knowledgeSource'>).toSorted();
}
