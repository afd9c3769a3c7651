import { RE2JS } from 're2js';
import { problemOfValue, type Field } from '../../actions/index.ts';

// What a visitor says, as the value of a field. Nothing is guessed: what does not fit its schema is asked for again.

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

/** The whole of what was said, as an answer to the question for this field; undefined if it is none. */
export function readSlot(field: Field, text: string, root: Values): unknown {
  const said = text.trim();
  const candidates = [...asTyped(field, said), findIn(field, said)];
  return candidates.find((value) => value !== undefined && fits(field, value, root));
}

/** What can be said in words; the rest of a list is for machines. */
const optionsOf = ({ schema }: Field) =>
  (schema['enum'] as unknown[] | undefined)?.filter((one) => typeof one !== 'object');

function asTyped(field: Field, said: string): unknown[] {
  const { schema } = field;
  const option = optionsOf(field)?.find(
    (one) => String(one).toLowerCase() === said.toLowerCase().replace(/(?<![.!])[.!]+$/, ''),
  );
  if (option !== undefined) return [option];
  if (schema['type'] === 'boolean') return [yes.test(said) ? true : no.test(said) ? false : undefined];
  if (schema['type'] === 'integer' || schema['type'] === 'number') return [toNumber(said)];
  return schema['type'] === 'string' ? [said, said.replace(/(?<![.!?])[.!?]+$/, '')] : [];
}

const toNumber = (text: string) => (/^[-+]?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : undefined);

const isWordCharacter = (character: string | undefined) => character !== undefined && /\w/.test(character);

/** Whether a text has this in it as words of their own. */
function mentions(text: string, name: string): boolean {
  const [said, wanted] = [text.toLowerCase(), name.toLowerCase()];
  if (wanted === '') return false;
  for (let at = said.indexOf(wanted); at >= 0; at = said.indexOf(wanted, at + 1))
    if (!isWordCharacter(said[at - 1]) && !isWordCharacter(said[at + wanted.length])) return true;
  return false;
}

/** What of a longer sentence can only be this field: a number, one of a list, or what its pattern says. */
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

/** A pattern that would match any word finds nothing in a sentence: it must ask for a digit. */
function findPattern(pattern: string, text: string): string | undefined {
  const bare = pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, ''); // an escaped one belongs to it
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
