// The part of the OpenAPI document that the client is generated from, by audience.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  'x-permission'?: string;
  parameters?: { in: string; required?: boolean }[];
  requestBody?: { required?: boolean };
  responses: Record<string, { content?: Record<string, unknown> }>;
}
type Paths = Record<string, Record<string, Operation>>;
export interface Document {
  info: { version: string };
  paths: Paths;
  components: { schemas: Record<string, unknown> };
}
export type PlacedOperation = Operation & { path: string; method: string };

export const root = resolve(import.meta.dirname, '../../..');

/** The short paths are the same as the long ones. Browsers and the widget have no generated client. */
const isLeftOut = (path: string) =>
  /^\/(tenants\/\{tenantId\}|pools|cdn|\.well-known\/security\.txt)(\/|$)/.test(path) ||
  (path.startsWith('/widget/') && path !== '/widget/sessions/authenticated');

/** Only for platform admins: in the portals' client, but not in the SDK. */
const isForOperators = (path: string) => /^\/admin(\/|$)/.test(path);

/** Only successful responses in JSON: all errors have the same body, and streams are read without this client. */
function onlyJsonResponses(operation: Operation): Operation {
  const successful = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const responses = successful.map(([status, { content }]) => [
    status,
    { description: '', content: { 'application/json': content?.['application/json'] } },
  ]);
  return { ...operation, responses: Object.fromEntries(responses) as Operation['responses'] };
}

function pathsWhere(document: Document, isIncluded: (path: string) => boolean): Paths {
  const included = Object.entries(document.paths).filter(([path]) => !isLeftOut(path) && isIncluded(path));
  return Object.fromEntries(
    included.map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, onlyJsonResponses(operation)])),
    ]),
  );
}

/** Schemas that are referenced, directly or not: the others belong to excluded routes. */
function reachedFrom(value: unknown, schemas: Record<string, unknown>, reached: Record<string, unknown> = {}) {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g))
    if (!(name in reached)) {
      reached[name] = schemas[name];
      reachedFrom(schemas[name], schemas, reached);
    }
  return reached;
}

export function readDocument() {
  const document = JSON.parse(readFileSync(join(root, 'apps/server/openapi.json'), 'utf8')) as Document;
  const publicPaths = pathsWhere(document, (path) => !isForOperators(path));
  const operatorPaths = pathsWhere(document, isForOperators);
  const publicSchemas = reachedFrom(publicPaths, document.components.schemas);
  const schemas = reachedFrom(operatorPaths, document.components.schemas, { ...publicSchemas });
  return {
    document,
    /** Everything that the client covers, for all audiences. */
    covered: { ...document, paths: { ...publicPaths, ...operatorPaths }, components: { schemas } },
    publicSchemas: Object.keys(publicSchemas),
    operatorSchemas: Object.keys(schemas).filter((name) => !(name in publicSchemas)),
    publicOperations: operationsOf(publicPaths),
    operatorOperations: operationsOf(operatorPaths),
  };
}

const operationsOf = (paths: Paths): PlacedOperation[] =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
    )
    .toSorted((a, b) => (a.operationId < b.operationId ? -1 : 1));
