import { DatabaseError } from 'pg';
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db.ts';
import { prepared } from '../../../platform/prepared.ts';

// Which worker owns which lanes. All times are the database's.

export async function addWorker(db: Db, laneCount: number, leaseSeconds: number): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select directory.add_webhook_worker(${laneCount}, ${leaseSeconds}) as id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the worker was not registered');
  return row.id;
}

export interface Renewal {
  worker: string;
  laneCount: number;
  leaseSeconds: number;
  /** Takes no more lanes. */
  isLeaving: boolean;
  /** Lanes that it gives back. */
  given: readonly number[];
}
/** Returns the lanes of the worker and its fair share, or undefined if it was not renewed in time. */
export async function renewWorker(
  db: Db,
  { worker, laneCount, leaseSeconds, isLeaving, given }: Renewal,
): Promise<{ lanes: number[]; share: number } | undefined> {
  const { rows } = await sql<{ lane: number | null; share: number }>`
    select * from directory.renew_webhook_worker(${worker}, ${laneCount}, ${leaseSeconds}, ${isLeaving}, ${[...given]})`.execute(
    prepared(db),
  );
  const [first] = rows;
  return first && { lanes: rows.flatMap(({ lane }) => lane ?? []), share: first.share };
}

/** Fails unless the worker owns these lanes. It keeps them until the end of the transaction. */
export const holdLanes = (tx: Tx, worker: string, laneCount: number, lanes: readonly number[]) =>
  sql`select directory.hold_webhook_lanes(${worker}, ${laneCount}, ${[...lanes]})`.execute(tx);

export const isLaneLost = (error: unknown): boolean => error instanceof DatabaseError && error.code === 'PL001';
