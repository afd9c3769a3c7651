import { z } from 'zod';
import { invalid } from './errors.ts';

const Cursor = z.string().regex(/^[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}$/);

/** The id that the page starts after. Lists are newest first, and ids sort by age. */
export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const read = Cursor.safeParse(Buffer.from(cursor, 'base64url').toString());
  if (read.success) return read.data;
  throw invalid('invalid_cursor', [{ path: '/cursor', message: 'Send `nextCursor` exactly as it was returned.' }]);
}

/** Expects one row more than the limit, which shows whether there is a next page. */
export function toPage<T extends { id: string }>(rows: readonly T[], limit: number) {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, nextCursor: last ? Buffer.from(last.id).toString('base64url') : null };
}
