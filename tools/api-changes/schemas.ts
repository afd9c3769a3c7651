import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './release.ts';

/** A difference. Those that break no client but are worth knowing are notes. */
export interface Change {
  where: string;
  what: string;
  isBreaking: boolean;
}

/** Clients write requests and read responses: one may accept more, the other may not return more. */
type Direction = 'request' | 'response';

type SchemasByName = Record<string, Schema>;
export interface Schemas {
  before: SchemasByName;
  after: SchemasByName;
}

/**
 * A request that was valid before must still be, so what was allowed is compared with what is allowed now. For a response
 * it is the reverse, except for new fields.
 */
export function schemaComparer(named: Schemas) {
  const shared: Change[] = [];
  const compared = new Set<string>();

  function compare(use: Direction, before: Schema, after: Schema, where: string): Change[] {
    const name = before.$ref?.replace(/.*\//, '');
    if (!name || before.$ref !== after.$ref) return compareInline(use, before, after, where);
    // Reported once, not for each route that uses it. This also ends cycles.
    const key = `${name} in ${use}s`;
    const [was, is] = [named.before[name], named.after[name]];
    if (compared.has(key) || !was || !is) return [];
    compared.add(key);
    shared.push(...compareInline(use, was, is, key));
    return [];
  }

  function compareInline(use: Direction, before: Schema, after: Schema, where: string): Change[] {
    const [was, is] = [alternatives(before, named.before), alternatives(after, named.after)];
    const [given, accepting] = use === 'request' ? [was, is] : [is, was];
    const changes = given.flatMap((one) => {
      // Of several candidates, the most similar one.
      const attempts = accepting
        .filter((accepted) => isSameType(one, accepted))
        .map((accepted) =>
          use === 'request' ? comparePair(use, one, accepted, where) : comparePair(use, accepted, one, where),
        )
        .sort((a, b) => a.length - b.length);
      const kind = tagOf(one) ?? kindOf(one);
      if (attempts[0]) return attempts[0];
      if (use === 'request') return [breaking(where, `no longer takes ${kind}`)];
      // A new tagged alternative is like a new value of an enum.
      return [{ where, what: `may now be ${kind}`, isBreaking: accepting.length === 1 || !tagOf(one) }];
    });
    return use === 'request' ? [...defaults(before, after, where), ...changes] : changes;
  }

  const comparePair = (use: Direction, before: Schema, after: Schema, where: string) =>
    before.$ref && before.$ref === after.$ref
      ? compare(use, { $ref: before.$ref }, { $ref: after.$ref }, where)
      : compareSameType(use, before, after, where);

  /** Two schemas of the same type, neither of which is a union. */
  function compareSameType(use: Direction, before: Schema, after: Schema, where: string): Change[] {
    const [given, accepted] = use === 'request' ? [before, after] : [after, before];
    const inner = (name: string) => `${where}.${name}`;
    const fields = Object.entries(before.properties ?? {}).flatMap(([name, field]) => {
      const now = after.properties?.[name];
      if (!now) return [breaking(inner(name), use === 'request' ? 'is no longer taken' : 'is gone')];
      const isMissing = accepted.required?.includes(name) && !given.required?.includes(name);
      const changes = compare(use, field, now, inner(name));
      return isMissing
        ? [breaking(inner(name), use === 'request' ? 'is now required' : 'may now be missing'), ...changes]
        : changes;
    });
    const added = use === 'response' ? [] : (after.required ?? []).filter((name) => !before.properties?.[name]);
    return [
      ...fields,
      ...added.map((name) => breaking(inner(name), 'is new, and required')),
      ...compareAdditional(use, before, after, where),
      ...(before.items && after.items ? compare(use, before.items, after.items, `${where}[]`) : []),
      ...compareEnums(use, given, accepted, where),
      ...compareConstraints(use, given, accepted, where),
    ];
  }

  /** Fields with arbitrary names. */
  function compareAdditional(
    use: Direction,
    { additionalProperties: was }: Schema,
    { additionalProperties: is }: Schema,
    where: string,
  ) {
    if (typeof was === 'object' && typeof is === 'object') return compare(use, was, is, `${where}.*`);
    if (use === 'request' && is === false && was !== false) return [breaking(where, 'no longer takes other fields')];
    if (use === 'response' && is === false && typeof was === 'object')
      return [breaking(where, 'no longer has fields of any name')];
    return [];
  }

  return { compare, shared };
}

/** Enum values. */
function compareEnums(use: Direction, given: Schema, accepted: Schema, where: string): Change[] {
  const [offered, taken] = [valuesOf(given), valuesOf(accepted)];
  if (!taken) return [];
  if (!offered)
    return [
      breaking(where, use === 'request' ? `takes only ${taken.map(text).join(', ')}` : 'is no longer one of a list'),
    ];
  const isRenamed = taken.some((value) => !offered.includes(value)); // an old value is gone and a new one was added
  return offered
    .filter((value) => !taken.includes(value))
    .map((value) => ({
      where,
      what: use === 'request' ? `no longer takes ${text(value)}` : `may now be ${text(value)}`,
      isBreaking: use === 'request' || isRenamed,
    }));
}

function defaults(before: Schema, after: Schema, where: string): Change[] {
  if (!('default' in before) || !('default' in after) || isDeepStrictEqual(before.default, after.default)) return [];
  return [breaking(where, `means ${text(after.default)} when it is left out, and meant ${text(before.default)}`)];
}

const minimums = ['minimum', 'minLength', 'minItems'] as const;
const maximums = ['maximum', 'maxLength', 'maxItems'] as const;

/** Constraints of strings, numbers and lists. Other bounds in responses break no client. */
function compareConstraints(use: Direction, given: Schema, accepted: Schema, where: string): Change[] {
  const isOther = (name: 'format' | 'pattern' | 'uniqueItems') => accepted[name] && accepted[name] !== given[name];
  if (use === 'response')
    return isOther('format') ? [breaking(where, `is no longer in the format ${accepted.format}`)] : [];
  const narrower = [
    ...minimums.filter((name) => (accepted[name] ?? -Infinity) > (given[name] ?? -Infinity)),
    ...maximums.filter((name) => (accepted[name] ?? Infinity) < (given[name] ?? Infinity)),
    ...(['format', 'pattern', 'uniqueItems'] as const).filter(isOther),
  ];
  const names =
    accepted.propertyNames?.pattern === given.propertyNames?.pattern
      ? []
      : [breaking(where, 'takes other names of fields')];
  return [
    ...narrower.map((name) =>
      breaking(where, `takes less: ${name} is ${text(accepted[name])}, and was ${text(given[name])}`),
    ),
    ...names,
  ];
}

const breaking = (where: string, what: string): Change => ({ where, what, isBreaking: true });
const text = (value: unknown) => JSON.stringify(value) ?? 'not set';
const valuesOf = ({ const: only, enum: several }: Schema) => (only === undefined ? several : [only]);

/** Each with its $ref, if it has one, to recognise it. */
function alternatives(schema: Schema, named: SchemasByName): Schema[] {
  const { $ref, anyOf, oneOf, type } = schema;
  const several = anyOf ?? oneOf;
  if (several) return several.flatMap((one) => alternatives(one, named));
  if ($ref) {
    const found = alternatives(named[$ref.replace(/.*\//, '')] ?? {}, named);
    return found.length === 1 ? found.map((one) => ({ ...one, $ref })) : found;
  }
  return Array.isArray(type) ? type.map((one) => ({ ...schema, type: one })) : [schema];
}

const kindOf = ({ type }: Schema) => (typeof type === 'string' ? type : 'anything');

/** Fields with a single value, which identify a variant of a union. */
const tagsOf = ({ properties = {} }: Schema) =>
  Object.entries(properties).flatMap(([name, field]) => {
    const values = valuesOf(field);
    return values?.length === 1 ? [[name, values[0]] as const] : [];
  });
const tagOf = (schema: Schema) => tagsOf(schema).map(([name, value]) => `${name} ${text(value)}`)[0];

function isSameType(given: Schema, accepted: Schema): boolean {
  const [kind, taken] = [kindOf(given), kindOf(accepted)];
  const isSameKind = kind === taken || taken === 'anything' || (kind === 'integer' && taken === 'number');
  const tags = new Map(tagsOf(accepted));
  return isSameKind && tagsOf(given).every(([name, value]) => !tags.has(name) || tags.get(name) === value);
}
