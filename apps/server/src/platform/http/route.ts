import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Feature, Permission, PlatformPermission } from '../access.contract.ts';
import type { Binding, Caller, Context, RequestInfo, Operator, VisitorSession } from '../context.ts';
import type { Id } from '../ids.contract.ts';
import type { AppError } from '../errors.ts';
import type { RatePolicy } from '../rate-limit.ts';
import type { CachePolicy } from './caching.ts';
import type { ServedFile } from './file.ts';
import type { StreamedResponse } from './stream.ts';
import type { Upload } from './upload.ts';

/** One route, declared in its feature. The declaration includes what the route requires of its caller. */
export type Route =
  | TenantRoute
  | CallerRoute
  | OperatorRoute
  | VisitorRoute
  | PublicRoute
  | SignedRoute
  | FileRoute
  | PageRoute
  | RawRoute;

interface RouteBase {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The short path in Fastify syntax: `/api-keys/:id`. Tenant routes are also mounted below `/tenants/:tenantId`. */
  path: `/${string}`;
  /** Also the operation id in the OpenAPI document, and so the method name in generated clients: a verb and a noun. */
  name: string;
  tag: string;
  summary: string;
  description?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  status?: 200 | 201 | 202;
  response: z.ZodType;
  limit?: RatePolicy;
  /** The response contains a secret: it is not stored for Idempotency-Key, and a repeat returns 409. */
  showsSecret?: boolean;
  /** May return 202 before the work is done: the handler decides with `requestInfo.respondAccepted`. */
  mayRespondAccepted?: boolean;
  /** May return a stream of events. */
  streams?: boolean;
}

export interface Input {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** For dangerous operations: requires a person who authenticated minutes ago, never a key or an impersonating operator. */
interface StepUpOptions {
  /** A function if it depends on the input, such as the roles that are granted. */
  stepUp?: boolean | ((input: Input) => boolean);
}

export interface TenantRoute extends RouteBase, StepUpOptions {
  kind: 'tenant';
  /** Set if the long path is not the short one below `/tenants/:tenantId`. */
  longPath?: `/${string}`;
  permission: Permission;
  /** The server key bindings that this route enforces through row-level security. A key with any other is rejected. */
  bindings: readonly Binding[];
  entitlement?: Feature;
  /** Accepts a file of up to this size instead of JSON. */
  upload?: { maxBytes: number };
  /**
   * The handler opens its own transactions: because it makes network calls in between, which a transaction must not contain,
   * or because each object is changed in a separate one.
   */
  withoutTransaction?: boolean;
  handler(ctx: Context, input: Input, requestInfo: RequestInfo): Promise<unknown>;
}
/** A caller of a tenant, without a transaction. */
export interface CallerContext extends Caller {
  inTenant<T>(work: (ctx: Context) => Promise<T>): Promise<T>;
}

/** Needs a credential but no transaction: the response depends on the caller only. */
export interface CallerRoute extends RouteBase, StepUpOptions {
  kind: 'caller';
  permission: Permission | 'any';
  /** Concerns the person, not the tenant: allowed even if an access policy of the tenant rejects them. */
  isPersonal?: boolean;
  handler(caller: Caller, input: Input, requestInfo: RequestInfo): unknown;
}

/** For the admin pool. `inTenant` acts in one tenant as the operator. */
export interface OperatorRoute extends RouteBase, StepUpOptions {
  kind: 'operator';
  permission: PlatformPermission | 'any';
  handler(operator: OperatorContext, input: Input, requestInfo: RequestInfo): Promise<unknown>;
}
export interface OperatorContext extends Operator {
  /** For values that must be the same on a repeat but are created before the transaction. */
  idempotencyKey: string | undefined;
  inTenant<T>(tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<T>): Promise<T>;
}

/** For widget visitors, authenticated by their session token. */
export interface VisitorRoute extends RouteBase {
  kind: 'visitor';
  permission: 'session';
  handler(session: VisitorSession, input: Input, requestInfo: RequestInfo): Promise<unknown>;
}

/** Needs no credential. Declared explicitly. */
export interface PublicRoute extends RouteBase {
  kind: 'public';
  permission: 'public';
  /** The response is the same for all callers and may be cached by browsers and CDNs. */
  cache?: CachePolicy;
  handler(input: Input, requestInfo: RequestInfo): unknown;
}

/** Authenticated by a signature over the raw body, which the handler verifies before parsing. */
export interface SignedRoute extends RouteBase {
  kind: 'signed';
  permission: 'public';
  handler(call: SignedCall, requestInfo: RequestInfo): Promise<unknown>;
}
export interface SignedCall {
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** A static file served from memory. Errors are JSON, as on other routes. */
export interface FileRoute extends RouteBase {
  kind: 'file';
  permission: 'public';
  handler(input: Input): ServedFile;
}

/** An HTML page with forms. */
export interface PageRoute extends RouteBase {
  kind: 'page';
  permission: 'public';
  handler(pageRequest: PageRequest, input: Input): Promise<PageResponse>;
  /** Renders errors that occur before the handler. */
  showError(error: AppError, pageRequest: PageRequest): PageResponse;
}

/** Handled by a library that implements HTTP itself, such as the OIDC endpoints. It gets the raw request. */
export interface RawRoute extends RouteBase {
  kind: 'raw';
  permission: 'public';
  handler(pageRequest: PageRequest): Promise<void>;
}

export interface PageRequest extends RequestInfo {
  request: IncomingMessage;
  response: ServerResponse;
}

export interface PageResponse {
  status?: number;
  html?: string;
  /** Redirects with 303. */
  location?: string;
  headers?: Record<string, string>;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type TypedRoute<R, Args extends unknown[], P, Q, B, A extends z.ZodType> = Omit<
  R,
  'kind' | 'handler' | 'params' | 'query' | 'body' | 'response' | 'stepUp'
> & {
  stepUp?: boolean | ((input: { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }) => boolean);
  params?: P;
  query?: Q;
  body?: B;
  response: A;
  handler(
    ...args: [...Args, { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }, RequestInfo]
  ): Promise<z.input<A> | StreamedResponse> | z.input<A>;
};

type Params = z.ZodObject | undefined;
type Body = z.ZodType | undefined;

// The schemas type the handler's input and output. Inside the server, all routes have the same type.

export const tenantRoute = <
  A extends z.ZodType,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
>(
  route: TypedRoute<TenantRoute, [Context], P, Q, B, A>,
): Route => ({ ...route, kind: 'tenant' }) as TenantRoute;

export const routeWithoutTransaction = <
  A extends z.ZodType,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
>(
  route: Omit<TypedRoute<TenantRoute, [CallerContext], P, Q, B, A>, 'withoutTransaction'>,
): Route => ({ ...route, kind: 'tenant', withoutTransaction: true }) as unknown as TenantRoute;

export const signedRoute = (route: Omit<SignedRoute, 'kind'>): Route => ({ ...route, kind: 'signed' });

/** The handler gets the bytes and their declared media type as the body. */
export const uploadRoute = <A extends z.ZodType, P extends Params = undefined, Q extends Params = undefined>(
  route: Omit<TypedRoute<TenantRoute, [Context], P, Q, undefined, A>, 'body' | 'handler' | 'upload'> & {
    upload: { maxBytes: number };
    handler(ctx: Context, input: { params: Parsed<P>; query: Parsed<Q>; body: Upload }): Promise<z.input<A>>;
  },
): Route => ({ ...route, kind: 'tenant' }) as TenantRoute;

export const callerRoute = <
  A extends z.ZodType,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
>(
  route: TypedRoute<CallerRoute, [Caller], P, Q, B, A>,
): Route => ({ ...route, kind: 'caller' }) as CallerRoute;

export const operatorRoute = <
  A extends z.ZodType,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
>(
  route: TypedRoute<OperatorRoute, [OperatorContext], P, Q, B, A>,
): Route => ({ ...route, kind: 'operator' }) as OperatorRoute;

export const visitorRoute = <
  A extends z.ZodType,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
>(
  route: Omit<TypedRoute<VisitorRoute, [VisitorSession], P, Q, B, A>, 'permission'>,
): Route => ({ ...route, kind: 'visitor', permission: 'session' }) as VisitorRoute;

export const publicRoute = <
  A extends z.ZodType,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
>(
  route: TypedRoute<PublicRoute, [], P, Q, B, A>,
): Route => ({ ...route, kind: 'public' }) as PublicRoute;

export const fileRoute = <P extends Params = undefined>(
  route: Omit<FileRoute, 'kind' | 'handler' | 'response' | 'permission' | 'params' | 'query' | 'body'> & {
    params?: P;
    handler(input: { params: Parsed<P> }): ServedFile;
  },
): Route => ({ ...route, kind: 'file', permission: 'public', response: z.any() }) as FileRoute;

type PageHandler<P, Q, B> = (
  pageRequest: PageRequest,
  input: { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> },
) => Promise<PageResponse>;

export const pageRoute = <P extends Params = undefined, Q extends Params = undefined, B extends Body = undefined>(
  route: Omit<PageRoute, 'kind' | 'handler' | 'response' | 'permission' | 'params' | 'query' | 'body'> & {
    params?: P;
    query?: Q;
    body?: B;
    handler: PageHandler<P, Q, B>;
  },
): Route => ({ ...route, kind: 'page', permission: 'public', response: Html }) as PageRoute;

export const rawRoute = (route: Omit<RawRoute, 'kind' | 'permission'>): Route => ({
  ...route,
  kind: 'raw',
  permission: 'public',
});

const Html = z.string().describe('An HTML page.');
