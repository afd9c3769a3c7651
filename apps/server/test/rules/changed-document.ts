import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compareReleases } from '../../../../tools/api-changes/operations.ts';
import { releaseOf, type Document, type Schema } from '../../../../tools/api-changes/release.ts';

const text = readFileSync(resolve(import.meta.dirname, '../../openapi.json'), 'utf8');
const full = JSON.parse(text) as Document;

/** Only the routes that the tests change: comparing hundreds of others with themselves takes long. */
const isChanged = /^(\/tenants\/\{tenantId\})?\/(bots|webhooks|webhook-event-types)(\/\{webhookId\}\/pause)?$/;
const subset = {
  ...full,
  paths: Object.fromEntries(Object.entries(full.paths).filter(([path]) => isChanged.test(path))),
};
const released = releaseOf(subset);

/** The reported changes of the full document when nothing changed. */
export const unchanged = () => compareReleases(releaseOf(full), releaseOf(JSON.parse(text) as Document));

export type Field = Schema & {
  properties: Record<string, Field>;
  required: string[];
  items: Field;
  anyOf: Field[];
  oneOf: Field[];
};
interface Route {
  operationId: string;
  security: Record<string, string[]>[];
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: Field } } };
  responses: Record<string, { content: { 'application/json': { schema: Field } } }>;
  'x-permission': string;
  'x-entitlement'?: string;
  'x-step-up'?: true | 'depends';
}
/** Changes a copy of the document, at both paths of a route. */
export interface Change {
  eachOf(operationId: string, change: (route: Route) => void): void;
  response(operationId: string, change: (schema: Field) => void): void;
  body(operationId: string, change: (schema: Field) => void): void;
  schema(name: string): Field;
  document: Document;
}

/** The reported changes after this change of the document. */
export function after(change: (edit: Change) => void) {
  const document = structuredClone(subset);
  const eachOf: Change['eachOf'] = (operationId, each) => {
    const routes = Object.values(document.paths).flatMap((methods) => Object.values(methods) as unknown as Route[]);
    const found = routes.filter((route) => route.operationId.replace(/OfTenant$/, '') === operationId);
    if (found.length === 0) throw new Error(`no ${operationId}`);
    for (const route of found) each(route);
  };
  change({
    document,
    eachOf,
    response: (id, each) =>
      eachOf(id, ({ responses }) => each((responses['200'] ?? responses['201'])!.content['application/json'].schema)),
    body: (id, each) => eachOf(id, ({ requestBody }) => each(requestBody!.content['application/json'].schema)),
    schema: (name) => document.components.schemas[name] as Field,
  });
  const changes = compareReleases(released, releaseOf(document));
  return changes.map(({ where, what, isBreaking }) => `${isBreaking ? '' : 'note: '}${where}: ${what}`);
}

export const field = (schema: Field, name: string): Field => {
  const found = schema.properties[name];
  if (!found) throw new Error(`no ${name}`);
  return found;
};
export const drop = (list: unknown[], value: unknown) => void list.splice(list.indexOf(value), 1);

/** Its name, the change, and the expected report. */
export type Case = [name: string, change: (edit: Change) => void, expected: string[]];
