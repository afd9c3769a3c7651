import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compareReleases } from '../../../../tools/api-changes/operations.ts';
import { releaseOf, type Document, type Schema } from '../../../../tools/api-changes/release.ts';

const text = readFileSync(resolve(import.meta.dirname, '../../openapi.json'), 'utf8');
const whole = JSON.parse(text) as Document;

/** The routes that are changed here, and no other: the rest of some hundreds would only be compared with itself. */
const isChanged = /^(\/tenants\/\{tenantId\})?\/(bots|webhooks|webhook-event-types)(\/\{webhookId\}\/pause)?$/;
const small = {
  ...whole,
  paths: Object.fromEntries(Object.entries(whole.paths).filter(([path]) => isChanged.test(path))),
};
const released = releaseOf(small);

/** What is told of the whole document when nothing changed. */
export const unchanged = () => compareReleases(releaseOf(whole), releaseOf(JSON.parse(text) as Document));

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
/** A change of a copy of the document, at both addresses of the routes that it is about. */
export interface Change {
  eachOf(operationId: string, change: (route: Route) => void): void;
  answer(operationId: string, change: (schema: Field) => void): void;
  body(operationId: string, change: (schema: Field) => void): void;
  schema(name: string): Field;
  document: Document;
}

/** What is told of a change of the document. */
export function after(change: (made: Change) => void) {
  const document = structuredClone(small);
  const eachOf: Change['eachOf'] = (operationId, each) => {
    const routes = Object.values(document.paths).flatMap((methods) => Object.values(methods) as unknown as Route[]);
    const found = routes.filter((route) => route.operationId.replace(/OfTenant$/, '') === operationId);
    if (found.length === 0) throw new Error(`no ${operationId}`);
    for (const route of found) each(route);
  };
  change({
    document,
    eachOf,
    answer: (id, each) =>
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

/** Its name, the change, and what is told of it. */
export type Case = [name: string, change: (made: Change) => void, told: string[]];
