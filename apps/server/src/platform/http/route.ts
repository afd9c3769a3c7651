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

/** One route, declared beside the feature it belongs to. What it needs of its caller is part of the declaration. */
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
  /** The short form, Fastify style: `/api-keys/:id`. Routes of a tenant also get `/tenants/:tenantId` before it. */
  path: `/${string}`;
  /** Also the operation's name in the OpenAPI document, and so in every generated client: a verb and a noun. */
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
  /** The answer is shown once: it is not cached anywhere, and a repeat of the request does not get it again. */
  showsSecret?: boolean;
  /** May answer before it is done, with 202: the handler says when (`requestInfo.respondAccepted`). */
  mayRespondAccepted?: boolean;
  /** May answer with events as they come. */
  streams?: boolean;
}

export interface Input {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Dangerous: wants a person who proved within minutes who they are, and never a key or an operator in their place. */
interface StepUpOptions {
  /** A function where it depends on what is asked for, such as the roles that are given. */
  stepUp?: boolean | ((input: Input) => boolean);
}

export interface TenantRoute extends RouteBase, StepUpOptions {
  kind: 'tenant';
  /** Where the long form is not just the short one with the tenant before it. */
  longPath?: `/${string}`;
  permission: Permission;
  /** The bindings of a server key that this route is held to, by row-level security. A key with any other is refused. */
  bindings: readonly Binding[];
  entitlement?: Feature;
  /** Takes a file as it is, up to this size, in place of JSON. */
  upload?: { maxBytes: number };
  /** Opens its transactions by itself, since it calls others in between: nothing waits for a network inside one. */
  withoutTransaction?: boolean;
  handler(ctx: Context, input: Input, requestInfo: RequestInfo): Promise<unknown>;
}
/** Somebody of a tenant, outside of any transaction. */
export interface CallerContext extends Caller {
  inTenant<T>(work: (ctx: Context) => Promise<T>): Promise<T>;
}

/** Needs a credential, but no transaction: answered from what is known of the caller. */
export interface CallerRoute extends RouteBase, StepUpOptions {
  kind: 'caller';
  permission: Permission | 'any';
  /** About the person, not the tenant: theirs also while a policy of the tenant refuses them everything else. */
  isPersonal?: boolean;
  handler(caller: Caller, input: Input, requestInfo: RequestInfo): unknown;
}

/** For the admin pool. `inTenant` works for one tenant under the operator's name. */
export interface OperatorRoute extends RouteBase, StepUpOptions {
  kind: 'operator';
  permission: PlatformPermission | 'any';
  handler(operator: OperatorContext, input: Input, requestInfo: RequestInfo): Promise<unknown>;
}
export interface OperatorContext extends Operator {
  /** For what must be the same on a repeat but is made before there is a transaction. */
  idempotencyKey: string | undefined;
  inTenant<T>(tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<T>): Promise<T>;
}

/** For somebody at a page, whose session token comes as the bearer. */
export interface VisitorRoute extends RouteBase {
  kind: 'visitor';
  permission: 'session';
  handler(session: VisitorSession, input: Input, requestInfo: RequestInfo): Promise<unknown>;
}

/** For everybody. Says so in as many words. */
export interface PublicRoute extends RouteBase {
  kind: 'public';
  permission: 'public';
  /** The answer is the same for everybody who asks alike, and may be kept by whoever is between. */
  cache?: CachePolicy;
  handler(input: Input, requestInfo: RequestInfo): unknown;
}

/** For whoever signed the bytes: the handler checks that before it reads them. */
export interface SignedRoute extends RouteBase {
  kind: 'signed';
  permission: 'public';
  handler(call: SignedCall, requestInfo: RequestInfo): Promise<unknown>;
}
export interface SignedCall {
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** A file of ours, out of memory. What is refused is refused as everywhere. */
export interface FileRoute extends RouteBase {
  kind: 'file';
  permission: 'public';
  handler(input: Input): ServedFile;
}

/** A page for a person: HTML out, a form in. */
export interface PageRoute extends RouteBase {
  kind: 'page';
  permission: 'public';
  handler(pageRequest: PageRequest, input: Input): Promise<PageResponse>;
  /** What was refused before the page was reached, as a page. */
  showError(error: AppError, pageRequest: PageRequest): PageResponse;
}

/** Answered by a library that speaks HTTP itself, such as OIDC's endpoints: it gets the request unread. */
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
  /** Sends the browser on, with 303. */
  location?: string;
  headers?: Record<string, string>;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type TypedRoute<R, Who extends unknown[], P, Q, B, A extends z.ZodType> = Omit<
  R,
  'kind' | 'handler' | 'params' | 'query' | 'body' | 'response' | 'stepUp'
> & {
  stepUp?: boolean | ((input: { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }) => boolean);
  params?: P;
  query?: Q;
  body?: B;
  response: A;
  handler(
    ...args: [...Who, { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }, RequestInfo]
  ): Promise<z.input<A> | StreamedResponse> | z.input<A>;
};

type Params = z.ZodObject | undefined;
type Body = z.ZodType | undefined;

// What a handler gets and gives is typed by its contracts; inside the server every route then looks alike.

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

/** The handler gets the bytes, and what their sender says they are, as the body. */
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
