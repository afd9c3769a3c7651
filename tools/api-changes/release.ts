import { isDeepStrictEqual } from 'node:util';

// What a client depends on, from the OpenAPI document: only this is compared and stored for a release.

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
  /** Accepted credentials: each is a list of schemes that are needed together. */
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
  /** By method and path. */
  operations: Record<string, Operation>;
}

type Content = Record<string, { schema?: object }>;
interface OperationObject {
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
  paths: Record<string, Record<string, OperationObject>>;
}

const values =
  '$ref type enum const required format pattern default uniqueItems minimum maximum minLength maxLength minItems maxItems'.split(
    ' ',
  );
const ignoredKeywords = new Set(['description', 'title', 'examples', 'deprecated']);

export function releaseOf({ info, components, paths }: Document): Release {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operationOf(operation)] as const,
    ),
  );
  return {
    version: info.version,
    schemas: mapped(components.schemas, schemaOf),
    operations: withoutTenantPaths(Object.fromEntries(operations)),
  };
}

/** Routes with two paths are stored and reported once. */
function withoutTenantPaths(operations: Record<string, Operation>): Record<string, Operation> {
  const merged = { ...operations };
  for (const [where, { path, ...longForm }] of Object.entries(operations)) {
    const short = where.replace(' /tenants/{tenantId}/', ' /');
    const original = operations[short];
    if (short === where || !original) continue;
    const { tenantId, ...properties } = path.properties ?? {};
    const required = path.required?.filter((name) => name !== 'tenantId') ?? [];
    const asShort = { ...longForm, id: original.id, path: { ...path, properties, required } };
    if (!tenantId || !isDeepStrictEqual(asShort, original)) continue;
    merged[short] = { ...original, isAlsoUnderTenant: true };
    delete merged[where];
  }
  return merged;
}

function operationOf(declared: OperationObject): Operation {
  const { operationId: id, security = [], parameters = [], requestBody, responses } = declared;
  const { 'x-permission': permission, 'x-entitlement': entitlement, 'x-step-up': stepUp } = declared;
  const parametersIn = (name: string): Schema => {
    const matching = parameters.filter((parameter) => parameter.in === name);
    return {
      type: 'object',
      properties: Object.fromEntries(matching.map((parameter) => [parameter.name, schemaOf(parameter.schema)])),
      required: matching.filter((parameter) => parameter.required).map((parameter) => parameter.name),
    };
  };
  const unsupported = parameters.find((parameter) => parameter.in !== 'path' && parameter.in !== 'query');
  if (unsupported) throw new Error(`${id}: parameters in ${unsupported.in} are not compared yet`);
  return {
    id,
    permission,
    ...(entitlement && { entitlement }),
    ...(stepUp && { isStepUp: true }),
    security: security.map((credential) => Object.keys(credential)),
    path: parametersIn('path'),
    query: parametersIn('query'),
    ...(requestBody && { body: { isRequired: requestBody.required ?? false, types: typesOf(requestBody.content) } }),
    answers: mapped(responses, ({ content = {} }) => typesOf(content)),
  };
}

const typesOf = (content: Content) => mapped(content, ({ schema = {} }) => schemaOf(schema));

/** An unknown keyword is an error: what is not compared could break a client unnoticed. */
function schemaOf(source: object): Schema {
  const schema: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(source) as [string, never][]) {
    if (ignoredKeywords.has(keyword)) continue;
    const read = readers[keyword];
    if (!read) throw new Error(`The keyword ${keyword} of a schema is not compared yet.`);
    schema[keyword] = read(value);
  }
  return schema;
}

const unchanged = (value: unknown) => value;
const each = (value: object[]) => value.map(schemaOf);
const readers: Record<string, (value: never) => unknown> = {
  ...Object.fromEntries(values.map((keyword) => [keyword, unchanged])),
  anyOf: each,
  oneOf: each,
  items: schemaOf,
  propertyNames: schemaOf,
  properties: (value: Record<string, object>) => mapped(value, schemaOf),
  additionalProperties: (value: object | boolean) => (typeof value === 'boolean' ? value : schemaOf(value)),
};

const mapped = <In, Out>(source: Record<string, In>, to: (value: In) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(source).map(([name, value]) => [name, to(value)]));
