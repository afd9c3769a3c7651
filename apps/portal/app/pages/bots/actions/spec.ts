import type { Action } from './labels.ts';

// What is edited, as JSON and as a form. Both sides are of the same thing: here is how one is read into the other.

export type Spec = Omit<Action, 'id' | 'botId' | 'createdAt' | 'createdBy' | 'updatedAt' | 'lastRun'>;
type Json = Record<string, unknown>;

const inOrder: (keyof Spec)[] = [
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

/** Without what the service knows of it, in an order that reads well. */
export const specOf = (action: Spec): Spec =>
  Object.fromEntries(inOrder.map((field) => [field, action[field]])) as unknown as Spec;

export const textOf = (spec: Spec): string => JSON.stringify(spec, null, 2);

export interface Fault {
  message: string;
  /** Of the text, from 0; undefined where the browser does not say. */
  at?: number;
}

export const isGroup = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const oneOf =
  (...values: string[]) =>
  (value: unknown) =>
    values.includes(value as string);

/** What the form could not show otherwise. What goes deeper is checked when it is saved. */
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

/** The spec in a text, or what is wrong with it and where. What is left out is as it is without a word. */
export function readText(text: string): { spec: Spec } | { fault: Fault } {
  const parsed = parse(text);
  if ('fault' in parsed) return parsed;
  const { value } = parsed;
  if (!isGroup(value)) return { fault: { message: 'The JSON must be an object: { "name": …, "title": … }.', at: 0 } };
  for (const [field, given] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, field) ? rules[field as keyof Spec] : undefined;
    const message = rule ? (rule[0](given) ? undefined : `“${field}” ${rule[1]}.`) : `Unknown field “${field}”.`;
    if (message) return { fault: faultAt(text, field, message) };
  }
  return { spec: specOf({ ...emptySpec, ...value }) };
}

function faultAt(text: string, field: string, message: string): Fault {
  const at = text.indexOf(JSON.stringify(field));
  return at < 0 ? { message } : { message, at };
}

function parse(text: string): { value: unknown } | { fault: Fault } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const at = placeIn(text, (error as Error).message);
    return {
      fault: {
        message: 'This isn’t valid JSON. Check for a missing comma, quote or bracket.',
        ...(at !== undefined && { at }),
      },
    };
  }
}

/** Browsers say it in their own words. */
function placeIn(text: string, words: string): number | undefined {
  const position = /position (\d+)/.exec(words)?.[1];
  if (position !== undefined) return Number(position);
  const [, line, column] = /line (\d+) column (\d+)/.exec(words) ?? [];
  if (line !== undefined && column !== undefined)
    return (
      text
        .split('\n')
        .slice(0, Number(line) - 1)
        .reduce((sum, one) => sum + one.length + 1, 0) +
      Number(column) -
      1
    );
  return /end of/.test(words) ? text.length : undefined;
}

/** As people and editors count: from 1. */
export function lineOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** A name that a model can call, from what people read. */
export const nameFrom = (title: string): string =>
  title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|(?<!_)_+$/g, '')
    .slice(0, 48);
