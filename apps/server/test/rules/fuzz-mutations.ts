import * as fc from 'fast-check';
import * as walk from '../openapi-walk.ts';
import type { Operation, RequestValues, Schema } from '../openapi-walk.ts';
import { isOfWidget } from './fuzz-crews.ts';
import {
  fill,
  nobody,
  operations,
  wantsProof,
  type Choose,
  type Generate,
  type Request,
  type Spoiled,
} from './fuzz-run.ts';
import {
  badIdempotencyKeys,
  badSegments,
  brokenJson,
  falseLengths,
  hostileFiles,
  hostileTexts,
  hostileValues,
  oddHeaders,
  oddTypes,
  otherTypes,
  privileged,
  roots,
  unknownQueries,
  words,
} from './fuzz-values.ts';

// Requests of JSON routes: good ones, and ways to spoil them.

const json = { 'content-type': 'application/json' };
export const plain = (operation: Operation, parts: RequestValues): Request => ({
  what: 'nothing',
  ...walk.requestOf(operation, parts),
});

interface Mutation {
  weight: number;
  fits: (operation: Operation) => boolean;
  spoil: (operation: Operation, parts: RequestValues, choose: Choose) => Spoiled;
}

const always = () => true;
const takesBody = ({ method, acceptsFile }: Operation) => method !== 'GET' && !acceptsFile;
const longestBody = ({ audience, acceptsFile }: Operation) =>
  acceptsFile ? 25 * 2 ** 20 : (audience === 'public' || audience === 'visitor' ? 64 : 1024) * 1024;
const hasBody = ({ body, acceptsFile }: Operation) => body !== undefined && !acceptsFile;
/** Those that answer a repeat of the request as the first time. What is about oneself is only ever done. */
const keepsAnswers = ({ audience, method, isAccountRoute, isForServerKeys }: Operation) =>
  (audience === 'member' || audience === 'operator') && method === 'POST' && !isAccountRoute && !isForServerKeys;

const mutations: readonly Mutation[] = [
  {
    weight: 12,
    fits: hasBody,
    spoil: ({ body = {} }, parts, choose) => {
      const { steps, schema } = choose(fieldsOf(body));
      const value = choose(choose([hostileValues, fittingValues(schema)]));
      return spoiledBody(body, `${steps.join('.')} is ${value}`, rawBody(parts, steps, value));
    },
  },
  {
    weight: 3,
    fits: ({ body }) => (body?.required?.length ?? 0) > 0,
    spoil: ({ body = {} }, parts, choose) => {
      const name = choose(body.required ?? []);
      const { [name]: _gone, ...rest } = parts.body as Record<string, unknown>;
      return spoiledBody(body, `${name} is missing`, JSON.stringify(rest));
    },
  },
  {
    weight: 5,
    fits: ({ body = {} }) => fieldsOf(body).length > 0 && typeof body.additionalProperties !== 'object',
    spoil: ({ body = {} }, parts, choose) => {
      const taken = fieldsOf(body).map(({ steps }) => steps[0]);
      const name = choose(privileged.filter((field) => !taken.includes(field)));
      const value = choose(['"ten_*0"', 'null', '["owner"]', '{"prototype":{"isAdmin":true}}', '1']);
      return { what: `has a field ${name.slice(0, 20)}`, payload: before(parts.body, name, value), due: [400] };
    },
  },
  {
    weight: 1,
    fits: hasBody,
    spoil: (_operation, { body }, choose) => {
      const name = choose([...Object.keys(body as object), 'name']);
      return { what: `has ${name} twice`, payload: before(body, name, choose(['null', '1', '"first"'])) };
    },
  },
  {
    weight: 2,
    fits: hasBody,
    spoil: ({ body = {} }, _parts, choose) => {
      const root = choose(roots);
      return spoiledBody(body, `the body is ${root}`, root);
    },
  },
  {
    weight: 3,
    fits: takesBody,
    spoil: (_operation, { body = { name: 'a' } }, choose) => {
      const payload = choose(brokenJson)(JSON.stringify(body));
      return { what: 'is broken JSON', payload, headers: json, due: [400] };
    },
  },
  {
    weight: 2,
    fits: takesBody,
    spoil: ({ pathTemplate }, { body = {} }, choose) => {
      const isOfWidget = pathTemplate.startsWith('/widget/'); // where plain text is read as JSON
      const type = choose(otherTypes.filter((name) => !(isOfWidget && name.startsWith('text/plain'))));
      return { what: `says ${type}`, payload: JSON.stringify(body), headers: { 'content-type': type }, due: [415] };
    },
  },
  {
    weight: 2,
    fits: hasBody,
    spoil: (_operation, { body }, choose) => {
      const [type, encoding, due] = choose(oddTypes);
      const headers = { 'content-type': type };
      return { what: `says ${type}`, payload: JSON.stringify(body), encoding, headers, ...(due && { due }) };
    },
  },
  {
    weight: 1,
    fits: hasBody,
    spoil: (_operation, _parts, choose) => {
      const headers = choose([json, { ...json, 'content-length': '0' }, { ...json, 'transfer-encoding': 'chunked' }]);
      return { what: 'has no body', payload: '', headers, due: [400] };
    },
  },
  {
    weight: 1,
    fits: takesBody,
    spoil: (operation) => {
      const payload = `{"name":"${'x'.repeat(longestBody(operation))}"}`;
      return { what: 'is larger than it may be', payload, headers: json, due: [413] };
    },
  },
  {
    weight: 1,
    fits: hasBody,
    spoil: (_operation, { body }, choose) => {
      const [length, due] = choose(falseLengths);
      const headers = { ...json, 'content-length': length };
      return { what: `says it is ${length} long`, payload: JSON.stringify(body), headers, ...(due && { due }) };
    },
  },
  {
    weight: 12,
    fits: ({ acceptsFile }) => acceptsFile,
    spoil: (_operation, _parts, choose) => {
      const [name, payload] = choose(Object.entries(hostileFiles));
      const headers = { 'content-type': choose([...otherTypes, 'application/pdf', 'application/json', 'x', '']) };
      return { what: `is ${name}`, payload, encoding: 'latin1', headers, ...(payload === '' && { due: [400, 415] }) };
    },
  },
  {
    weight: 6,
    fits: ({ path }) => Object.keys(path.properties ?? {}).length > 0,
    spoil: (operation, parts, choose) => {
      const name = choose(Object.keys(operation.path.properties ?? {}));
      const segment = choose(badSegments);
      const url = walk.urlOf(
        { ...operation, pathTemplate: operation.pathTemplate.replace(`{${name}}`, segment) },
        parts,
      );
      return {
        what: `${name} is ${segment.slice(0, 40)}`,
        url,
        due: [400, 403, 404, ...(wantsProof(operation) ? [401] : [])],
      };
    },
  },
  {
    weight: 4,
    fits: ({ returnsFile }) => !returnsFile, // there a query says nothing
    spoil: (operation, parts, choose) => {
      const url = walk.urlOf(operation, parts);
      const known = operation.query.properties ?? {};
      const query = choose(unknownQueries.filter((text) => !((text.split('=')[0] ?? '') in known)));
      const what = `asks ${query.slice(0, 40)}`;
      return { what, url: `${url}${url.includes('?') ? '&' : '?'}${query}`, due: [400] };
    },
  },
  {
    weight: 8,
    fits: ({ query }) => Object.keys(query.properties ?? {}).length > 0,
    spoil: (operation, parts, choose) => {
      const fields = Object.entries(operation.query.properties ?? {});
      const pairs = Array.from({ length: choose([1, 1, 1, 2, 3]) }, () => {
        const [name, schema] = choose(fields);
        const text = choose(choose([hostileTexts, fittingTexts(schema)]));
        return `${name}=${name === 'wait' && Number(text) > 1 ? '-1' : text}`; // it would wait
      });
      const query = [...pairs, ...choose([[], [], pairs])].join('&');
      return { what: `asks ${query.slice(0, 80)}`, url: `${walk.urlOf(operation, { ...parts, query: {} })}?${query}` };
    },
  },
  {
    weight: 4,
    fits: always,
    spoil: (_operation, _parts, choose) => {
      const [name, value, due] = choose(oddHeaders);
      return { what: `has ${name}: ${String(value).slice(0, 40)}`, headers: { [name]: value }, ...(due && { due }) };
    },
  },
  {
    weight: 3,
    fits: keepsAnswers,
    spoil: (_operation, _parts, choose) => {
      const key = choose(badIdempotencyKeys);
      return { what: `has the Idempotency-Key ${key.slice(0, 20)}`, headers: { 'idempotency-key': key }, due: [400] };
    },
  },
  {
    weight: 2,
    fits: keepsAnswers,
    spoil: (_operation, _parts, choose) => {
      const key = choose(words`1 2 3 null __proto__ * '--`);
      return { what: 'has an Idempotency-Key that others have', headers: { 'idempotency-key': key } };
    },
  },
  {
    weight: 1,
    fits: always,
    spoil: (operation, parts, choose) => {
      const declared = operations
        .filter(({ pathTemplate }) => pathTemplate === operation.pathTemplate)
        .map(({ method }) => method);
      // Pages may ask the widget's routes what they may ask.
      const taken: string[] = isOfWidget(operation) ? [...declared, 'OPTIONS'] : declared;
      const method = choose(
        words`GET POST PATCH PUT DELETE OPTIONS PROPFIND TRACE`.filter((name) => !taken.some((one) => one === name)),
      );
      return {
        what: `is a ${method}`,
        method,
        url: walk.urlOf(operation, { ...parts, query: {} }),
        due: [400, 404, 405], // 400 where the address, with that method, ends in an id
      };
    },
  },
];

interface Field {
  steps: (string | number)[];
  schema: Schema;
}

/** Every place in a body that holds a value. */
function fieldsOf({ properties = {}, anyOf = [], oneOf = [] }: Schema): Field[] {
  const own = Object.entries(properties).flatMap(([name, schema]) => [
    { steps: [name], schema },
    ...(schema.items ? [{ steps: [name, 0], schema: schema.items }] : []),
    ...fieldsOf(schema).map(({ steps, schema }) => ({ steps: [name, ...steps], schema })),
  ]);
  return [...own, ...[...anyOf, ...oneOf].flatMap(fieldsOf)];
}

/** Those that the schema lets through, so that it is up to the rest of us to stop them. All, where it stops all. */
function fitting(values: readonly string[], read: (text: string) => unknown) {
  const known = new WeakMap<Schema, readonly string[]>();
  return (schema: Schema): readonly string[] => {
    const found = known.get(schema) ?? values.filter((text) => walk.schemaMismatch(schema, read(text)) === undefined);
    known.set(schema, found);
    return found.length > 0 ? found : values;
  };
}
const fittingValues = fitting(hostileValues, (text) => JSON.parse(text) as unknown);
const fittingTexts = fitting(hostileTexts, (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
});

const hole = 'hole-for-raw-json';
const rawBody = (parts: RequestValues, steps: (string | number)[], value: string) =>
  JSON.stringify(walk.withValueAt(parts, { part: 'body', steps }, hole).body).replace(`"${hole}"`, () => value);

/** A body with one more field at its start. */
const before = (body: unknown, name: string, value: string) =>
  JSON.stringify(body)
    .replace('{', () => `{${JSON.stringify(name)}:${value},`)
    .replace(/,\}$/, '}');

/** What does not fit the published schema must be refused; what does may be answered either way. */
function spoiledBody(schema: Schema, what: string, payload: string): Spoiled {
  const isMisfit = walk.schemaMismatch(schema, JSON.parse(fill(payload, nobody))) !== undefined;
  return { what: what.slice(0, 60), payload, ...(isMisfit && { due: [400] }) };
}

export function spoil(operation: Operation, parts: RequestValues, generate: Generate): Request {
  const choose: Choose = (from) => generate(() => fc.constantFrom(...from));
  const fitting = mutations
    .filter(({ fits }) => fits(operation))
    .flatMap((one) => Array<Mutation>(one.weight).fill(one));
  const good = plain(operation, parts);
  const bad = choose(fitting).spoil(operation, parts, choose);
  const size = Math.max(Buffer.byteLength(bad.payload ?? ''), Number(bad.headers?.['content-length'] ?? 0) || 0);
  const due = size > longestBody(operation) ? [...(bad.due ?? []), 413] : bad.due;
  return { ...good, ...bad, headers: { ...good.headers, ...bad.headers }, ...(due && { due }) };
}
