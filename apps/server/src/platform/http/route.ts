import type { z } from 'zod';
import type { Feature, Permission, PlatformPermission } from '../access.contract.ts';
import type { Caller, Context, Operator } from '../context.ts';
import type { Id } from '../ids.contract.ts';
import type { RatePolicy } from '../rate-limit.ts';

/** One route, declared beside the feature it belongs to. What it needs of its caller is part of the declaration. */
export type Route = TenantRoute | CallerRoute | OperatorRoute | PublicRoute;

interface Common {
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
  answer: z.ZodType;
  limit?: RatePolicy;
}

export interface Input {
  params: unknown;
  query: unknown;
  body: unknown;
}

export interface TenantRoute extends Common {
  kind: 'tenant';
  /** Where the long form is not just the short one with the tenant before it. */
  longPath?: `/${string}`;
  permission: Permission;
  entitlement?: Feature;
  /** The answer is shown once: it is not cached anywhere, and a repeat of the request does not get it again. */
  showsSecret?: boolean;
  handler(ctx: Context, input: Input): Promise<unknown>;
}

/** Needs a credential, but no transaction: answered from what is known of the caller. */
export interface CallerRoute extends Common {
  kind: 'caller';
  permission: 'any';
  handler(caller: Caller, input: Input): unknown;
}

/** For the admin pool. `inTenant` works for one tenant under the operator's name. */
export interface OperatorRoute extends Common {
  kind: 'operator';
  permission: PlatformPermission;
  handler(desk: OperatorDesk, input: Input): Promise<unknown>;
}
export interface OperatorDesk extends Operator {
  /** For what must be the same on a repeat but is made before there is a transaction. */
  idempotencyKey: string | undefined;
  inTenant<T>(tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<T>): Promise<T>;
}

/** For everybody. Says so in as many words. */
export interface PublicRoute extends Common {
  kind: 'public';
  permission: 'public';
  handler(input: Input): unknown;
}

type Read<S> = S extends z.ZodType ? z.output<S> : undefined;
type Typed<R, Who extends unknown[], P, Q, B, A extends z.ZodType> = Omit<
  R,
  'kind' | 'handler' | 'params' | 'query' | 'body' | 'answer'
> & {
  params?: P;
  query?: Q;
  body?: B;
  answer: A;
  handler(...args: [...Who, { params: Read<P>; query: Read<Q>; body: Read<B> }]): Promise<z.input<A>> | z.input<A>;
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
  route: Typed<TenantRoute, [Context], P, Q, B, A>,
): Route => ({ ...route, kind: 'tenant' }) as TenantRoute;

export const callerRoute = <
  A extends z.ZodType,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
>(
  route: Typed<CallerRoute, [Caller], P, Q, B, A>,
): Route => ({ ...route, kind: 'caller' }) as CallerRoute;

export const operatorRoute = <
  A extends z.ZodType,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
>(
  route: Typed<OperatorRoute, [OperatorDesk], P, Q, B, A>,
): Route => ({ ...route, kind: 'operator' }) as OperatorRoute;

export const publicRoute = <
  A extends z.ZodType,
  P extends Params = undefined,
  Q extends Params = undefined,
  B extends Body = undefined,
>(
  route: Typed<PublicRoute, [], P, Q, B, A>,
): Route => ({ ...route, kind: 'public' }) as PublicRoute;
