import { sql } from 'kysely';
import { reencrypter, type EncryptionContext, type KeyContext } from './crypto.ts';
import type { Tx } from './db.ts';
import { KeyServiceNeeded } from './key-service-needed.ts';

/**
 * A column with encrypted values of a tenant. Each feature declares its own and derives encryption contexts from it, so
 * that key rotation finds all of them.
 */
export interface EncryptedColumn {
  table: string;
  column: string;
  /** The columns that identify a row within its tenant. They are part of the encryption context. */
  keys: readonly string[];
  purpose: string;
}

/** The values of these key columns. */
export type RowKey = (string | number)[];

export const encryptionContextOf = ({ purpose }: EncryptedColumn, ...key: RowKey): EncryptionContext => ({
  purpose,
  rowId: key.join('/'),
});

/** The version of the data key is in the first four bytes. */
const encryptedBy = (column: EncryptedColumn) => sql`substring(${sql.id(column.column)} from 1 for 4)`;

async function count(tx: Tx, column: EncryptedColumn, which = sql``): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from ${sql.id(column.table)} where ${sql.id(column.column)} is not null ${which}`.execute(
    tx,
  );
  return rows[0]?.n ?? 0;
}

export const countEncrypted = (tx: Tx, column: EncryptedColumn) => count(tx, column);
export const countEncryptedBy = (tx: Tx, column: EncryptedColumn, version: number) =>
  count(tx, column, sql`and ${encryptedBy(column)} = int4send(${version}::int)`);
export const countStale = (tx: Tx, column: EncryptedColumn, version: number) =>
  count(tx, column, sql`and ${encryptedBy(column)} <> int4send(${version}::int)`);

interface ReencryptResult {
  /** The row to continue after; undefined at the end. */
  after?: RowKey;
  encrypted: number;
  /** Values that could not be decrypted and are unchanged. */
  failed: number;
}

/**
 * Re-encrypts a batch of a tenant's secrets with its newest data key. Skips locked rows: the transaction that changes them
 * encrypts with the newest key, or a later run finds them.
 */
export async function reencryptSome(
  ctx: KeyContext,
  column: EncryptedColumn,
  { after, max }: { after?: RowKey | undefined; max: number },
): Promise<ReencryptResult> {
  const { version, reencrypt } = await reencrypter(ctx);
  const keys = column.keys.map((key) => sql.id(key));
  const beyond = after ? sql`and (${sql.join(keys)}) > (${sql.join(after)})` : sql``;
  const { rows } = await sql<{ at: string; key: RowKey; encrypted: Buffer }>`
    select ctid::text as at, jsonb_build_array(${sql.join(keys)}) as key, ${sql.id(column.column)} as encrypted
    from ${sql.id(column.table)}
    where ${sql.id(column.column)} is not null and ${encryptedBy(column)} <> int4send(${version}::int) ${beyond}
    order by ${sql.join(keys)} limit ${max} for no key update skip locked`.execute(ctx.tx);

  const fresh: { at: string; encrypted: Buffer }[] = [];
  for (const row of rows) {
    const encrypted = await reencrypt(encryptionContextOf(column, ...row.key), row.encrypted).catch(
      (error: unknown) => {
        if (error instanceof KeyServiceNeeded) throw error; // the outcome is not known until the key service was called
        return undefined;
      },
    );
    if (encrypted) fresh.push({ at: row.at, encrypted });
  }
  if (fresh.length > 0)
    await sql`update ${sql.id(column.table)} as target set ${sql.id(column.column)} = fresh.encrypted
      from unnest(${fresh.map(({ at }) => at)}::tid[], ${fresh.map(({ encrypted }) => encrypted)}::bytea[]) as fresh (at, encrypted)
      where target.ctid = fresh.at`.execute(ctx.tx);
  const last = rows.length === max ? rows.at(-1) : undefined;
  return { ...(last && { after: last.key }), encrypted: fresh.length, failed: rows.length - fresh.length };
}
