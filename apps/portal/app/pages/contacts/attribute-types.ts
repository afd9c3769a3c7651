import type { AttributeValue } from './people.ts';

export type AttributeType = 'text' | 'number' | 'boolean' | 'date';

export const attributeTypes: { value: AttributeType; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
  { value: 'date', label: 'Date' },
];

const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}(T[\d:.]{5,12}Z)?$/.test(text) && !Number.isNaN(Date.parse(text));

/** The type of a stored value. JSON has no dates: they are ISO 8601 text. */
export function typeOf(value: AttributeValue): AttributeType {
  if (typeof value === 'string') return isDate(value) ? 'date' : 'text';
  return typeof value === 'number' ? 'number' : 'boolean';
}

/** As shown in the list. Dates in UTC, so that server and browsers render the same text. */
export function labelOf(value: AttributeValue): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return value.toLocaleString('en');
  return isDate(value) && value.length > 10 ? `${value.slice(0, 10)} ${value.slice(11, 16)} UTC` : value;
}

/** The value that was typed. undefined: it does not have this type. */
export function parseValue(type: AttributeType, text: string): AttributeValue | undefined {
  const typed = text.trim();
  if (type === 'boolean') return typed === 'true';
  if (typed === '') return undefined;
  if (type === 'number') return Number.isFinite(Number(typed)) ? Number(typed) : undefined;
  if (type === 'date') return isDate(typed) ? typed : undefined;
  return typed;
}
