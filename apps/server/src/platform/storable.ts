// External JSON may contain text that PostgreSQL cannot store, or be nested too deeply for recursive code.

/** PostgreSQL stores neither null characters nor unpaired surrogates. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

const maxLevels = 40;

export const isTooDeep = (value: unknown, levels = maxLevels): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isTooDeep(part, levels - 1)));

/** The value with storable text. Not for values that are too deep. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [storableText(key), storable(part)]));
}

/** Whether it can be stored unchanged. */
export const isStorable = (value: unknown): boolean =>
  !isTooDeep(value) && JSON.stringify(value) === JSON.stringify(storable(value));
