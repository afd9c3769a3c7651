// The portals' side of the generated client (docs/adr/0044-one-client.md). It imports the SDK's source, so that the SDK has no
// entry point that only the portals need.
import { contentOf, exchange, urlOf, type OperationInput } from '../../../sdk/src/request.ts';
import type { Routes, Schemas } from './generated/routes.ts';

export type { Routes, Schemas };

/** What every refusal looks like. */
export interface ServiceError {
  code: string;
  reason: string;
  message: string;
  requestId?: string;
  details?: { path: string; message: string }[];
}

/** `data` if the status is 2xx, `error` otherwise. */
export interface ServiceResponse<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Path = keyof Routes;
type PathWith<M extends Method> = { [P in Path]: M extends keyof Routes[P] ? P : never }[Path];
/** For each path, because both pools have the same routes under different paths. */
type Route<P extends Path, M extends Method> = P extends Path
  ? M extends keyof Routes[P]
    ? Routes[P][M]
    : never
  : never;
type Part<R, Name extends string> = R extends Record<Name, infer Found> ? Found : never;

type Params<Input> = Pick<Input, keyof Input & ('path' | 'query')>;
type Init<Input> = (object extends Params<Input> ? { params?: Params<Input> } : { params: Params<Input> }) &
  Pick<Input, keyof Input & 'body'> &
  Extras;
type Arguments<Input> = object extends Init<Input> ? [init?: Init<Input>] : [init: Init<Input>];

/** A method for each HTTP method, which takes the paths that have it. */
export type Service = {
  [M in Method]: <P extends PathWith<M>>(
    path: P,
    ...init: Arguments<Part<Route<P, M>, 'input'>>
  ) => Promise<ServiceResponse<Part<Route<P, M>, 'response'>>>;
};

interface Extras {
  /** For a form that could be submitted twice. */
  idempotencyKey?: string;
}

/** The methods of a path, from the OpenAPI document. */
export type MethodsOf<P extends Path> = keyof Routes[P];

interface Options {
  baseUrl: string;
  headers?: Record<string, string>;
  fetch?: (request: Request) => Promise<Response>;
}
interface SentInit extends Extras {
  params?: Omit<OperationInput, 'body'>;
  body?: unknown;
}

/** A client that reports errors as values: the same on the portal's server and in its pages. It never retries. */
export function createService({ baseUrl, headers = {}, fetch: send }: Options): Service {
  const sendInit = send && ((url: string, init: RequestInit) => send(new Request(url, init)));
  const call =
    (method: Method) =>
    async (path: string, { params = {}, body, idempotencyKey }: SentInit = {}): Promise<ServiceResponse<unknown>> => {
      const route = routeOf(path, params);
      if (route === undefined) return notFound();
      const request = {
        method,
        url: baseUrl + route,
        headers: { ...headers, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
        content: contentOf(body),
      };
      const { response, body: json } = await exchange(request, sendInit);
      return response.ok ? { data: json, response } : { error: json, response };
    };
  return {
    GET: call('GET'),
    POST: call('POST'),
    PUT: call('PUT'),
    PATCH: call('PATCH'),
    DELETE: call('DELETE'),
  } as Service;
}

/** undefined if a parameter can't be an ID, such as `..`. They come from the URL of a page, so anyone can write one. */
function routeOf(path: string, params: OperationInput): string | undefined {
  try {
    return urlOf(path, params);
  } catch {
    return undefined;
  }
}

function notFound(): ServiceResponse<never> {
  const error: ServiceError = {
    code: 'NOT_FOUND',
    reason: 'route_not_found',
    message: 'Nothing was found at this URL.',
  };
  return { error: { error }, response: new Response(null, { status: 404 }) };
}
