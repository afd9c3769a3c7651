import { sql } from 'kysely';
import { z } from 'zod';
import { invalid } from './errors.ts';

const Cursor = z.string().regex(/^[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
const TimeCursor = z.tuple([z.iso.datetime().startsWith('2'), Cursor]);

const invalidCursor = () =>
  invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);

/** The id that the page starts after. Lists are newest first, and ids sort by age. */
export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const read = Cursor.safeParse(Buffer.from(cursor, 'base64url').toString());
  if (read.success) return read.data;
  throw invalidCursor();
}

/** Where the page starts after, in a list by a time that can change. */
export interface TimePosition {
  at: string;
  id: string;
}

/** The cursor has the time as well as the id, so that a page can follow a row that has moved or was deleted since. */
export function readTimeCursor(cursor: string | undefined): TimePosition | undefined {
  if (cursor === undefined) return undefined;
  const read = TimeCursor.safeParse(Buffer.from(cursor, 'base64url').toString().split(' '));
  if (!read.success) throw invalidCursor();
  const [at, id] = read.data;
  return { at, id };
}

/** The time of a row for its cursor, as exact as the database has it. */
export const cursorTime = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** `toPage` for a list by a time. */
export const toTimePage = <T extends { id: string; cursorTime: string }>(rows: readonly T[], limit: number) =>
  toPage(rows, limit, (row) => `${row.cursorTime} ${row.id}`);

/** Expects one row more than the limit, which shows whether there is a next page. */
export function toPage<T extends { id: string }>(
  rows: readonly T[],
  limit: number,
  positionOf: (row: T) => string = ({ id }) => id,
) {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, nextCursor: last ? Buffer.from(positionOf(last)).toString('base64url') : null };
}
