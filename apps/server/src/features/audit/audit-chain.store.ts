import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { ChainEntry } from './chain.ts';

/** Where to continue reading. Includes the id, so that a forged second entry with the same sequence is read as well. */
export interface ChainPosition {
  sequence: number;
  id: string;
}

export async function entriesAfter(tx: Tx, position: ChainPosition | undefined, limit: number): Promise<ChainEntry[]> {
  const after = position ? sql`where (sequence, id) > (${position.sequence}, ${position.id})` : sql``;
  const { rows } = await sql<Omit<ChainEntry, 'sequence'> & { sequence: string }>`
    select tenant_id, sequence, id, event_id, action, subject_id, actor_type, actor_id, request_id, data::text as data,
      (extract(epoch from created_at) * 1000000)::bigint::text as created_at_micros, previous_id, previous_hash, hash
    from audit_entries ${after} order by sequence, id limit ${limit}`.execute(tx);
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
}

export async function readChainEnd(tx: Tx) {
  const { rows } = await sql<{ lastSequence: string; lastId: string; lastHash: Buffer }>`
    select * from directory.audit_chain()`.execute(tx);
  return rows.map(({ lastSequence, lastId: id, lastHash: hash }) => ({ sequence: Number(lastSequence), id, hash }))[0];
}

/** The newest heads, oldest first. */
export async function readHeads(tx: Tx, limit = 10_000) {
  const rows = await tx
    .selectFrom('auditHeads')
    .select(['sequence', 'jws'])
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ sequence, jws }) => ({ sequence: Number(sequence), jws })).toReversed();
}

export const saveHead = async (tx: Tx, sequence: number, jws: string) =>
  void (await sql`select directory.keep_audit_head(${sequence}, ${jws})`.execute(tx));

/** Tenants with new entries whose last head is a day old. */
export const tenantsDueForHead = async (db: Db, limit: number) =>
  (await sql<{ id: Id<'tenant'> }>`select directory.audit_heads_due(${limit}) as id`.execute(db)).rows.map(
    ({ id }) => id,
  );

/** True for one of several workers. */
export const claimHead = async (tx: Tx): Promise<boolean> =>
  (await sql<{ isClaimed: boolean }>`select directory.claim_audit_head() as is_claimed`.execute(tx)).rows[0]
    ?.isClaimed ?? false;

/** Erasure after 30 days takes several steps, during which the log is incomplete. */
export const isBeingErased = async (tx: Tx): Promise<boolean> =>
  (await sql`select from tenants where status = 'deleted' and directory.erased_after(deleted_at) <= now()`.execute(tx))
    .rows.length > 0;

export const tenantExists = async (tx: Tx): Promise<boolean> =>
  (await sql`select from tenants`.execute(tx)).rows.length > 0;

/** A page of tenant ids, in order. */
export const tenantsAfter = async (db: Db, last: string) =>
  (await sql<{ id: Id<'tenant'> }>`select directory.tenants_after(${last}, 500) as id`.execute(db)).rows;
