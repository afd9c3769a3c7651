import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

/** Locks the bot until the transaction ends, so that concurrent changes cannot exceed the storage limit together. */
export const lockBot = (tx: Tx, botId: string) =>
  tx.selectFrom('bots').select('id').where('id', '=', botId).forNoKeyUpdate().execute();

export interface SourceSize {
  sourceId: string;
  givenBytes?: number;
  /** Additional bytes of synced text. */
  moreTextBytes?: number;
}

/** The storage used by all sources of a bot, with the change applied. A bot has at most 200 sources. */
export async function usedBytes(tx: Tx, botId: string, change?: SourceSize): Promise<number> {
  const { sourceId = '', givenBytes = null, moreTextBytes = 0 } = change ?? {};
  const { rows } = await sql<{ used: string }>`
    select coalesce(sum(case when id = ${sourceId}
      then greatest(coalesce(${givenBytes}::bigint, given_bytes), text_bytes + ${moreTextBytes}::bigint)
      else greatest(given_bytes, text_bytes) end), 0) as used
    from knowledge_sources where bot_id = ${botId}`.execute(tx);
  return Number(rows[0]?.used ?? 0);
}

export const setGivenBytes = (tx: Tx, sourceId: string, givenBytes: number) =>
  tx.updateTable('knowledgeSources').set({ givenBytes }).where('id', '=', sourceId).execute();

/** Recomputed from the rows, which corrects drift from deleted documents and older versions. */
export const recount = (tx: Tx, sourceId: string) =>
  sql`update knowledge_sources source set
      text_bytes = coalesce((select sum(bytes) from knowledge_documents where source_id = source.id), 0),
      given_bytes = coalesce((select octet_length(content) from knowledge_files where source_id = source.id), given_bytes)
    where id = ${sourceId}`.execute(tx);
