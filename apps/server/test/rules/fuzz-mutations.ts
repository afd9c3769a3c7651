import * as fc from 'fast-check';
import * as walk from '../openapi-walk.ts';
import type { Operation, RequestValues, Schema } from '../openapi-walk.ts';
import { isOfWidget } from './fuzz-actors.ts';
import {
  fill,
  nobody,
  operations,
  authenticates,
  type Choose,
  type Generate,
  type Request,
  type MutatedRequest,
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
  tokensOf,
} from './fuzz-values.ts';

// Requests to JSON routes: valid ones, and ways to mutate them.

const json = { 'content-type': 'application/json' };
export const plain = (operation: Operation, parts: RequestValues): Request => ({
  what: 'nothing',
  ...walk.requestOf(operation, parts),
});

interface Mutation {
  weight: number;
  applies: (operation: Operation) => boolean;
  mutate: (operation: Operation, parts: RequestValues, choose: Choose) => MutatedRequest;
}

const always = () => true;
const takesBody = ({ method, acceptsFile }: Operation) => method !== 'GET' && !acceptsFile;
const maxBodyBytes = ({ audience, acceptsFile }: Operation) =>
  acceptsFile ? 25 * 2 ** 20 : (audience === 'public' || audience === 'visitor' ? 64 : 1024) * 1024;
const hasBody = ({ body, acceptsFile }: Operation) => body !== undefined && !acceptsFile;
/** Routes that return the stored response to a repeated request. Routes about one's own account do not. */
const isIdempotent = ({ audience, method, isAccountRoute, isForServerKeys }: Operation) =>
  (audience === 'member' || audience === 'operator') && method === 'POST' && !isAccountRoute && !isForServerKeys;

const mutations: readonly Mutation[] = [
  {
    weight: 12,
    applies: hasBody,
    mutate: ({ body = {} }, parts, choose) => {
      const { steps, schema } = choose(fieldsOf(body));
      const value = choose(choose([hostileValues, matchingValues(schema)]));
      return mutatedBody(body, `${steps.join('.')} is ${value}`, rawBody(parts, steps, value));
    },
  },
  {
    weight: 3,
    applies: ({ body }) => (body?.required?.length ?? 0) > 0,
    mutate: ({ body = {} }, parts, choose) => {
      const name = choose(body.required ?? []);
      const { [name]: _gone, ...rest } = parts.body as Record<string, unknown>;
      return mutatedBody(body, `${name} is missing`, JSON.stringify(rest));
    },
  },
  {
    weight: 5,
    applies: ({ body = {} }) => fieldsOf(body).length > 0 && typeof body.additionalProperties !== 'object',
    mutate: ({ body = {} }, parts, choose) => {
      const taken = fieldsOf(body).map(({ steps }) => steps[0]);
      const name = choose(privileged.filter((field) => !taken.includes(field)));
      const value = choose(['"ten_*0"', 'null', '["owner"]', '{"prototype":{"isAdmin":true}}', '1']);
      return {
        what: `has a field ${name.slice(0, 20)}`,
        payload: withFirstField(parts.body, name, value),
        expected: [400],
      };
    },
  },
  {
    weight: 1,
    applies: hasBody,
    mutate: (_operation, { body }, choose) => {
      const name = choose([...Object.keys(body as object), 'name']);
      return { what: `has ${name} twice`, payload: withFirstField(body, name, choose(['null', '1', '"first"'])) };
    },
  },
  {
    weight: 2,
    applies: hasBody,
    mutate: ({ body = {} }, _parts, choose) => {
      const root = choose(roots);
      return mutatedBody(body, `the body is ${root}`, root);
    },
  },
  {
    weight: 3,
    applies: takesBody,
    mutate: (_operation, { body = { name: 'a' } }, choose) => {
      const payload = choose(brokenJson)(JSON.stringify(body));
      return { what: 'is broken JSON', payload, headers: json, expected: [400] };
    },
  },
  {
    weight: 2,
    applies: takesBody,
    mutate: ({ pathTemplate }, { body = {} }, choose) => {
      const isOfWidget = pathTemplate.startsWith('/widget/'); // where plain text is read as JSON
      const type = choose(otherTypes.filter((name) => !(isOfWidget && name.startsWith('text/plain'))));
      return {
        what: `says ${type}`,
        payload: JSON.stringify(body),
        headers: { 'content-type': type },
        expected: [415],
      };
    },
  },
  {
    weight: 2,
    applies: hasBody,
    mutate: (_operation, { body }, choose) => {
      const [type, encoding, expected] = choose(oddTypes);
      const headers = { 'content-type': type };
      return { what: `says ${type}`, payload: JSON.stringify(body), encoding, headers, ...(expected && { expected }) };
    },
  },
  {
    weight: 1,
    applies: hasBody,
    mutate: (_operation, _parts, choose) => {
      const headers = choose([json, { ...json, 'content-length': '0' }, { ...json, 'transfer-encoding': 'chunked' }]);
      return { what: 'has no body', payload: '', headers, expected: [400] };
    },
  },
  {
    weight: 1,
    applies: takesBody,
    mutate: (operation) => {
      const payload = `{"name":"${'x'.repeat(maxBodyBytes(operation))}"}`;
      return { what: 'is larger than allowed', payload, headers: json, expected: [413] };
    },
  },
  {
    weight: 1,
    applies: hasBody,
    mutate: (_operation, { body }, choose) => {
      const [length, expected] = choose(falseLengths);
      const headers = { ...json, 'content-length': length };
      return {
        what: `says it is ${length} long`,
        payload: JSON.stringify(body),
        headers,
        ...(expected && { expected }),
      };
    },
  },
  {
    weight: 12,
    applies: ({ acceptsFile }) => acceptsFile,
    mutate: (_operation, _parts, choose) => {
      const [name, payload] = choose(Object.entries(hostileFiles));
      const headers = { 'content-type': choose([...otherTypes, 'application/pdf', 'application/json', 'x', '']) };
      return {
        what: `is ${name}`,
        payload,
        encoding: 'latin1',
        headers,
        ...(payload === '' && { expected: [400, 415] }),
      };
    },
  },
  {
    weight: 6,
    applies: ({ path }) => Object.keys(path.properties ?? {}).length > 0,
    mutate: (operation, parts, choose) => {
      const name = choose(Object.keys(operation.path.properties ?? {}));
      const segment = choose(badSegments);
      const url = walk.urlOf(
        { ...operation, pathTemplate: operation.pathTemplate.replace(`{${name}}`, segment) },
        parts,
      );
      return {
        what: `${name} is ${segment.slice(0, 40)}`,
        url,
        expected: [400, 403, 404, ...(authenticates(operation) ? [401] : [])],
      };
    },
  },
  {
    weight: 4,
    applies: ({ returnsFile }) => !returnsFile, // file routes ignore the query
    mutate: (operation, parts, choose) => {
      const url = walk.urlOf(operation, parts);
      const known = operation.query.properties ?? {};
      const query = choose(unknownQueries.filter((text) => !((text.split('=')[0] ?? '') in known)));
      const what = `asks ${query.slice(0, 40)}`;
      return { what, url: `${url}${url.includes('?') ? '&' : '?'}${query}`, expected: [400] };
    },
  },
  {
    weight: 8,
    applies: ({ query }) => Object.keys(query.properties ?? {}).length > 0,
    mutate: (operation, parts, choose) => {
      const fields = Object.entries(operation.query.properties ?? {});
      const pairs = Array.from({ length: choose([1, 1, 1, 2, 3]) }, () => {
        const [name, schema] = choose(fields);
        const text = choose(choose([hostileTexts, matchingTexts(schema)]));
        return `${name}=${name === 'wait' && Number(text) > 1 ? '-1' : text}`; // long polling would block
      });
      const query = [...pairs, ...choose([[], [], pairs])].join('&');
      return { what: `asks ${query.slice(0, 80)}`, url: `${walk.urlOf(operation, { ...parts, query: {} })}?${query}` };
    },
  },
  {
    weight: 4,
    applies: always,
    mutate: (_operation, _parts, choose) => {
      const [name, value, expected] = choose(oddHeaders);
      return {
        what: `has ${name}: ${String(value).slice(0, 40)}`,
        headers: { [name]: value },
        ...(expected && { expected }),
      };
    },
  },
  {
    weight: 3,
    applies: isIdempotent,
    mutate: (_operation, _parts, choose) => {
      const key = choose(badIdempotencyKeys);
      return {
        what: `has the Idempotency-Key ${key.slice(0, 20)}`,
        headers: { 'idempotency-key': key },
        expected: [400],
      };
    },
  },
  {
    weight: 2,
    applies: isIdempotent,
    mutate: (_operation, _parts, choose) => {
      const key = choose(tokensOf`1 2 3 null __proto__ * '--`);
      return { what: 'has an Idempotency-Key that others have', headers: { 'idempotency-key': key } };
    },
  },
  {
    weight: 1,
    applies: always,
    mutate: (operation, parts, choose) => {
      const declared = operations
        .filter(({ pathTemplate }) => pathTemplate === operation.pathTemplate)
        .map(({ method }) => method);
      // Pages may send preflights to the widget's routes.
      const taken: string[] = isOfWidget(operation) ? [...declared, 'OPTIONS'] : declared;
      const method = choose(
        tokensOf`GET POST PATCH PUT DELETE OPTIONS PROPFIND TRACE`.filter((name) => !taken.some((one) => one === name)),
      );
      return {
        what: `is a ${method}`,
        method,
        url: walk.urlOf(operation, { ...parts, query: {} }),
        expected: [400, 404, 405], // 400 where the path, with that method, ends in an id
      };
    },
  },
];

interface Field {
  steps: (string | number)[];
  schema: Schema;
}

/** Every field of a body, nested ones included. */
function fieldsOf({ properties = {}, anyOf = [], oneOf = [] }: Schema): Field[] {
  const own = Object.entries(properties).flatMap(([name, schema]) => [
    { steps: [name], schema },
    ...(schema.items ? [{ steps: [name, 0], schema: schema.items }] : []),
    ...fieldsOf(schema).map(({ steps, schema }) => ({ steps: [name, ...steps], schema })),
  ]);
  return [...own, ...[...anyOf, ...oneOf].flatMap(fieldsOf)];
}

/** Values that pass the schema, so that later checks must refuse them. All values, if none passes. */
function matching(values: readonly string[], read: (text: string) => unknown) {
  const known = new WeakMap<Schema, readonly string[]>();
  return (schema: Schema): readonly string[] => {
    const found = known.get(schema) ?? values.filter((text) => walk.schemaMismatch(schema, read(text)) === undefined);
    known.set(schema, found);
    return found.length > 0 ? found : values;
  };
}
const matchingValues = matching(hostileValues, (text) => JSON.parse(text) as unknown);
const matchingTexts = matching(hostileTexts, (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
});

const placeholder = 'placeholder-for-raw-json';
const rawBody = (parts: RequestValues, steps: (string | number)[], value: string) =>
  JSON.stringify(walk.withValueAt(parts, { part: 'body', steps }, placeholder).body).replace(
    `"${placeholder}"`,
    () => value,
  );

/** A body with one more field at its start. */
const withFirstField = (body: unknown, name: string, value: string) =>
  JSON.stringify(body)
    .replace('{', () => `{${JSON.stringify(name)}:${value},`)
    .replace(/,\}$/, '}');

/** A body that violates the published schema must be refused; a valid one may be accepted or refused. */
function mutatedBody(schema: Schema, what: string, payload: string): MutatedRequest {
  const isMisfit = walk.schemaMismatch(schema, JSON.parse(fill(payload, nobody))) !== undefined;
  return { what: what.slice(0, 60), payload, ...(isMisfit && { expected: [400] }) };
}

export function mutate(operation: Operation, parts: RequestValues, generate: Generate): Request {
  const choose: Choose = (from) => generate(() => fc.constantFrom(...from));
  const matching = mutations
    .filter(({ applies }) => applies(operation))
    .flatMap((one) => Array<Mutation>(one.weight).fill(one));
  const valid = plain(operation, parts);
  const mutated = choose(matching).mutate(operation, parts, choose);
  const size = Math.max(
    Buffer.byteLength(mutated.payload ?? ''),
    Number(mutated.headers?.['content-length'] ?? 0) || 0,
  );
  const expected = size > maxBodyBytes(operation) ? [...(mutated.expected ?? []), 413] : mutated.expected;
  return { ...valid, ...mutated, headers: { ...valid.headers, ...mutated.headers }, ...(expected && { expected }) };
}
