import type { Tx } from '../../../platform/db.ts';

/**
 * The last sequence number of each conversation that a transaction has locked: until its commit, no other one can append, so
 * `append` knows the next ones without waiting for the database.
 */
const lastSeqs = new WeakMap<Tx, Map<string, number>>();

export function noteLastSeq(tx: Tx, conversationId: string, seq: number): void {
  const ofTransaction = lastSeqs.get(tx) ?? new Map<string, number>();
  lastSeqs.set(tx, ofTransaction.set(conversationId, seq));
}

export const knownLastSeq = (tx: Tx, conversationId: string): number | undefined =>
  lastSeqs.get(tx)?.get(conversationId);
