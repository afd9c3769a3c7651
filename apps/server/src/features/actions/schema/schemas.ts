import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { canonical } from '../../../platform/canonical.ts';
import type { Schema } from '../actions.contract.ts';
import { estimateProgramSize, maxProgramSize, patternsIn } from './patterns.ts';

// Tenants write these schemas, and they run in a process shared by all tenants. So there are no remote or circular
// references, patterns match in linear time (RE2), and sizes are limited to what a form needs.

const maxCharacters = 16_000;
const maxProperties = 50;
/** Subschemas after resolving references. Without a limit, nested references would grow exponentially. */
const maxSubschemas = 1_000;
/** `uniqueItems` compares all pairs. */
const maxUniqueItems = 100;
const maxValueCharacters = 300_000;
/** Characters times program size: a million take a tenth of a second. */
const maxEffort = 4_000_000;
const formats = ['date', 'time', 'date-time', 'email', 'uuid', 'uri'] as const;

let effort = 0;
class EffortExceeded extends Error {}

/** Defines `toString`, because ajv uses it to tell patterns apart. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiledPattern = RE2JS.compile(pattern);
    const size = compiledPattern.programSize();
    const test = (text: string) => {
      effort += size * text.length;
      if (effort > maxEffort) throw new EffortExceeded();
      return compiledPattern.matcher(text).find();
    };
    return { test, toString: () => `/${pattern}/` };
  },
  { code: 'linearRegExp' },
);

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: true,
    allErrors: false,
    ownProperties: true,
    addUsedSchema: false,
    inlineRefs: false,
    logger: false,
    code: { regExp: linearRegExp },
  });
  addFormats.default(ajv, { formats: [...formats], mode: 'fast' });
  /** Also rejects dates that do not exist, such as February 30. */
  ajv.addFormat('date', (text) => {
    const day = new Date(`${text}T00:00:00Z`);
    return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
  });
  return ajv;
}

// An ajv instance never releases compiled schemas and patterns. So the cache is replaced, with its instance, once it is too
// large. The size is estimated from the length of the schemas and the program size of their patterns.
const maxBytes = 64 * 1024 * 1024;
const bytesPerCharacter = 50;
const bytesPerInstruction = 700;
const createCache = () => ({ ajv: createAjv(), compiled: new Map<string, ValidateFunction>(), bytes: 0 });
let cache = createCache();

function compile(schema: Schema): ValidateFunction {
  const text = canonical(schema);
  const cached = cache.compiled.get(text);
  if (cached) return cached;
  const bytes = bytesPerCharacter * text.length + bytesPerInstruction * programSizeOf(schema);
  if (cache.bytes + bytes > maxBytes) cache = createCache();
  const validate = cache.ajv.compile(JSON.parse(text) as Schema);
  cache.compiled.set(text, validate);
  cache.bytes += bytes;
  return validate;
}

const programSizeOf = (schema: Schema) =>
  patternsIn(schema).reduce((sum, pattern) => sum + estimateProgramSize(pattern), 0);

/** A message about the first problem of a schema; null if it is valid. */
export function problemOfSchema(schema: Schema): string | null {
  const text = serialize(schema, canonical);
  if (text === null || text.length > maxCharacters) return `The schema is longer than ${maxCharacters} characters.`;
  if (schema['type'] !== 'object') return 'The schema must describe an object: { "type": "object", … }.';
  if (schema['additionalProperties'] !== false)
    return 'Set "additionalProperties": false, so that unknown fields are rejected.';
  if (Object.keys((schema['properties'] as object | undefined) ?? {}).length > maxProperties)
    return `The schema has more than ${maxProperties} properties.`;
  // `$async` would make `validate` return a promise, which is truthy.
  if (/"\$(?!ref"|defs"|comment")[a-zA-Z]+":/.test(text))
    return 'Only $ref, $defs and $comment are supported. Remove other keywords that start with $.';
  const problem = problemOfSubschemas(schema);
  if (problem !== null) return problem;
  if (programSizeOf(schema) > maxProgramSize)
    return `The patterns are too large: a repeat such as {100} counts 100 times, and all patterns together may have a size of up to ${maxProgramSize}. Use \\p{L} instead of [:alpha:], and escape characters instead of using \\Q.`;
  try {
    compile(schema);
    return null;
  } catch (error) {
    return `This JSON Schema is not supported: ${(error as Error).message.slice(0, 300)}.`;
  }
}

/** null if the value is nested too deep to serialize. */
function serialize(value: unknown, write: (value: unknown) => string | undefined): string | null {
  try {
    return write(value) ?? '';
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Checks every subschema, following references. */
function problemOfSubschemas(root: Schema): string | null {
  let count = 0;
  const check = (subschema: unknown, inside: readonly string[]): string | null => {
    if (typeof subschema !== 'object' || subschema === null) return null;
    if (++count > maxSubschemas) return 'The schema is too large once its references are resolved.';
    const { $ref: ref, uniqueItems, maxItems } = subschema as Schema;
    if (uniqueItems === true && !(typeof maxItems === 'number' && maxItems <= maxUniqueItems))
      return `"uniqueItems" requires "maxItems" of ${maxUniqueItems} or less.`;
    for (const inner of Object.values(subschema)) {
      const problem = check(inner, inside);
      if (problem !== null) return problem;
    }
    if (typeof ref !== 'string') return null;
    const [, name = ''] = /^#\/\$defs\/([\w-]+)$/.exec(ref) ?? [];
    if (name === '')
      return 'References must point to #/$defs/name within the schema. A name may contain a to z, A to Z, digits, _ and -.';
    if (inside.includes(name)) return `The reference ${ref} is circular.`;
    return check((root['$defs'] as Schema | undefined)?.[name], [...inside, name]);
  };
  return check(root, []);
}

/** A message about the first problem of a value, with its path; null if it is valid. */
export function problemOfValue(schema: Schema, value: unknown): string | null {
  if ((serialize(value, JSON.stringify)?.length ?? Number.POSITIVE_INFINITY) > maxValueCharacters)
    return 'The value is too large';
  const validate = compile(schema);
  effort = 0;
  try {
    if (validate(value)) return null;
  } catch (error) {
    if (error instanceof EffortExceeded || error instanceof RangeError) return 'The value is too large to validate';
    throw error;
  }
  const [first] = validate.errors ?? [];
  const more = first?.params?.['additionalProperty'] ?? first?.params?.['allowedValues'];
  const hint = more === undefined ? '' : ` (${JSON.stringify(more).slice(0, 200)})`;
  return `${first?.instancePath || 'The value'} ${first?.message ?? 'is not valid'}${hint}`;
}

export interface Field {
  name: string;
  label: string;
  schema: Schema;
  isRequired: boolean;
}

/** The fields of an input schema in order, for confirmation cards, forms and questions. */
export function fieldsOf(schema: Schema): Field[] {
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  return Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([name, property]) => ({
    name,
    label: typeof property['title'] === 'string' ? property['title'] : spaced(name),
    schema: property,
    isRequired: required.has(name),
  }));
}

const spaced = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/^./, (character) => character.toUpperCase());
