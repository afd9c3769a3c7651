import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { z } from 'zod';
import type { Method } from './harness.ts';

// Reads the OpenAPI document, so that tests cover every route, including future ones.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

/** The part of a request that contains a value. */
export type RequestPart = 'path' | 'query' | 'body';

export interface Operation {
  id: string;
  method: Method;
  /** As in the document: `/api-keys/{id}`. */
  pathTemplate: string;
  /** The same for the short and the long path of one route. */
  route: string;
  summary: string | undefined;
  /** The required type of credential, by the declared security. */
  audience: 'public' | 'member' | 'operator' | 'visitor';
  permission: string | undefined;
  entitlement: string | undefined;
  /** Requires a recent sign-in. */
  stepUp: boolean;
  /** For tenant routes: the key bindings that the route enforces. */
  keyBindings: readonly string[] | undefined;
  /** Concerns the caller's own account in a built-in pool. */
  isAccountRoute: boolean;
  /** For server keys only; people are rejected. */
  isForServerKeys: boolean;
  /** Can return a stream of events. */
  streams: boolean;
  /** Accepts a file instead of JSON. */
  acceptsFile: boolean;
  /** Returns a file; errors are JSON. */
  returnsFile: boolean;
  /** Cacheable; supports `If-None-Match`. */
  isCacheable: boolean;
  /** JSON with our error body, an HTML page with forms, or OpenID Connect. */
  format: 'json' | 'html' | 'oidc';
  /** Each the schema of an object. */
  path: Schema;
  query: Schema;
  body: Schema | undefined;
  /** By status: `200`, `4XX`. */
  responses: Record<string, Schema>;
}

interface DeclaredOperation {
  operationId?: string;
  summary?: string;
  security?: Record<string, unknown>[];
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
  'x-permission'?: string;
  'x-entitlement'?: string;
  'x-step-up'?: true | 'depends';
  'x-key-bindings'?: readonly string[];
}
interface Document {
  paths?: Record<string, Record<string, DeclaredOperation>>;
  components?: { schemas?: Record<string, Schema> };
}

/** Routes with the permission `any` that do not concern the caller's own account. */
const forAnyCredential = ['getMe', 'listMyTenants', 'getOperator'];
const forKeys = ['openAuthenticatedSession'];
const [jsonType, formType, htmlType] = ['application/json', 'application/x-www-form-urlencoded', 'text/html'];
const [fileType, anyType, streamType] = ['application/octet-stream', '*/*', 'text/event-stream'];

export function operationsOf(source: object): Operation[] {
  const { paths = {}, components } = source as Document;
  const named = components?.schemas ?? {};
  return Object.entries(paths).flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, declared]) => toOperation(method, address, declared, named)),
  );
}

function toOperation(
  method: string,
  pathTemplate: string,
  declared: DeclaredOperation,
  named: Record<string, Schema>,
): Operation {
  const id = declared.operationId ?? '';
  const permission = declared['x-permission'];
  const format = formatOf(declared);
  const acceptsFile = declared.requestBody?.content[fileType] !== undefined;
  const body = acceptsFile
    ? ({ type: 'string', minLength: 1 } as const)
    : declared.requestBody?.content[format === 'html' ? formType : jsonType]?.schema;
  const responses = Object.entries(declared.responses).flatMap(([status, { content }]) => {
    const schema = content?.[format === 'html' ? htmlType : jsonType]?.schema;
    return schema ? [[status, inline(schema, named)] as const] : [];
  });
  const parametersIn = (part: RequestPart): Schema => {
    const found = (declared.parameters ?? []).filter((parameter) => parameter.in === part);
    return {
      type: 'object',
      properties: Object.fromEntries(found.map(({ name, schema }) => [name, inline(schema, named)])),
      required: found.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    };
  };
  return {
    id,
    method: method.toUpperCase() as Method,
    pathTemplate,
    route: id.replace(/OfTenant$/, ''),
    summary: declared.summary,
    audience: audienceOf(`${method} ${pathTemplate}`, declared.security),
    permission,
    entitlement: declared['x-entitlement'],
    stepUp: declared['x-step-up'] === true,
    keyBindings: declared['x-key-bindings'],
    isAccountRoute: permission === 'any' && ![...forAnyCredential, ...forKeys].includes(id),
    isForServerKeys: forKeys.includes(id),
    streams: Object.values(declared.responses).some(({ content }) => content?.[streamType]),
    acceptsFile,
    returnsFile: declared.responses['200']?.content?.[anyType] !== undefined,
    isCacheable: '304' in declared.responses,
    format,
    path: parametersIn('path'),
    query: parametersIn('query'),
    body: body && inline(body, named),
    responses: Object.fromEntries(responses),
  };
}

/** OpenID Connect endpoints have their own errors, so the document declares none for them. */
function formatOf({ responses }: DeclaredOperation): Operation['format'] {
  if (!responses['4XX']) return 'oidc';
  return responses['4XX'].content?.[htmlType] ? 'html' : 'json';
}

function audienceOf(name: string, security: DeclaredOperation['security']): Operation['audience'] {
  const schemes = new Set(security?.flatMap((scheme) => Object.keys(scheme)));
  if (schemes.has('adminToken')) return 'operator';
  if (schemes.has('userToken')) return 'member';
  if (schemes.has('sessionToken')) return 'visitor';
  if (security?.length === 0) return 'public';
  throw new Error(
    `${name} is opened by ${JSON.stringify(security)}: tell test/openapi-walk.ts whose credential that is`,
  );
}

/** Inlines named schemas. A recursive reference becomes a schema that accepts anything. */
function inline(schema: Schema, named: Record<string, Schema>, inside: readonly string[] = []): Schema {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return inside.includes(name) ? {} : inline(named[name] ?? {}, named, [...inside, name]);
  }
  const within = (part: Schema) => inline(part, named, inside);
  const { properties, items, anyOf, oneOf, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(properties && { properties: mapValues(properties, within) }),
    ...(items && { items: within(items) }),
    ...(anyOf && { anyOf: anyOf.map(within) }),
    ...(oneOf && { oneOf: oneOf.map(within) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? within(additionalProperties) : additionalProperties,
    }),
  };
}

const mapValues = <T, U>(record: Record<string, T>, change: (value: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));

// ---- requests

/** The values of one request before serialization. */
export interface RequestValues {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body?: unknown;
}

/** What the document does not contain: existing ids, and content of free text. */
export interface ValueSources {
  id: (prefix: string) => Arbitrary<string>;
  text?: Arbitrary<string>;
  /** For properties whose format is not in the schema, by name. */
  named?: Record<string, Arbitrary<unknown>>;
}

export const requestValuesOf = (operation: Operation, sources: ValueSources): Arbitrary<RequestValues> =>
  fc.record({
    path: valueOf(operation.path, sources) as Arbitrary<RequestValues['path']>,
    query: valueOf(operation.query, sources) as Arbitrary<RequestValues['query']>,
    ...(operation.body && { body: valueOf(operation.body, sources) }),
  });

export function urlOf({ pathTemplate }: Operation, { path, query }: RequestValues): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${encode(name)}=${encode(one)}`),
  );
  const filled = pathTemplate.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encode(path[name]));
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
}

/** The serialized request: JSON, a form or a file. */
export function requestOf(operation: Operation, values: RequestValues) {
  const { method, format, acceptsFile } = operation;
  const { body } = values;
  const url = urlOf(operation, values);
  if (body === undefined) return { method, url, headers: {} };
  if (acceptsFile) return { method, url, headers: { 'content-type': fileType }, payload: body as string };
  if (format === 'json') return { method, url, headers: { 'content-type': jsonType }, payload: JSON.stringify(body) };
  const fields = mapValues(body as Record<string, unknown>, String);
  return { method, url, headers: { 'content-type': formType }, payload: new URLSearchParams(fields).toString() };
}

const encode = (value: unknown) => encodeURIComponent(String(value));

/** Generates values that match the schema. */
export function valueOf(schema: Schema, sources: ValueSources): Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(choice, sources)));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => valueOf({ ...schema, type }, sources)));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: lowest(schema, -1e9), max: highest(schema, 1e9) });
    case 'number':
      return fc.double({ min: lowest(schema, -1e9), max: highest(schema, 1e9), noNaN: true });
    case 'string':
      return text(schema, sources);
    case 'array':
      return list(schema, sources);
    case 'object':
      return record(schema, sources);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

const lowest = ({ minimum, exclusiveMinimum }: Schema, otherwise: number) =>
  minimum ?? (exclusiveMinimum === undefined ? otherwise : exclusiveMinimum + 1);
const highest = ({ maximum, exclusiveMaximum }: Schema, otherwise: number) =>
  maximum ?? (exclusiveMaximum === undefined ? otherwise : exclusiveMaximum - 1);

const formats: Record<string, Arbitrary<string>> = {
  // Mostly in the future, like most dates in requests.
  'date-time': fc
    .date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  // Within one year, because some routes limit the range between two dates.
  date: fc
    .date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  email: fc.emailAddress().filter((address) => z.email().safeParse(address).success), // RFC 5322 allows more
  uri: fc.webUrl({ validSchemes: ['https'] }),
  uuid: fc.uuid(),
  'time-zone': fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
};

const arbitraries = new Map<string, Arbitrary<string>>();
/** Made once per pattern, which takes longer than most requests. */
function matching(pattern: string): Arbitrary<string> {
  const arbitrary = arbitraries.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'));
  arbitraries.set(pattern, arbitrary);
  return arbitrary;
}

function text(schema: Schema, sources: ValueSources): Arbitrary<unknown> {
  const { pattern, format, minLength = 0, maxLength = 1_000 } = schema;
  const prefix = idPrefix(schema);
  if (prefix !== undefined) return sources.id(prefix);
  const formed = formats[format ?? ''];
  if (formed) return formed;
  if (pattern !== undefined) return matching(pattern);
  if (sources.text) return sources.text.map((value) => value.slice(0, maxLength).padEnd(minLength, '.'));
  const full = Math.min(maxLength, 1_000);
  return fc
    .oneof(
      { weight: 5, arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(full, 40) }) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: full, maxLength: full }) },
    )
    .filter((value) => value.length <= full); // a grapheme may have several characters
}

const list = ({ items = {}, minItems = 0, maxItems = 8, uniqueItems = false }: Schema, sources: ValueSources) => {
  const lengths = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 8)) };
  return uniqueItems ? fc.uniqueArray(valueOf(items, sources), lengths) : fc.array(valueOf(items, sources), lengths);
};

function record(schema: Schema, sources: ValueSources): Arbitrary<unknown> {
  const { properties, required = [], additionalProperties, propertyNames } = schema;
  if (!properties && typeof additionalProperties === 'object') {
    const names = propertyNames ? valueOf(propertyNames, sources) : fc.string({ minLength: 1, maxLength: 20 });
    return fc.dictionary(names as Arbitrary<string>, valueOf(additionalProperties, sources), { maxKeys: 5 });
  }
  const values = mapValues(properties ?? {}, (part, name) => {
    const kind = kindByName(part, name);
    return sources.named?.[name] ?? (kind === undefined ? valueOf(part, sources) : sources.id(kind));
  });
  const combined = fc.record(values, { requiredKeys: required, noNullPrototype: true });
  if (required.length > 0 || Object.keys(values).length < 5) return combined;
  // Some combinations of optional properties are invalid, so often only one is generated.
  const alone = Object.entries(values).map(([name, value]) => value.map((only) => ({ [name]: only })));
  return fc.oneof({ weight: 1, arbitrary: combined }, { weight: 2, arbitrary: fc.oneof(...alone) });
}

// ---- ids

/** The prefix in the pattern of a TypeID, such as `key`. */
const idPrefix = ({ pattern }: Schema) => /^\^([a-z]{2,5})_\[0-7\]/.exec(pattern ?? '')?.[1];

/** The prefix of an id that a route accepts as any text, so that invalid ids get the same response as unknown ones. */
const kindByName = ({ type, pattern, enum: options }: Schema, name: string): string | undefined =>
  type === 'string' && pattern === undefined && !options ? prefixByName[name] : undefined;
const prefixByName: Record<string, string> = {
  tenantId: 'ten',
  workspaceId: 'wsp',
  environmentId: 'env',
  botId: 'bot',
};

/** The ids in a text, by prefix. */
export function idsIn(source: string): Map<string, string[]> {
  const found = new Set(source.match(/\b[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g));
  return Map.groupBy(found, (id) => id.slice(0, id.indexOf('_')));
}

/** The position of an id in a request. */
export interface Position {
  part: RequestPart;
  steps: readonly (string | number)[];
  /** Undefined if only the name shows that it is an id, so that any prefix fits. */
  prefix: string | undefined;
}

export const positionsOf = (operation: Operation): Position[] =>
  (['path', 'query', 'body'] as const).flatMap((part) => {
    const schema = operation[part];
    return schema ? positionsIn(schema, []).map((found) => ({ part, ...found })) : [];
  });

function positionsIn(schema: Schema, steps: Position['steps']): Omit<Position, 'part'>[] {
  const prefix = idPrefix(schema) ?? kindByName(schema, String(steps.at(-1)));
  if (prefix !== undefined) return [{ steps, prefix }];
  if (schema.type === 'string' && !schema.enum && /(^i|I)d$/.test(String(steps.at(-1)))) return [{ steps, prefix }];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => positionsIn(part, [...steps, name])),
    ...(schema.items ? positionsIn(schema.items, [...steps, 0]) : []),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((part) => positionsIn(part, steps)),
  ];
}

/** A copy of the request with another value at that position. */
export function withValueAt(
  values: RequestValues,
  { part, steps }: Pick<Position, 'part' | 'steps'>,
  value: unknown,
): RequestValues {
  const set = (holder: unknown, [step, ...rest]: Position['steps']): unknown => {
    if (step === undefined) return value;
    if (typeof step === 'number') return [set(undefined, rest)];
    const before = typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>) : {};
    return { ...before, [step]: set(before[step], rest) };
  };
  return { ...values, [part]: set(values[part], steps) };
}

// ---- responses

const compiled = new WeakMap<Schema, z.ZodType>();

/** Returns why the value does not match, or undefined if it does. */
export function schemaMismatch(schema: Schema, value: unknown): string | undefined {
  const check = compiled.get(schema) ?? z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  compiled.set(schema, check);
  const read = check.safeParse(value);
  return read.success ? undefined : z.prettifyError(read.error);
}
