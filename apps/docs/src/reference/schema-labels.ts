import type { Schema } from './openapi.ts';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A sentence of the contract as HTML: backticks become code, and nothing else is markup. */
export const html = (text: string): string =>
  escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');

/** Null is shown separately; the rest of an `anyOf` is the type. */
export function withoutNull(schema: Schema): { schema: Schema; isNullable: boolean } {
  const inner = schema.anyOf ?? schema.oneOf ?? [];
  const rest = inner.filter(({ type }) => type !== 'null');
  if (rest.length === inner.length || rest.length !== 1) return { schema, isNullable: rest.length !== inner.length };
  return { schema: { ...rest[0], ...(schema.description && { description: schema.description }) }, isNullable: true };
}

/** A short description of a type. Names of shared objects are left to the caller, who links them. */
export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.length > 12 ? 'string' : schema.enum.map((one) => `"${String(one)}"`).join(' | ');
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return [...new Set(several.map(typeOf))].join(' or ');
  const [type = 'any', isNullable] = Array.isArray(schema.type)
    ? [schema.type.find((one) => one !== 'null'), schema.type.includes('null')]
    : [schema.type, false];
  const base =
    type === 'array' ? `list of ${schema.items ? typeOf(schema.items) : 'anything'}` : (schema.format ?? type);
  return isNullable ? `${base} or null` : base;
}

/** The limits of a value, if any. */
export function limitsOf({
  minimum,
  maximum,
  minLength,
  maxLength,
  maxItems,
  default: defaultValue,
}: Schema): string[] {
  const range =
    minimum !== undefined && maximum !== undefined && Math.abs(maximum) < 1e12 ? [`${minimum} to ${maximum}`] : [];
  const length =
    maxLength === undefined ? [] : [`${minLength ? `${minLength} to ` : 'at most '}${maxLength} characters`];
  const items = maxItems === undefined ? [] : [`at most ${maxItems} entries`];
  const showsDefault =
    defaultValue !== undefined &&
    defaultValue !== null &&
    defaultValue !== '' &&
    JSON.stringify(defaultValue).length < 40;
  return [...range, ...length, ...items, ...(showsDefault ? [`default ${JSON.stringify(defaultValue)}`] : [])];
}
