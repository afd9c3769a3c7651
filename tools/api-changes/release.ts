import { isDeepStrictEqual } from 'node:util';

// What a client depends on, out of the OpenAPI document: all that is compared, and nothing else is kept of a release.

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
  format?: string;
  pattern?: string;
  default?: unknown;
  uniqueItems?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Operation {
  id: string;
  permission: string;
  entitlement?: string;
  isStepUp?: boolean;
  /** The same at `/tenants/{tenantId}/…`. */
  isAlsoUnderTenant?: boolean;
  /** Ways to prove who you are: each is a list of what is needed together. */
  security: string[][];
  /** Each the schema of an object. */
  path: Schema;
  query: Schema;
  body?: { isRequired: boolean; types: Record<string, Schema> };
  /** By status, by content type. */
  answers: Record<string, Record<string, Schema>>;
}

export interface Release {
  version: string;
  /** By name. */
  schemas: Record<string, Schema>;
  /** By method and address. */
  operations: Record<string, Operation>;
}

type Content = Record<string, { schema?: object }>;
interface Declared {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: { in: string; name: string; required?: boolean; schema: object }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
  'x-permission': string;
  'x-entitlement'?: string;
  'x-step-up'?: true | 'depends';
}
export interface Document {
  info: { version: string };
  components: { schemas: Record<string, object> };
  paths: Record<string, Record<string, Declared>>;
}

const values =
  '$ref type enum const required format pattern default uniqueItems minimum maximum minLength maxLength minItems maxItems'.split(
    ' ',
  );
const words = new Set(['description', 'title', 'examples', 'deprecated']);

export function releaseOf({ info, components, paths }: Document): Release {
  const operations = Object.entries(paths).flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${address}`, operationOf(one)] as const),
  );
  return {
    version: info.version,
    schemas: mapped(components.schemas, schemaOf),
    operations: withoutTwins(Object.fromEntries(operations)),
  };
}

/** What has two addresses is kept and told of once. */
function withoutTwins(operations: Record<string, Operation>): Record<string, Operation> {
  const kept = { ...operations };
  for (const [where, { path, ...twin }] of Object.entries(operations)) {
    const short = where.replace(' /tenants/{tenantId}/', ' /');
    const original = operations[short];
    if (short === where || !original) continue;
    const { tenantId, ...properties } = path.properties ?? {};
    const required = path.required?.filter((name) => name !== 'tenantId') ?? [];
    const asShort = { ...twin, id: original.id, path: { ...path, properties, required } };
    if (!tenantId || !isDeepStrictEqual(asShort, original)) continue;
    kept[short] = { ...original, isAlsoUnderTenant: true };
    delete kept[where];
  }
  return kept;
}

function operationOf(declared: Declared): Operation {
  const { operationId: id, security = [], parameters = [], requestBody, responses } = declared;
  const { 'x-permission': permission, 'x-entitlement': entitlement, 'x-step-up': stepUp } = declared;
  const place = (name: string): Schema => {
    const here = parameters.filter((one) => one.in === name);
    return {
      type: 'object',
      properties: Object.fromEntries(here.map((one) => [one.name, schemaOf(one.schema)])),
      required: here.filter((one) => one.required).map((one) => one.name),
    };
  };
  const strange = parameters.find((one) => one.in !== 'path' && one.in !== 'query');
  if (strange) throw new Error(`${id}: parameters in ${strange.in} are not compared yet`);
  return {
    id,
    permission,
    ...(entitlement && { entitlement }),
    ...(stepUp && { isStepUp: true }),
    security: security.map((way) => Object.keys(way)),
    path: place('path'),
    query: place('query'),
    ...(requestBody && { body: { isRequired: requestBody.required ?? false, types: typesOf(requestBody.content) } }),
    answers: mapped(responses, ({ content = {} }) => typesOf(content)),
  };
}

const typesOf = (content: Content) => mapped(content, ({ schema = {} }) => schemaOf(schema));

/** A keyword that nobody taught us stops everything: what is not compared could break a client unseen. */
function schemaOf(source: object): Schema {
  const schema: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(source) as [string, never][]) {
    if (words.has(keyword)) continue;
    const read = readers[keyword];
    if (!read) throw new Error(`The keyword ${keyword} of a schema is not compared yet.`);
    schema[keyword] = read(value);
  }
  return schema;
}

const asItIs = (value: unknown) => value;
const each = (value: object[]) => value.map(schemaOf);
const readers: Record<string, (value: never) => unknown> = {
  ...Object.fromEntries(values.map((keyword) => [keyword, asItIs])),
  anyOf: each,
  oneOf: each,
  items: schemaOf,
  propertyNames: schemaOf,
  properties: (value: Record<string, object>) => mapped(value, schemaOf),
  additionalProperties: (value: object | boolean) => (typeof value === 'boolean' ? value : schemaOf(value)),
};

const mapped = <RequestInfo, To>(
  source: Record<string, RequestInfo>,
  to: (value: RequestInfo) => To,
): Record<string, To> => Object.fromEntries(Object.entries(source).map(([name, value]) => [name, to(value)]));
