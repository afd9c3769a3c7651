import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db.ts';

/** Says whether all rows but the tenant's own are gone; a big tenant takes several calls. The database refuses before the time. */
export async function eraseRows(tx: Tx, newId: string): Promise<boolean> {
  const { rows } = await sql<{ isGone: boolean }>`select directory.erase_rows(${newId}) as is_gone`.execute(tx);
  return rows[0]?.isGone ?? false;
}

/** Into the receipt. */
export const noteErased = (tx: Tx, { invocations = 0, states = 0, keys = 0 }) =>
  sql`select directory.note_erased(${invocations}, ${states}, ${keys})`.execute(tx);

/** The last row, and the end of the receipt: its id, unless it was over before. */
export async function finishErasure(tx: Tx): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`select directory.finish_erasure() as id`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Which of these are this tenant's: of the kinds that stand in keys outside the database. */
export async function idsOfTenant(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from bots where id = any (${ids}) union all select id from conversations where id = any (${ids})
    union all select id from visitors where id = any (${ids}) union all select id from contacts where id = any (${ids})
    union all select id from api_keys where id = any (${ids}) union all select id from webhooks where id = any (${ids})`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Ten years are enough. */
export const purgeErasures = ({ db }: { db: Db }) => sql`select directory.purge_erasures()`.execute(db);
