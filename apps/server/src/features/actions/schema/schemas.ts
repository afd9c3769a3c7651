import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { canonical } from '../../../platform/canonical.ts';
import type { Schema } from '../actions.contract.ts';
import { estimateProgramSize, maxProgramSize, patternsIn } from './patterns.ts';

// Schemas are written by tenants and run in a process that all share. So: no remote references, none that go round in a
// circle, no patterns that can take forever (RE2 reads each character once), no more of anything than a form would have.

const maxCharacters = 16_000;
const maxProperties = 50;
/** With every reference in its place: two that name the same twice, and so on, would take for ever. */
const maxParts = 1_000;
/** Each is compared with each. */
const maxUnique = 100;
const maxInValue = 300_000;
/** Emails by states of a pattern: a tenth of a second for a million. */
const maxEffort = 4_000_000;
const formats = ['date', 'time', 'date-time', 'email', 'uuid', 'uri'] as const;

let effort = 0;
class TooMuch extends Error {}

/** By its text: ajv keeps patterns apart by that. */
const linear = Object.assign(
  (pattern: string) => {
    const compiledPattern = RE2JS.compile(pattern);
    const size = compiledPattern.programSize();
    const test = (text: string) => {
      effort += size * text.length;
      if (effort > maxEffort) throw new TooMuch();
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
    code: { regExp: linear },
  });
  addFormats.default(ajv, { formats: [...formats], mode: 'fast' });
  /** The 30th of February has the shape of a day, and is none. */
  ajv.addFormat('date', (text) => {
    const day = new Date(`${text}T00:00:00Z`);
    return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
  });
  return ajv;
}

// ajv keeps every schema and every pattern that it has compiled for as long as it lives. So it is replaced, with all that
// was compiled, once that takes up too much: about in proportion to the text, and to the steps of its patterns.
const maxBytes = 64 * 1024 * 1024;
const bytesPerEmail = 50;
const bytesPerInstruction = 700;
const startAnew = () => ({ ajv: createAjv(), compiled: new Map<string, ValidateFunction>(), bytes: 0 });
let kept = startAnew();

function compile(schema: Schema): ValidateFunction {
  const text = canonical(schema);
  const known = kept.compiled.get(text);
  if (known) return known;
  const bytes = bytesPerEmail * text.length + bytesPerInstruction * programSizeOf(schema);
  if (kept.bytes + bytes > maxBytes) kept = startAnew();
  const validate = kept.ajv.compile(JSON.parse(text) as Schema);
  kept.compiled.set(text, validate);
  kept.bytes += bytes;
  return validate;
}

const programSizeOf = (schema: Schema) =>
  patternsIn(schema).reduce((sum, pattern) => sum + estimateProgramSize(pattern), 0);

/** What is wrong with a schema, in words; null if nothing is. */
export function problemOfSchema(schema: Schema): string | null {
  const text = emailsOf(schema, canonical);
  if (text === null || text.length > maxCharacters) return `The schema is longer than ${maxCharacters} characters.`;
  if (schema['type'] !== 'object') return 'The schema must describe an object: { "type": "object", … }.';
  if (schema['additionalProperties'] !== false)
    return 'Set "additionalProperties": false, so that unknown fields are rejected.';
  if (Object.keys((schema['properties'] as object | undefined) ?? {}).length > maxProperties)
    return `The schema has more than ${maxProperties} properties.`;
  // `$async` would make every check a promise, which is as good as a yes.
  if (/"\$(?!ref"|defs"|comment")[a-zA-Z]+":/.test(text))
    return 'Only $ref, $defs and $comment are supported. Remove other keywords that start with $.';
  const problem = problemOfParts(schema);
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

/** null for what is nested so deep that it cannot be written down. */
function emailsOf(value: unknown, write: (value: unknown) => string | undefined): string | null {
  try {
    return write(value) ?? '';
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Everything that is checked, with each reference followed. */
function problemOfParts(root: Schema): string | null {
  let parts = 0;
  const look = (part: unknown, inside: readonly string[]): string | null => {
    if (typeof part !== 'object' || part === null) return null;
    if (++parts > maxParts) return 'The schema is too large once its references are resolved.';
    const { $ref: ref, uniqueItems, maxItems } = part as Schema;
    if (uniqueItems === true && !(typeof maxItems === 'number' && maxItems <= maxUnique))
      return `"uniqueItems" requires "maxItems" of ${maxUnique} or less.`;
    for (const inner of Object.values(part)) {
      const problem = look(inner, inside);
      if (problem !== null) return problem;
    }
    if (typeof ref !== 'string') return null;
    const [, name = ''] = /^#\/\$defs\/([\w-]+)$/.exec(ref) ?? [];
    if (name === '')
      return 'References must point to #/$defs/name within the schema. A name may contain a to z, A to Z, digits, _ and -.';
    if (inside.includes(name)) return `The reference ${ref} is circular.`;
    return look((root['$defs'] as Schema | undefined)?.[name], [...inside, name]);
  };
  return look(root, []);
}

/** What is wrong with a value, in words that name the place; null if nothing is. */
export function problemOfValue(schema: Schema, value: unknown): string | null {
  if ((emailsOf(value, JSON.stringify)?.length ?? Number.POSITIVE_INFINITY) > maxInValue)
    return 'The value is too large';
  const validate = compile(schema);
  effort = 0;
  try {
    if (validate(value)) return null;
  } catch (error) {
    if (error instanceof TooMuch || error instanceof RangeError) return 'The value is too large to validate';
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

/** The fields of an input, in their order: for cards, forms and questions. */
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
