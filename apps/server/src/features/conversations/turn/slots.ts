import { RE2JS } from 're2js';
import { problemOfValue, type Field } from '../../actions/index.ts';

// Reads field values from a visitor's message. A value that violates its schema is never corrected: the visitor is asked again.

type Values = Record<string, unknown>;

const yes = /^(y|yes|yep|sure|ok|true|ja|jawohl|oui|s[ií])[\s!.]*$/iu;
const no = /^(n|no|nope|false|nein|non)[\s!.]*$/iu;

const fits = (field: Field, value: unknown, root: Values) =>
  problemOfValue(
    {
      type: 'object',
      additionalProperties: false,
      properties: { value: field.schema },
      ...(root['$defs'] !== undefined && { $defs: root['$defs'] }),
    },
    { value },
  ) === null;

/** Reads the whole message as the value of this field; undefined if it is not valid. */
export function readSlot(field: Field, text: string, root: Values): unknown {
  const input = text.trim();
  const candidates = [...asTyped(field, input), findIn(field, input)];
  return candidates.find((value) => value !== undefined && fits(field, value, root));
}

/** Only options that can be typed; objects cannot. */
const optionsOf = ({ schema }: Field) =>
  (schema['enum'] as unknown[] | undefined)?.filter((one) => typeof one !== 'object');

function asTyped(field: Field, input: string): unknown[] {
  const { schema } = field;
  const option = optionsOf(field)?.find(
    (one) => String(one).toLowerCase() === input.toLowerCase().replace(/(?<![.!])[.!]+$/, ''),
  );
  if (option !== undefined) return [option];
  if (schema['type'] === 'boolean') return [yes.test(input) ? true : no.test(input) ? false : undefined];
  if (schema['type'] === 'integer' || schema['type'] === 'number') return [toNumber(input)];
  return schema['type'] === 'string' ? [input, input.replace(/(?<![.!?])[.!?]+$/, '')] : [];
}

const toNumber = (text: string) => (/^[-+]?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : undefined);

const isWordCharacter = (character: string | undefined) => character !== undefined && /\w/.test(character);

/** Whether the text contains the name as whole words. */
function mentions(text: string, name: string): boolean {
  const [haystack, needle] = [text.toLowerCase(), name.toLowerCase()];
  if (needle === '') return false;
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1))
    if (!isWordCharacter(haystack[at - 1]) && !isWordCharacter(haystack[at + needle.length])) return true;
  return false;
}

/** Finds an unambiguous value in a longer sentence: a number, an option, or a pattern match. */
export function findIn(field: Field, text: string): unknown {
  const { schema } = field;
  const options = optionsOf(field);
  if (options) {
    const named = options.filter((one) => mentions(text, String(one)));
    return named.length === 1 ? named[0] : undefined;
  }
  if (schema['type'] === 'integer' || schema['type'] === 'number') {
    const numbers = text.match(/(?<![\w.,+-])[-+]?\d+([.,]\d+)?(?![\w-]|[.,]\d)/g) ?? [];
    return numbers.length === 1 ? toNumber(numbers[0] ?? '') : undefined;
  }
  if (schema['format'] === 'email') return /(?<![^\s@<>()])[^\s@<>()]+@[^\s@<>()]+\.[a-z]{2,}/iu.exec(text)?.[0];
  if (schema['format'] === 'date') return /\b\d{4}-\d{2}-\d{2}\b/.exec(text)?.[0];
  return typeof schema['pattern'] === 'string' ? findPattern(schema['pattern'], text) : undefined;
}

/** The match must contain a digit; otherwise a broad pattern would match any word. */
function findPattern(pattern: string, text: string): string | undefined {
  const bare = pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, ''); // an escaped `$` is part of the pattern
  const inner = RE2JS.compile(`(?:^|[^\\pL\\pN])(${bare})(?:[^\\pL\\pN]|$)`);
  const matcher = inner.matcher(text);
  const found = matcher.find() ? (matcher.group(1) ?? undefined) : undefined;
  return found !== undefined && /\d/.test(found) ? found : undefined;
}

export const extract = (fields: readonly Field[], text: string, root: Values): Values =>
  Object.fromEntries(
    fields
      .map((field) => [field, findIn(field, text)] as const)
      .filter(([field, value]) => value !== undefined && fits(field, value, root))
      .map(([{ name }, value]) => [name, value]),
  );
