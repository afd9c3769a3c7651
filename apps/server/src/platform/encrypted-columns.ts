import { sql } from 'kysely';
import { reencrypter, type EncryptionContext, type KeyContext } from './crypto.ts';
import type { Tx } from './db.ts';
import { KeyServiceNeeded } from './key-service-needed.ts';

/**
 * A column that holds what a tenant keeps encrypted. Each feature declares its own, uses it to say where a secret stands, and
 * so lets whoever changes the keys find them all.
 */
export interface EncryptedColumn {
  table: string;
  column: string;
  /** What names a row within its tenant: it is bound into what is encrypted. */
  keys: readonly string[];
  purpose: string;
}

/** The values of its keys. */
export type RowKey = (string | number)[];

export const encryptionContextOf = ({ purpose }: EncryptedColumn, ...key: RowKey): EncryptionContext => ({
  purpose,
  rowId: key.join('/'),
});

/** The data key's version stands in the first four bytes. */
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
  /** After which row to go on; nothing, when this was the last of them. */
  after?: RowKey;
  encrypted: number;
  /** What did not open, and stays as it is. */
  failed: number;
}

/**
 * Encrypts some of a tenant's secrets again, with its newest data key. A row that somebody is changing is passed over: what
 * they write is newer, and is looked at when it is there.
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
        if (error instanceof KeyServiceNeeded) throw error; // not known yet whether it can be decrypted
        return undefined;
      },
    );
    if (encrypted) fresh.push({ at: row.at, encrypted });
  }
  if (fresh.length > 0)
    await sql`update ${sql.id(column.table)} as kept set ${sql.id(column.column)} = fresh.encrypted
      from unnest(${fresh.map(({ at }) => at)}::tid[], ${fresh.map(({ encrypted }) => encrypted)}::bytea[]) as fresh (at, encrypted)
      where kept.ctid = fresh.at`.execute(ctx.tx);
  const last = rows.length === max ? rows.at(-1) : undefined;
  return { ...(last && { after: last.key }), encrypted: fresh.length, failed: rows.length - fresh.length };
}
