import { sql } from 'kysely';
import type { Tx } from './db.ts';

// After the database was restored to an earlier moment, it has no record of what was sent since then. Rows that were open at
// that moment may have had their effect already (docs/adr/0054-restores.md).

/** The epoch of the last restore since the time in this column, or null if there was none. */
export const restoreEpochSince = (column: string) =>
  sql<number | null>`(select max(epoch) from deployment.restores where restored_at > ${sql.ref(column)})`;

export async function wasRestoredSince(tx: Tx, at: Date): Promise<boolean> {
  const { rows } = await sql`select from deployment.restores where restored_at > ${at} limit 1`.execute(tx);
  return rows.length > 0;
}
