import { isGroup, type Spec } from './spec.ts';

// Converts input fields between form rows and JSON Schema. Schema keywords the form does not show are kept.

export type FieldType = 'string' | 'integer' | 'number' | 'boolean';
export const typeLabels: Record<FieldType, string> = {
  string: 'Text',
  integer: 'Whole number',
  number: 'Number',
  boolean: 'Yes or no',
};

type Property = Record<string, unknown>;
export interface InputField {
  name: string;
  label: string;
  /** Null for types the form can't show, such as lists. */
  type: FieldType | null;
  isRequired: boolean;
  choices: (string | number)[];
  pattern: string;
  description: string;
  question: string;
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const isType = (value: unknown): value is FieldType => typeof value === 'string' && Object.hasOwn(typeLabels, value);
const isChoice = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const propertiesOf = ({ inputSchema }: Pick<Spec, 'inputSchema'>): [string, Property][] =>
  Object.entries(isGroup(inputSchema['properties']) ? inputSchema['properties'] : {}).flatMap(([name, property]) =>
    isGroup(property) ? [[name, property]] : [],
  );
const requiredOf = ({ inputSchema }: Pick<Spec, 'inputSchema'>): string[] =>
  Array.isArray(inputSchema['required']) ? inputSchema['required'].filter((name) => typeof name === 'string') : [];

export function fieldsOf(spec: Pick<Spec, 'inputSchema' | 'questions'>): InputField[] {
  const required = new Set(requiredOf(spec));
  return propertiesOf(spec).map(([name, { title, type, enum: choices, pattern, description }]) => ({
    name,
    label: text(title),
    type: isType(type) && (choices === undefined || (Array.isArray(choices) && choices.every(isChoice))) ? type : null,
    isRequired: required.has(name),
    choices: Array.isArray(choices) ? choices.filter(isChoice) : [],
    pattern: text(pattern),
    description: text(description),
    question: Object.hasOwn(spec.questions, name) ? (spec.questions[name] ?? '') : '',
  }));
}

/** The default label: `orderId` becomes “Order id”. */
export const labelOf = ({ name, label }: Pick<InputField, 'name' | 'label'>): string =>
  label ||
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/^./, (character) => character.toUpperCase());

interface SchemaParts {
  properties: [string, Property][];
  required: string[];
  questions: Record<string, string>;
}

function withSchemaParts(spec: Spec, { properties, required, questions }: SchemaParts): Spec {
  const inputSchema = { ...spec.inputSchema, required, properties: Object.fromEntries(properties) };
  return { ...spec, inputSchema, questions };
}
const schemaParts = (spec: Spec): SchemaParts => ({
  properties: propertiesOf(spec),
  required: requiredOf(spec),
  questions: spec.questions,
});

export function addField(spec: Spec): Spec {
  const parts = schemaParts(spec);
  const taken = new Set(parts.properties.map(([name]) => name));
  let n = taken.size + 1;
  while (taken.has(`field${n}`)) n++;
  return withSchemaParts(spec, { ...parts, properties: [...parts.properties, [`field${n}`, { type: 'string' }]] });
}

export function removeField(spec: Spec, name: string): Spec {
  const { properties, required, questions } = schemaParts(spec);
  return withSchemaParts(spec, {
    properties: properties.filter(([one]) => one !== name),
    required: required.filter((one) => one !== name),
    questions: omit(questions, name),
  });
}

/** Keeps the position, the question and whether the field is required. */
export function renameField(spec: Spec, name: string, next: string): Spec {
  const { properties, required, questions } = schemaParts(spec);
  const renamed = (one: string) => (one === name ? next : one);
  return withSchemaParts(spec, {
    properties: properties.map(([one, property]) => [renamed(one), property]),
    required: required.map(renamed),
    questions: Object.fromEntries(Object.entries(questions).map(([one, question]) => [renamed(one), question])),
  });
}

export function changeField(spec: Spec, name: string, change: Partial<InputField>): Spec {
  const { properties, required, questions } = schemaParts(spec);
  const isRequired = change.isRequired ?? required.includes(name);
  const question = change.question ?? questions[name] ?? '';
  return withSchemaParts(spec, {
    properties: properties.map(([one, property]) => [one, one === name ? updateProperty(property, change) : property]),
    required:
      isRequired === required.includes(name)
        ? required
        : isRequired
          ? [...required, name]
          : required.filter((one) => one !== name),
    questions: question === '' ? omit(questions, name) : { ...questions, [name]: question },
  });
}

const omit = (group: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(group).filter(([one]) => one !== name));

function updateProperty(
  property: Property,
  { type, label, choices, pattern, description }: Partial<InputField>,
): Property {
  const next: Property = { ...property };
  const set = (key: string, value: unknown, isEmpty: boolean) => {
    if (isEmpty) delete next[key];
    else next[key] = value;
  };
  // These keywords don't apply to other types.
  if (type && type !== property['type']) {
    for (const key of ['enum', 'pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum']) delete next[key];
    next['type'] = type;
  }
  if (label !== undefined) set('title', label, label === '');
  if (choices) set('enum', choices, choices.length === 0);
  if (pattern !== undefined) set('pattern', pattern, pattern === '');
  if (description !== undefined) set('description', description, description === '');
  return next;
}

/** Parses comma-separated choices, as numbers for numeric types. */
export const choicesFrom = (typed: string, type: FieldType | null): (string | number)[] => {
  const entries = typed.split(',').flatMap((entry) => entry.trim() || []);
  const values = type === 'string' ? entries : entries.map(Number).filter((value) => !Number.isNaN(value));
  return [...new Set<string | number>(values)];
};

/** Parses a value of the test form; undefined if the field is empty. Throws on invalid JSON. */
export function valueFrom(typed: string, type: FieldType | null): unknown {
  if (typed.trim() === '') return undefined;
  if (type === 'string') return typed;
  if (type === 'boolean') return typed === 'true';
  // Invalid numbers are sent as text, so that the service returns the error.
  if (type !== null) return Number.isNaN(Number(typed)) ? typed : Number(typed);
  return JSON.parse(typed) as unknown;
}
