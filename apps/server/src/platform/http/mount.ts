import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { inTenant, type Caller, type Context, type Ground } from '../context.ts';
import { idOf } from '../ids.contract.ts';
import { addressKey, rateHeaders, type TakeOne } from '../rate-limit.ts';
import { currentVersion } from '../version.ts';
import { ErrorBody } from './answers.ts';
import {
  admitMember,
  admitOperator,
  authenticate,
  chooseVersion,
  member,
  type Authenticator,
  type TenantState,
} from './guard.ts';
import { hashRequest, once, readIdempotencyKey, Replay, type Once } from './idempotency.ts';
import { describe } from './openapi.ts';
import type { Input, OperatorDesk, Route, TenantRoute } from './route.ts';

export interface MountParts {
  ground: Ground;
  takeOne: TakeOne;
  authenticators: readonly Authenticator[];
  tenantState: (tenantId: Caller['tenantId']) => TenantState | Promise<TenantState>;
}

const bodyLimits = { public: 64 * 1024, tenant: 1024 * 1024 };

interface Address {
  url: string;
  operationId: string;
  namesTenant: boolean;
}

/** One declaration, two addresses: the long one names the tenant, the short one takes it from the credential. */
export function addressesOf(route: Route): Address[] {
  const short = { url: route.path, operationId: route.name, namesTenant: false };
  if (route.kind !== 'tenant') return [short];
  const url = `/tenants/:tenantId${route.longPath ?? route.path}`.replace(/\/$/, '');
  return [short, { url, operationId: `${route.name}OfTenant`, namesTenant: true }];
}

export function toFastify(route: Route, { url, operationId, namesTenant }: Address, parts: MountParts): RouteOptions {
  const status = route.status ?? 200;
  const params = namesTenant ? (route.params ?? z.object({})).extend({ tenantId: idOf('tenant') }) : route.params;
  return {
    method: route.method,
    url,
    config: { permission: route.permission },
    bodyLimit: route.kind === 'public' ? bodyLimits.public : bodyLimits.tenant,
    schema: {
      ...describe(route, operationId),
      ...(params && { params }),
      querystring: route.query ?? z.strictObject({}),
      ...(route.body && { body: route.body }),
      response: { [status]: route.answer, '4xx': ErrorBody, '5xx': ErrorBody },
    },
    onRequest: guardOf(route, parts),
    handler: async (request, reply) => {
      const { tenantId: _named, ...named } = (request.params ?? {}) as Record<string, unknown>;
      const input: Input = { params: named, query: request.query, body: request.body };
      reply.code(status);
      try {
        return await answer(route, status, parts.ground, request, input);
      } catch (thrown) {
        if (!(thrown instanceof Replay)) throw thrown;
        const { status: first, body } = thrown.answer;
        return reply
          .code(first)
          .header('idempotency-replayed', 'true')
          .type('application/json; charset=utf-8')
          .send(body);
      }
    },
  };
}

function answer(route: Route, status: number, ground: Ground, request: FastifyRequest, input: Input): unknown {
  switch (route.kind) {
    case 'public':
      return route.handler(input);
    case 'caller':
      return route.handler(callerOf(request), input);
    case 'operator':
      return route.handler(deskOf(request, ground, readRepeat(route, status, request, input)), input);
    case 'tenant':
      return answerTenant(route, ground, request, input, readRepeat(route, status, request, input));
  }
}

function guardOf(route: Route, { authenticators, tenantState, takeOne }: MountParts) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { headers } = request;
    const asked = headers['x-service-version'];
    if (route.kind === 'public') {
      reply.header('x-service-version', chooseVersion(asked, currentVersion));
    } else {
      const namedTenant = (request.params as { tenantId?: string }).tenantId;
      reply.header('cache-control', 'no-store');
      const principal = await authenticate(authenticators, { headers, namedTenant });
      if (route.kind === 'operator') {
        request.operator = admitOperator(route, principal);
        reply.header('x-service-version', chooseVersion(asked, currentVersion));
      } else {
        const found = tenantState(member(principal).caller.tenantId);
        const state = found instanceof Promise ? await found : found;
        reply.header('x-service-version', chooseVersion(asked, state.version));
        request.caller = admitMember(route, principal, state, namedTenant);
      }
    }
    if (route.limit) {
      const key = request.caller?.tenantId ?? request.operator?.actor.id ?? addressKey(request.ip);
      reply.headers(rateHeaders(await takeOne(route.limit, key)));
    }
  };
}

function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('a guarded route was reached without a caller');
  const { id: requestId, traceparent } = request;
  return { ...request.caller, requestId, ...(traceparent && { traceparent }) };
}

/** An operator's work for one tenant. A repeated POST does it once, as on a tenant's own routes. */
function deskOf(request: FastifyRequest, ground: Ground, repeat: Once | undefined): OperatorDesk {
  const { operator, id: requestId, traceparent } = request;
  if (!operator) throw new Error('a guarded route was reached without an operator');
  return {
    ...operator,
    idempotencyKey: repeat?.key,
    inTenant: <T>(tenantId: Caller['tenantId'], work: (ctx: Context) => Promise<T>) => {
      const caller = {
        tenantId,
        actor: operator.actor,
        permissions: new Set<never>(),
        requestId,
        ...(traceparent && { traceparent }),
      };
      return inTenant(ground, caller, (ctx) => (repeat ? once(ctx, repeat, work) : work(ctx)));
    },
  };
}

/** The handler's whole work is one transaction; a GET's cannot write. */
function answerTenant(
  route: TenantRoute,
  ground: Ground,
  request: FastifyRequest,
  input: Input,
  repeat: Once | undefined,
) {
  const work = (ctx: Context) => route.handler(ctx, input);
  const readOnly = route.method === 'GET';
  return inTenant(ground, callerOf(request), (ctx) => (repeat ? once(ctx, repeat, work) : work(ctx)), { readOnly });
}

/** What a POST with an Idempotency-Key needs to be done once. */
function readRepeat(route: Route, status: number, request: FastifyRequest, input: Input): Once | undefined {
  const key = route.method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : undefined;
  if (key === undefined) return undefined;
  const showsSecret = route.kind === 'tenant' && route.showsSecret === true;
  return {
    key,
    requestHash: hashRequest(route.name, input),
    toKeep: (result) => (showsSecret ? null : { status, body: JSON.stringify(route.answer.parse(result)) }),
  };
}
