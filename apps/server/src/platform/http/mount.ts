import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { inTenant, type Caller, type Context, type RequestInfo, type Services } from '../context.ts';
import { invalid } from '../errors.ts';
import { idOf } from '../ids.contract.ts';
import { ErrorBody, recordError } from './error-responses.ts';
import { withSpan } from '../spans.ts';
import { addCacheHeaders } from './caching.ts';
import { FileBytes, sendFile } from './file.ts';
import { assertStepUpFor, guardOf, recheckAccess, type GuardDeps } from './guard.ts';
import { hashRequest, runOnce, readIdempotencyKey, Replay, type IdempotencyOptions } from './idempotency.ts';
import { describe } from './openapi.ts';
import { toRawFastify } from './raw.ts';
import { assertNoBody, assertNoQuery, assertReadable } from './readable.ts';
import type { CallerContext, Input, OperatorContext, Route, TenantRoute } from './route.ts';
import { isStreamedResponse, type StreamedResponse, type Streams } from './stream.ts';
import { assertBytes, UploadBody, uploadType } from './upload.ts';
import { requestInfoOf, sendPage, pageRequestOf } from './request-info.ts';
import { idsOf, logOf } from './request-log.ts';

export interface MountDeps extends GuardDeps {
  services: Services;
  streams: Streams;
}

const bodyLimits = { public: 64 * 1024, tenant: 1024 * 1024 };

interface RoutePath {
  url: string;
  operationId: string;
  namesTenant: boolean;
}

/** Every tenant route has two paths: the long one names the tenant, the short one takes it from the credential. */
export function pathsOf(route: Route): RoutePath[] {
  const short = { url: route.path, operationId: route.name, namesTenant: false };
  if (route.kind !== 'tenant') return [short];
  const url = `/tenants/:tenantId${route.longPath ?? route.path}`.replace(/\/$/, '');
  return [short, { url, operationId: `${route.name}OfTenant`, namesTenant: true }];
}

export function toFastify(route: Route, { url, operationId, namesTenant }: RoutePath, deps: MountDeps): RouteOptions {
  if (route.kind === 'raw') return toRawFastify(route, operationId, deps);
  const status = route.status ?? 200;
  const errorSchema = route.kind === 'page' ? route.response : ErrorBody; // pages show errors as HTML
  const upload = route.kind === 'tenant' ? route.upload : undefined;
  const cache = route.kind === 'public' ? route.cache : undefined;
  const params = namesTenant ? (route.params ?? z.object({})).extend({ tenantId: idOf('tenant') }) : route.params;
  return {
    method: route.method,
    url,
    config: { permission: route.permission, operation: route.name },
    bodyLimit:
      (route.permission === 'public' && route.kind !== 'signed') || route.kind === 'visitor'
        ? bodyLimits.public
        : (upload?.maxBytes ?? bodyLimits.tenant),
    schema: {
      ...describe(route, operationId),
      ...(params && { params }),
      ...(route.query && { querystring: route.query }),
      ...(route.body && { body: route.body }),
      ...(upload && { body: UploadBody, consumes: [uploadType] }),
      ...(route.kind === 'page' && { produces: ['text/html'], consumes: ['application/x-www-form-urlencoded'] }),
      response: {
        [status]: responseSchemaOf(route),
        ...((cache || route.kind === 'file') && { 304: notModified }),
        ...(route.mayRespondAccepted && { 202: route.response }),
        '4xx': errorSchema,
        '5xx': errorSchema,
      },
    },
    onRequest: guardOf(route, deps),
    ...(route.kind === 'signed' && { validatorCompiler: () => () => true }), // the handler parses the body after it verified the signature
    ...(route.kind === 'page' && {
      errorHandler: (error, request, reply) => {
        const appError = recordError(error, request, reply);
        void sendPage(reply, { status: appError.status, ...route.showError(appError, pageRequestOf(request, reply)) });
      },
    }),
    ...(cache && { onSend: addCacheHeaders(cache) }),
    preValidation: (request, _reply, done) => {
      if (route.query) assertReadable(request.query);
      else if (route.kind !== 'file') assertNoQuery(request.query as object); // site builders add `?ver=6.4` to script URLs
      if (upload) assertBytes(request.body);
      else if (route.kind === 'signed') return done();
      else if (route.body) assertReadable(request.body);
      else assertNoBody(request.body);
      done();
    },
    handler: (request, reply) => {
      const input: Input = {
        params: namesTenant ? withoutTenant(request.params) : request.params,
        query: request.query,
        body: request.body,
      };
      reply.code(status);
      assertStepUpFor(route, input, request.caller?.session ?? request.operator?.session);
      if (route.kind === 'page')
        return route.handler(pageRequestOf(request, reply), input).then((page) => sendPage(reply, page));
      if (route.kind === 'file') return sendFile(route.handler(input), request, reply);
      const result = withSpan(request.span, () => callHandler(route, status, deps, request, reply, input));
      if (!(result instanceof Promise)) return result;
      return result.then(
        (value: unknown) => (route.streams && isStreamedResponse(value) ? stream(value, request, reply, deps) : value),
        (thrown: unknown) => sendReplay(thrown, reply),
      );
    },
  };
}

function stream(response: StreamedResponse, request: FastifyRequest, reply: FastifyReply, { streams }: MountDeps) {
  request.streamedAfterMs = reply.elapsedTime;
  const kind = request.routeOptions.config.operation ?? 'unknown';
  streams.start(kind, reply, response, (error) =>
    logOf(request).warn({ ...idsOf(request), err: error }, 'stream aborted'),
  );
  return reply;
}

/** The response schema in the OpenAPI document. */
function responseSchemaOf(route: Route) {
  if (route.kind === 'file') return FileBytes;
  return route.streams ? orEventStream(route.response) : route.response;
}
const notModified = z.null().describe('Not modified, according to `If-None-Match`.');

/** The route returns a single value or a stream of events. */
const orEventStream = (response: z.ZodType) => ({
  description: 'A single response, or a stream of events (`Accept: text/event-stream`).',
  content: { 'application/json': { schema: response }, 'text/event-stream': { schema: z.string() } },
});

/** Handlers and request hashes get the same input from both paths. */
function withoutTenant(params: unknown): unknown {
  const { tenantId: _named, ...others } = params as Record<string, unknown>;
  return others;
}

/** Sends a stored response again, and rethrows everything else. */
function sendReplay(thrown: unknown, reply: FastifyReply) {
  if (!(thrown instanceof Replay)) throw thrown;
  const { status, body } = thrown.response;
  return reply.code(status).header('idempotency-replayed', 'true').type('application/json; charset=utf-8').send(body);
}

type HandledRoute = Exclude<Route, { kind: 'page' | 'raw' | 'file' }>;
function callHandler(
  route: HandledRoute,
  status: number,
  deps: MountDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  input: Input,
): unknown {
  const { services } = deps;
  switch (route.kind) {
    case 'public':
      return route.handler(input, requestInfoOf(request, reply));
    case 'signed':
      return route.handler({ headers: request.headers, bytes: bytesOf(request.body) }, requestInfoOf(request, reply));
    case 'visitor':
      return route.handler(assertPresent(request.visitor), input, requestInfoOf(request, reply));
    case 'caller':
      return route.handler(callerOf(request), input, requestInfoOf(request, reply));
    case 'operator':
      return route.handler(
        operatorContextOf(request, services, readIdempotency(route, status, request, input)),
        input,
        requestInfoOf(request, reply),
      );
    case 'tenant':
      return callTenantHandler(route, deps, request, reply, input, readIdempotency(route, status, request, input));
  }
}

const bytesOf = (body: unknown) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

function assertPresent<T>(caller: T | null): T {
  if (!caller) throw new Error('a guarded route was reached without a caller');
  return caller;
}

function callerOf({ caller, id: requestId, traceparent }: FastifyRequest): Caller {
  return { ...assertPresent(caller), requestId, ...(traceparent && { traceparent }) };
}

/** Lets an operator work in one tenant. A repeated POST runs once, as on tenant routes. */
function operatorContextOf(
  request: FastifyRequest,
  services: Services,
  idempotency: IdempotencyOptions | undefined,
): OperatorContext {
  const { id: requestId, traceparent } = request;
  const operator = assertPresent(request.operator);
  return {
    ...operator,
    idempotencyKey: idempotency?.key,
    inTenant: <T>(tenantId: Caller['tenantId'], work: (ctx: Context) => Promise<T>) => {
      const caller = {
        tenantId,
        actor: operator.actor,
        permissions: new Set<never>(),
        requestId,
        ...(traceparent && { traceparent }),
      };
      return inTenant(services, caller, (ctx) => (idempotency ? runOnce(ctx, idempotency, work) : work(ctx)));
    },
  };
}

/** Runs the handler in one transaction, which is read-only for GET. */
function callTenantHandler(
  route: TenantRoute,
  deps: MountDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  input: Input,
  idempotency: IdempotencyOptions | undefined,
) {
  const { services } = deps;
  if (route.withoutTransaction) {
    const caller = callerOf(request);
    const context: CallerContext = { ...caller, inTenant: (work) => inTenant(services, caller, work) };
    return (route.handler as unknown as (context: CallerContext, input: Input) => Promise<unknown>)(context, input);
  }
  const requestInfo: RequestInfo = requestInfoOf(request, reply);
  if (route.streams) requestInfo.recheckAccess = () => recheckAccess(route, request, deps);
  const work = (ctx: Context) => route.handler(ctx, input, requestInfo);
  const readOnly = route.method === 'GET';
  return inTenant(services, callerOf(request), (ctx) => (idempotency ? runOnce(ctx, idempotency, work) : work(ctx)), {
    readOnly,
  });
}

/** The options of a POST with an Idempotency-Key. */
function readIdempotency(
  route: Route,
  status: number,
  request: FastifyRequest,
  input: Input,
): IdempotencyOptions | undefined {
  const key = route.method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : undefined;
  if (key === undefined) return undefined;
  // Its network calls cannot be committed together with the key. Ignoring the header would promise what we cannot keep.
  if (route.kind === 'tenant' && route.withoutTransaction)
    throw invalid('idempotency_not_supported', [
      { path: '/headers/idempotency-key', message: 'This operation is carried out on every request. Leave it out.' },
    ]);
  const { showsSecret = false } = route;
  return {
    key,
    requestHash: hashRequest(route.name, input),
    toStoredResponse: (result) => (showsSecret ? null : { status, body: JSON.stringify(route.response.parse(result)) }),
  };
}
