import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db.ts';

/** Returns true once only the tenant row is left; a large tenant takes several calls. Throws before the 30 days are over. */
export async function eraseRows(tx: Tx, newId: string): Promise<boolean> {
  const { rows } = await sql<{ isGone: boolean }>`select directory.erase_rows(${newId}) as is_gone`.execute(tx);
  return rows[0]?.isGone ?? false;
}

/** Adds to the counts of the receipt. */
export const addToReceipt = (tx: Tx, { invocations = 0, states = 0, keys = 0 }) =>
  sql`select directory.note_erased(${invocations}, ${states}, ${keys})`.execute(tx);

/** Deletes the tenant row and completes the receipt. Returns its id, or null if it was complete already. */
export async function finishErasure(tx: Tx): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`select directory.finish_erasure() as id`.execute(tx);
  return rows[0]?.id ?? null;
}

/** The ids that belong to this tenant, for all kinds of ids used in Valkey keys. */
export async function idsOfTenant(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from bots where id = any (${ids}) union all select id from conversations where id = any (${ids})
    union all select id from visitors where id = any (${ids}) union all select id from contacts where id = any (${ids})
    union all select id from api_keys where id = any (${ids}) union all select id from webhooks where id = any (${ids})`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Deletes receipts after ten years. */
export const purgeErasures = ({ db }: { db: Db }) => sql`select directory.purge_erasures()`.execute(db);
