import { sql, type RawBuilder } from 'kysely';
import type { Tx } from './db.ts';

// No `where tenantId` anywhere below: row-level security adds it.

/** A table with a row per token of what is searched. */
export interface TokenTable {
  table: string;
  token: string;
  /** Its column with the id of what has the token. */
  subjectId: string;
  /** The same id in the query that is filtered: `conversations.id`. */
  outerId: string;
}

/** Up to this many matches are listed by id. With more, the newest rows are tested until the page is full. */
const maxEnumerated = 1_000;
/** Number of tokens the planner may reorder. With more, planning would take longer than the search. */
const maxPlanned = 4;
/** Sorts after every token character in byte order. */
const highest = '\u{10FFFF}';

interface TokenQuery {
  /** Complete tokens. */
  tokens: readonly string[];
  /** The start of one more token. */
  prefix?: string | undefined;
}

/** Conditions for a search, all of which must match. undefined: nothing can match. */
export async function searchConditions(tx: Tx, names: TokenTable, { tokens, prefix }: TokenQuery) {
  const token = sql.ref(names.token);
  const conditions = [
    ...tokens.map((complete) => sql<boolean>`${token} = ${complete}`),
    ...(prefix === undefined ? [] : [sql<boolean>`${token} >= ${prefix} and ${token} < ${prefix + highest}`]),
  ];
  const counts = await countRows(tx, names, conditions);
  if (counts[0]?.total === 0) return undefined;
  return counts.map(({ ordinal, total }, rank): RawBuilder<boolean> => {
    const rows = sql`${sql.table(names.table)} where ${conditions[ordinal]}`;
    if (rank === 0 && total <= maxEnumerated)
      return sql`${sql.ref(names.outerId)} = any (array(select ${sql.ref(names.subjectId)} from ${rows}))`;
    const match = sql`select from ${rows} and ${sql.ref(names.subjectId)} = ${sql.ref(names.outerId)}`;
    return rank < maxPlanned ? sql`exists (${match})` : sql`exists (${match} offset 0)`;
  });
}

/** Rows per condition, counted up to the limit, rarest first. */
async function countRows(tx: Tx, { table }: TokenTable, conditions: readonly RawBuilder<boolean>[]) {
  const counts = conditions.map(
    (condition, ordinal) =>
      sql`select ${ordinal}::int as ordinal, count(*)::int as total
        from (select from ${sql.table(table)} where ${condition} limit ${maxEnumerated + 1}) as found`,
  );
  const { rows } = await sql<{ ordinal: number; total: number }>`
    ${sql.join(counts, sql` union all `)} order by total, ordinal`.execute(tx);
  return rows;
}
