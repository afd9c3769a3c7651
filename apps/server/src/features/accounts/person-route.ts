import type { z } from 'zod';
import type { RequestInfo, Session } from '../../platform/context.ts';
import { callerRoute, operatorRoute, publicRoute, type PublicRoute, type Route } from '../../platform/http/route.ts';
import type { PoolName } from '../../platform/pool.ts';
import { ownSession } from './sign-in/sessions.ts';

type OwnSession = ReturnType<typeof ownSession>;

interface RouteOptions {
  method: 'GET' | 'POST' | 'DELETE';
  path: `/${string}`;
  name: string;
  summary: string;
  description?: string;
  status?: 200 | 201 | 202;
  stepUp?: boolean;
  limit?: { name: string; points: number; seconds: number };
}
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/**
 * Both pools have the same routes, declared once: customers use the plain path, operators the path under `/admin`.
 */
export function routesOf(pool: PoolName) {
  const withPoolPath = <S extends RouteOptions>(options: S) =>
    pool === 'customer'
      ? { ...options, tag: 'Sign-in' }
      : { ...options, path: `/admin${options.path}` as const, name: `${options.name}AsOperator`, tag: 'Operator' };

  return {
    /** A route that does not require a session. */
    open: <A extends z.ZodType, B extends z.ZodType | undefined = undefined>(
      options: RouteOptions & {
        body?: B;
        response: A;
        cache?: NonNullable<PublicRoute['cache']>;
        handler(body: Parsed<B>, requestInfo: RequestInfo): Promise<z.input<A>> | z.input<A>;
      },
    ): Route =>
      publicRoute({
        ...withPoolPath(options),
        permission: 'public',
        handler: ({ body }, requestInfo) => options.handler(body, requestInfo),
      }),

    /** A route for signed-in people about their own account. */
    own: <
      A extends z.ZodType,
      B extends z.ZodType | undefined = undefined,
      P extends z.ZodObject | undefined = undefined,
    >(
      options: RouteOptions & {
        body?: B;
        params?: P;
        response: A;
        handler(
          session: OwnSession,
          input: { body: Parsed<B>; params: Parsed<P> },
          requestInfo: RequestInfo,
        ): Promise<z.input<A>>;
      },
    ): Route => {
      const route = { ...withPoolPath(options), permission: 'any' as const };
      const handle = (session: Session | undefined, input: unknown, requestInfo: RequestInfo) =>
        options.handler(ownSession(session), input as { body: Parsed<B>; params: Parsed<P> }, requestInfo);
      return pool === 'customer'
        ? callerRoute({
            ...route,
            isPersonal: true,
            handler: ({ session }, input, requestInfo) => handle(session, input, requestInfo),
          })
        : operatorRoute({
            ...route,
            handler: ({ session }, input, requestInfo) => handle(session, input, requestInfo),
          });
    },
  };
}
