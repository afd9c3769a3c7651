import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

export interface AssertionKeyRow {
  kid: string;
  encrypted: Buffer;
  signsFrom: Date;
}

/** Serializes all changes, so that a dropped key is not added again. */
export const lockKeys = (tx: Tx) => sql`select pg_advisory_xact_lock(hashtext('assertion-keys'))`.execute(tx);

/** Newest first. */
export const readKeys = async (tx: Tx) =>
  (await sql<AssertionKeyRow>`select * from directory.read_assertion_keys()`.execute(tx)).rows;

/** Adds a key, or replaces its ciphertext. */
export const saveKey = (tx: Tx, { kid, encrypted, signsFrom }: AssertionKeyRow) =>
  sql`select directory.add_assertion_key(${kid}, ${encrypted}, ${signsFrom})`.execute(tx);

export const dropKeys = (tx: Tx, olderThan: Date | 'infinity') =>
  sql`select directory.drop_assertion_keys(${olderThan})`.execute(tx);
