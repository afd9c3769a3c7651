import { isGroup, type Spec } from './spec.ts';

// The fields of an input, as rows of a form and as JSON Schema. What a form does not show of a field stays as it is.

export type FieldType = 'string' | 'integer' | 'number' | 'boolean';
export const typeWords: Record<FieldType, string> = {
  string: 'Text',
  integer: 'Whole number',
  number: 'Number',
  boolean: 'Yes or no',
};

type Property = Record<string, unknown>;
export interface InputField {
  name: string;
  label: string;
  /** Null: more than a form can show, such as a list. */
  type: FieldType | null;
  isRequired: boolean;
  choices: (string | number)[];
  pattern: string;
  about: string;
  question: string;
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const isType = (value: unknown): value is FieldType => typeof value === 'string' && Object.hasOwn(typeWords, value);
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
    about: text(description),
    question: Object.hasOwn(spec.questions, name) ? (spec.questions[name] ?? '') : '',
  }));
}

/** The name that people read where there is no label: `orderId` is “Order id”. */
export const labelOf = ({ name, label }: Pick<InputField, 'name' | 'label'>): string =>
  label ||
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/^./, (character) => character.toUpperCase());

interface Parts {
  properties: [string, Property][];
  required: string[];
  questions: Record<string, string>;
}

function put(spec: Spec, { properties, required, questions }: Parts): Spec {
  const inputSchema = { ...spec.inputSchema, required, properties: Object.fromEntries(properties) };
  return { ...spec, inputSchema, questions };
}
const partsOf = (spec: Spec): Parts => ({
  properties: propertiesOf(spec),
  required: requiredOf(spec),
  questions: spec.questions,
});

export function addField(spec: Spec): Spec {
  const parts = partsOf(spec);
  const taken = new Set(parts.properties.map(([name]) => name));
  let n = taken.size + 1;
  while (taken.has(`field${n}`)) n++;
  return put(spec, { ...parts, properties: [...parts.properties, [`field${n}`, { type: 'string' }]] });
}

export function removeField(spec: Spec, name: string): Spec {
  const { properties, required, questions } = partsOf(spec);
  return put(spec, {
    properties: properties.filter(([one]) => one !== name),
    required: required.filter((one) => one !== name),
    questions: without(questions, name),
  });
}

/** Its place, its question and whether it is needed go with the new name. */
export function renameField(spec: Spec, name: string, next: string): Spec {
  const { properties, required, questions } = partsOf(spec);
  const renamed = (one: string) => (one === name ? next : one);
  return put(spec, {
    properties: properties.map(([one, property]) => [renamed(one), property]),
    required: required.map(renamed),
    questions: Object.fromEntries(Object.entries(questions).map(([one, question]) => [renamed(one), question])),
  });
}

export function changeField(spec: Spec, name: string, change: Partial<InputField>): Spec {
  const { properties, required, questions } = partsOf(spec);
  const isRequired = change.isRequired ?? required.includes(name);
  const asked = change.question ?? questions[name] ?? '';
  return put(spec, {
    properties: properties.map(([one, property]) => [one, one === name ? changed(property, change) : property]),
    required:
      isRequired === required.includes(name)
        ? required
        : isRequired
          ? [...required, name]
          : required.filter((one) => one !== name),
    questions: asked === '' ? without(questions, name) : { ...questions, [name]: asked },
  });
}

const without = (group: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(group).filter(([one]) => one !== name));

function changed(property: Property, { type, label, choices, pattern, about }: Partial<InputField>): Property {
  const next: Property = { ...property };
  const set = (key: string, value: unknown, isEmpty: boolean) => {
    if (isEmpty) delete next[key];
    else next[key] = value;
  };
  // What belongs to one kind of value would be wrong with another.
  if (type && type !== property['type']) {
    for (const key of ['enum', 'pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum']) delete next[key];
    next['type'] = type;
  }
  if (label !== undefined) set('title', label, label === '');
  if (choices) set('enum', choices, choices.length === 0);
  if (pattern !== undefined) set('pattern', pattern, pattern === '');
  if (about !== undefined) set('description', about, about === '');
  return next;
}

/** What was typed as choices: numbers where numbers are meant. */
export const choicesFrom = (typed: string, type: FieldType | null): (string | number)[] => {
  const words = typed.split(',').flatMap((word) => word.trim() || []);
  const values = type === 'string' ? words : words.map(Number).filter((value) => !Number.isNaN(value));
  return [...new Set<string | number>(values)];
};

/** What was typed into the form that tries it: undefined where a field was left empty. Throws if it is no JSON. */
export function valueFrom(typed: string, type: FieldType | null): unknown {
  if (typed.trim() === '') return undefined;
  if (type === 'string') return typed;
  if (type === 'boolean') return typed === 'true';
  // A number that is none goes as it is: the service says what is wrong with it.
  if (type !== null) return Number.isNaN(Number(typed)) ? typed : Number(typed);
  return JSON.parse(typed) as unknown;
}
