import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './release.ts';

/** Something that differs. What breaks nobody, and is yet worth telling, is noted. */
export interface Change {
  where: string;
  what: string;
  isBreaking: boolean;
}

/** A request is written by the client, an answer is read by it: what one may grow by, the other may not. */
type Use = 'request' | 'answer';

type Named = Record<string, Schema>;
export interface Schemas {
  before: Named;
  after: Named;
}

/**
 * A request must still be taken as it was sent before, so what was allowed before is held against what is allowed now. An
 * answer must still be one that the client knows: there it is the other way round, but for fields that are new.
 */
export function schemaComparer(named: Schemas) {
  const shared: Change[] = [];
  const seen = new Set<string>();

  function compare(use: Use, before: Schema, after: Schema, where: string): Change[] {
    const name = before.$ref?.replace(/.*\//, '');
    if (!name || before.$ref !== after.$ref) return compareInline(use, before, after, where);
    // Told once, and not for each of the routes that use it. This also ends circles.
    const key = `${name} in ${use}s`;
    const [was, is] = [named.before[name], named.after[name]];
    if (seen.has(key) || !was || !is) return [];
    seen.add(key);
    shared.push(...compareInline(use, was, is, key));
    return [];
  }

  function compareInline(use: Use, before: Schema, after: Schema, where: string): Change[] {
    const [was, is] = [alternatives(before, named.before), alternatives(after, named.after)];
    const [given, takers] = use === 'request' ? [was, is] : [is, was];
    const changes = given.flatMap((one) => {
      // Of several that could be meant, the one that is most like it.
      const attempts = takers
        .filter((taker) => isAlike(one, taker))
        .map((taker) => (use === 'request' ? comparePair(use, one, taker, where) : comparePair(use, taker, one, where)))
        .sort((a, b) => a.length - b.length);
      const kind = tagOf(one) ?? kindOf(one);
      if (attempts[0]) return attempts[0];
      if (use === 'request') return [breaking(where, `no longer takes ${kind}`)];
      // One more of several that name themselves is like one more value of a list.
      return [{ where, what: `may now be ${kind}`, isBreaking: takers.length === 1 || !tagOf(one) }];
    });
    return use === 'request' ? [...defaults(before, after, where), ...changes] : changes;
  }

  const comparePair = (use: Use, before: Schema, after: Schema, where: string) =>
    before.$ref && before.$ref === after.$ref
      ? compare(use, { $ref: before.$ref }, { $ref: after.$ref }, where)
      : alike(use, before, after, where);

  /** Two of the same kind, neither of which is a choice. */
  function alike(use: Use, before: Schema, after: Schema, where: string): Change[] {
    const [given, taker] = use === 'request' ? [before, after] : [after, before];
    const inner = (name: string) => `${where}.${name}`;
    const fields = Object.entries(before.properties ?? {}).flatMap(([name, field]) => {
      const now = after.properties?.[name];
      if (!now) return [breaking(inner(name), use === 'request' ? 'is no longer taken' : 'is gone')];
      const isMissing = taker.required?.includes(name) && !given.required?.includes(name);
      const changes = compare(use, field, now, inner(name));
      return isMissing
        ? [breaking(inner(name), use === 'request' ? 'is now required' : 'may now be missing'), ...changes]
        : changes;
    });
    const added = use === 'answer' ? [] : (after.required ?? []).filter((name) => !before.properties?.[name]);
    return [
      ...fields,
      ...added.map((name) => breaking(inner(name), 'is new, and required')),
      ...others(use, before, after, where),
      ...(before.items && after.items ? compare(use, before.items, after.items, `${where}[]`) : []),
      ...listed(use, given, taker, where),
      ...formed(use, given, taker, where),
    ];
  }

  /** Fields of any name. */
  function others(
    use: Use,
    { additionalProperties: was }: Schema,
    { additionalProperties: is }: Schema,
    where: string,
  ) {
    if (typeof was === 'object' && typeof is === 'object') return compare(use, was, is, `${where}.*`);
    if (use === 'request' && is === false && was !== false) return [breaking(where, 'no longer takes other fields')];
    if (use === 'answer' && is === false && typeof was === 'object')
      return [breaking(where, 'no longer has fields of any name')];
    return [];
  }

  return { compare, shared };
}

/** Values of a list. */
function listed(use: Use, given: Schema, taker: Schema, where: string): Change[] {
  const [offered, taken] = [valuesOf(given), valuesOf(taker)];
  if (!taken) return [];
  if (!offered)
    return [
      breaking(where, use === 'request' ? `takes only ${taken.map(text).join(', ')}` : 'is no longer one of a list'),
    ];
  const isRenamed = taken.some((value) => !offered.includes(value)); // what came before comes no more, and something else does
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

const lowest = ['minimum', 'minLength', 'minItems'] as const;
const highest = ['maximum', 'maxLength', 'maxItems'] as const;

/** What a text, a number or a list must be like. Answers that stay in narrower or wider bounds break nobody. */
function formed(use: Use, given: Schema, taker: Schema, where: string): Change[] {
  const isOther = (name: 'format' | 'pattern' | 'uniqueItems') => taker[name] && taker[name] !== given[name];
  if (use === 'answer') return isOther('format') ? [breaking(where, `is no longer in the format ${taker.format}`)] : [];
  const narrower = [
    ...lowest.filter((name) => (taker[name] ?? -Infinity) > (given[name] ?? -Infinity)),
    ...highest.filter((name) => (taker[name] ?? Infinity) < (given[name] ?? Infinity)),
    ...(['format', 'pattern', 'uniqueItems'] as const).filter(isOther),
  ];
  const names =
    taker.propertyNames?.pattern === given.propertyNames?.pattern
      ? []
      : [breaking(where, 'takes other names of fields')];
  return [
    ...narrower.map((name) =>
      breaking(where, `takes less: ${name} is ${text(taker[name])}, and was ${text(given[name])}`),
    ),
    ...names,
  ];
}

const breaking = (where: string, what: string): Change => ({ where, what, isBreaking: true });
const text = (value: unknown) => JSON.stringify(value) ?? 'not set';
const valuesOf = ({ const: only, enum: several }: Schema) => (only === undefined ? several : [only]);

/** Each still with its name, where it has one: by that it is known again. */
function alternatives(schema: Schema, named: Named): Schema[] {
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

/** Fields that can be one thing only. By these an object says which of several it is. */
const tagsOf = ({ properties = {} }: Schema) =>
  Object.entries(properties).flatMap(([name, field]) => {
    const values = valuesOf(field);
    return values?.length === 1 ? [[name, values[0]] as const] : [];
  });
const tagOf = (schema: Schema) => tagsOf(schema).map(([name, value]) => `${name} ${text(value)}`)[0];

function isAlike(given: Schema, taker: Schema): boolean {
  const [kind, taken] = [kindOf(given), kindOf(taker)];
  const isSameKind = kind === taken || taken === 'anything' || (kind === 'integer' && taken === 'number');
  const tags = new Map(tagsOf(taker));
  return isSameKind && tagsOf(given).every(([name, value]) => !tags.has(name) || tags.get(name) === value);
}
