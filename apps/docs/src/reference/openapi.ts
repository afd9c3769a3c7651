import document from '../../../server/openapi.json' with { type: 'json' };

export interface Schema {
  type?: string | string[];
  format?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface OperationObject {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
  security?: Record<string, string[]>[];
  'x-permission'?: string;
  'x-entitlement'?: string;
  'x-step-up'?: true | 'depends';
}

export interface Operation extends OperationObject {
  id: string;
  method: string;
  path: string;
}

const { paths, tags, components } = document as unknown as {
  paths: Record<string, Record<string, OperationObject>>;
  tags: { name: string; description: string }[];
  components: { schemas: Record<string, Schema> };
};

/** Pages for people, which programs do not call. */
const notForPrograms = new Set(['Sign-in pages', 'OpenID Connect']);

/** Every operation once: tenant operations by their short path. */
const operations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(
      ([, { operationId = '', tags: own = [] }]) =>
        !operationId.endsWith('OfTenant') && !notForPrograms.has(own[0] ?? ''),
    )
    .map(([method, operation]) => ({
      ...operation,
      id: operation.operationId ?? `${method}-${path}`,
      method: method.toUpperCase(),
      path,
    })),
);

const slugOf = (name: string) => name.toLowerCase().replaceAll(' ', '-');

/** The groups of the reference, in the order of the document. */
export const groups = [
  ...new Set([...tags.map(({ name }) => name), ...operations.flatMap(({ tags: own = [] }) => own)]),
]
  .map((name) => ({
    name,
    slug: slugOf(name),
    description: tags.find((tag) => tag.name === name)?.description ?? '',
    operations: operations.filter(({ tags: own = [] }) => own[0] === name),
  }))
  .filter((group) => group.operations.length > 0);

export const schemas = Object.entries(components.schemas)
  .filter(([name]) => !name.endsWith('Input'))
  .toSorted(([a], [b]) => (a < b ? -1 : 1));

export const nameOf = (ref: string) => ref.split('/').at(-1) ?? '';
/** What is sent differs from what is returned in its optional fields only. */
export const anchorOf = (ref: string) =>
  nameOf(ref)
    .replace(/Input$/, '')
    .toLowerCase();

/** Errors that a caller must expect, derived from the route's requirements. */
export function errorsOf({ path, parameters = [], requestBody, security = [], ...operation }: Operation) {
  const isPublic = security.length === 0;
  return [
    (requestBody || parameters.length > 0) && { status: 400, reasons: ['invalid_fields'] },
    !isPublic && { status: 401, reasons: ['credential_missing', 'invalid_api_key', 'invalid_token'] },
    operation['x-permission'] && !isPublic && { status: 403, reasons: ['permission_missing'] },
    operation['x-entitlement'] && { status: 403, reasons: ['entitlement_missing'] },
    operation['x-step-up'] && { status: 403, reasons: ['step_up_required'] },
    path.includes('{') && { status: 404, reasons: ['…_not_found'] },
    { status: 429, reasons: ['too_many_requests'] },
  ].filter((error) => typeof error === 'object');
}
