// What others write may hold what no database keeps, or be nested so deep that whatever walks it falls over.

/** PostgreSQL keeps no zero character, and no half of a surrogate pair. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

const maxLevels = 40;

export const isTooDeep = (value: unknown, levels = maxLevels): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isTooDeep(part, levels - 1)));

/** The same, as it can be kept. Not for what is too deep. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [storableText(key), storable(part)]));
}

/** Whether it can be kept as it is. */
export const isStorable = (value: unknown): boolean =>
  !isTooDeep(value) && JSON.stringify(value) === JSON.stringify(storable(value));
