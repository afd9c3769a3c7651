import type { z } from 'zod';
import type { From, Session } from '../../platform/context.ts';
import { callerRoute, operatorRoute, publicRoute, type PublicRoute, type Route } from '../../platform/http/route.ts';
import type { PoolName } from '../../platform/pool.ts';
import { ownSession } from './sessions.ts';

type OwnSession = ReturnType<typeof ownSession>;

interface Shape {
  method: 'GET' | 'POST' | 'DELETE';
  path: `/${string}`;
  name: string;
  summary: string;
  description?: string;
  status?: 200 | 201 | 202;
  stepUp?: boolean;
  limit?: { name: string; points: number; seconds: number };
}
type Read<S> = S extends z.ZodType ? z.output<S> : undefined;

/**
 * Both pools have the same routes: the customers' at their path, the operators' under `/admin`. Each is declared once.
 */
export function routesOf(pool: PoolName) {
  const place = <S extends Shape>(shape: S) =>
    pool === 'customer'
      ? { ...shape, tag: 'Sign-in' }
      : { ...shape, path: `/admin${shape.path}` as const, name: `${shape.name}AsOperator`, tag: 'Operator' };

  return {
    /** For somebody who is not signed in. */
    open: <A extends z.ZodType, B extends z.ZodType | undefined = undefined>(
      shape: Shape & {
        body?: B;
        answer: A;
        cache?: NonNullable<PublicRoute['cache']>;
        handler(body: Read<B>, from: From): Promise<z.input<A>> | z.input<A>;
      },
    ): Route =>
      publicRoute({
        ...place(shape),
        permission: 'public',
        handler: ({ body }, from) => shape.handler(body, from),
      }),

    /** For somebody who is signed in, about themselves. */
    own: <
      A extends z.ZodType,
      B extends z.ZodType | undefined = undefined,
      P extends z.ZodObject | undefined = undefined,
    >(
      shape: Shape & {
        body?: B;
        params?: P;
        answer: A;
        handler(session: OwnSession, input: { body: Read<B>; params: Read<P> }, from: From): Promise<z.input<A>>;
      },
    ): Route => {
      const route = { ...place(shape), permission: 'any' as const };
      const handle = (session: Session | undefined, input: unknown, from: From) =>
        shape.handler(ownSession(session), input as { body: Read<B>; params: Read<P> }, from);
      return pool === 'customer'
        ? callerRoute({
            ...route,
            isPersonal: true,
            handler: ({ session }, input, from) => handle(session, input, from),
          })
        : operatorRoute({ ...route, handler: ({ session }, input, from) => handle(session, input, from) });
    },
  };
}
