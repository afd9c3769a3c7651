import type { Action } from './labels.ts';

// Converts an action spec to JSON and back.

export type Spec = Omit<Action, 'id' | 'botId' | 'createdAt' | 'createdBy' | 'updatedAt' | 'lastRun'>;
type Json = Record<string, unknown>;

const fieldOrder: (keyof Spec)[] = [
  'name',
  'title',
  'description',
  'webhookId',
  'risk',
  'effect',
  'confirm',
  'requiresContact',
  'timeoutMs',
  'isOffered',
  'inputSchema',
  'questions',
  'outputSchema',
  'triggers',
  'steps',
  'output',
];

export const emptySpec: Spec = {
  name: '',
  title: '',
  description: '',
  webhookId: null,
  risk: 'read',
  effect: 'idempotent',
  confirm: 'writes',
  requiresContact: false,
  timeoutMs: 8_000,
  isOffered: true,
  inputSchema: { type: 'object', additionalProperties: false, required: [], properties: {} },
  questions: {},
  outputSchema: null,
  triggers: [],
  steps: null,
  output: null,
};

/** The editable fields of an action, in display order. */
export const specOf = (action: Spec): Spec =>
  Object.fromEntries(fieldOrder.map((field) => [field, action[field]])) as unknown as Spec;

export const textOf = (spec: Spec): string => JSON.stringify(spec, null, 2);

export interface JsonError {
  message: string;
  /** Zero-based offset in the text; undefined if the browser does not report it. */
  at?: number;
}

export const isGroup = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const oneOf =
  (...values: string[]) =>
  (value: unknown) =>
    values.includes(value as string);

/** Only checks what the form relies on. The service validates the rest on save. */
const rules: Record<keyof Spec, [fits: (value: unknown) => boolean, says: string]> = {
  name: [isText, 'must be a string'],
  title: [isText, 'must be a string'],
  description: [isText, 'must be a string'],
  webhookId: [(value) => value === null || isText(value), 'must be an endpoint ID or null'],
  risk: [oneOf('read', 'write'), 'must be "read" or "write"'],
  effect: [oneOf('idempotent', 'reconcile', 'at_most_once'), 'must be "idempotent", "reconcile" or "at_most_once"'],
  confirm: [oneOf('never', 'writes', 'always'), 'must be "never", "writes" or "always"'],
  requiresContact: [(value) => typeof value === 'boolean', 'must be true or false'],
  timeoutMs: [(value) => typeof value === 'number', 'must be a number of milliseconds'],
  isOffered: [(value) => typeof value === 'boolean', 'must be true or false'],
  inputSchema: [isInputSchema, 'must be a JSON Schema for an object, with "properties"'],
  questions: [(value) => isGroup(value) && Object.values(value).every(isText), 'must be an object of strings'],
  outputSchema: [(value) => value === null || isGroup(value), 'must be a JSON Schema or null'],
  triggers: [(value) => Array.isArray(value) && value.every(isText), 'must be a list of strings'],
  steps: [
    (value) => value === null || (Array.isArray(value) && value.every((step) => isGroup(step) && isText(step['name']))),
    'must be a list of named steps or null',
  ],
  output: [(value) => value === null || isGroup(value), 'must be an object or null'],
};

function isInputSchema(value: unknown): boolean {
  if (!isGroup(value)) return false;
  const { properties = {}, required = [] } = value;
  return isGroup(properties) && Object.values(properties).every(isGroup) && Array.isArray(required);
}

/** Parses the spec, or returns the error and its position. Omitted fields get their defaults. */
export function readText(text: string): { spec: Spec } | { jsonError: JsonError } {
  const parsed = parse(text);
  if ('jsonError' in parsed) return parsed;
  const { value } = parsed;
  if (!isGroup(value))
    return { jsonError: { message: 'The JSON must be an object: { "name": …, "title": … }.', at: 0 } };
  for (const [field, fieldValue] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, field) ? rules[field as keyof Spec] : undefined;
    const message = rule ? (rule[0](fieldValue) ? undefined : `“${field}” ${rule[1]}.`) : `Unknown field “${field}”.`;
    if (message) return { jsonError: jsonErrorAt(text, field, message) };
  }
  return { spec: specOf({ ...emptySpec, ...value }) };
}

function jsonErrorAt(text: string, field: string, message: string): JsonError {
  const at = text.indexOf(JSON.stringify(field));
  return at < 0 ? { message } : { message, at };
}

function parse(text: string): { value: unknown } | { jsonError: JsonError } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const at = errorOffset(text, (error as Error).message);
    return {
      jsonError: {
        message: 'This isn’t valid JSON. Check for a missing comma, quote or bracket.',
        ...(at !== undefined && { at }),
      },
    };
  }
}

/** The error position. Each browser formats the message differently. */
function errorOffset(text: string, message: string): number | undefined {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line !== undefined && column !== undefined)
    return (
      text
        .split('\n')
        .slice(0, Number(line) - 1)
        .reduce((sum, one) => sum + one.length + 1, 0) +
      Number(column) -
      1
    );
  return /end of/.test(message) ? text.length : undefined;
}

/** Line and column, starting at 1. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Generates a function name from a title. */
export const nameFrom = (title: string): string =>
  title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|(?<!_)_+$/g, '')
    .slice(0, 48);
