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
import { hashRequest, keepAnswer, readIdempotencyKey, takeIdempotencyKey, type KeptAnswer } from './idempotency.ts';
import { describe } from './openapi.ts';
import type { OperatorDesk, Route, TenantRoute } from './route.ts';

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
      const input = { params: named, query: request.query, body: request.body };
      reply.code(status);
      switch (route.kind) {
        case 'public':
          return route.handler(input);
        case 'caller':
          return route.handler(callerOf(request), input);
        case 'operator':
          return route.handler(deskOf(request, parts.ground), input);
        case 'tenant':
          return answerTenant(route, status, parts.ground, request, reply, input);
      }
    },
  };
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

function deskOf(request: FastifyRequest, ground: Ground): OperatorDesk {
  const { operator, id: requestId } = request;
  if (!operator) throw new Error('a guarded route was reached without an operator');
  return {
    ...operator,
    inTenant: <T>(tenantId: Caller['tenantId'], work: (ctx: Context) => Promise<T>) =>
      inTenant(ground, { tenantId, actor: operator.actor, permissions: new Set(), requestId }, work),
  };
}

/** The handler's whole work is one transaction; a POST that carries a key keeps its answer in the same one. */
async function answerTenant(
  route: TenantRoute,
  status: number,
  ground: Ground,
  request: FastifyRequest,
  reply: FastifyReply,
  input: { params: unknown; query: unknown; body: unknown },
) {
  const caller = callerOf(request);
  const key = route.method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : undefined;
  if (key === undefined)
    return inTenant(ground, caller, (ctx) => route.handler(ctx, input), { readOnly: route.method === 'GET' });

  const { isReplay, answer } = await inTenant(
    ground,
    caller,
    async (ctx): Promise<{ isReplay: boolean; answer: unknown }> => {
      const first = await takeIdempotencyKey(ctx, key, hashRequest(route.name, input));
      if (first) return { isReplay: true, answer: first };
      const result = await route.handler(ctx, input);
      if (!route.showsSecret) await keepAnswer(ctx, key, { status, body: JSON.stringify(route.answer.parse(result)) });
      return { isReplay: false, answer: result };
    },
  );
  if (!isReplay) return answer;
  const kept = answer as KeptAnswer;
  return reply
    .code(kept.status)
    .header('idempotency-replayed', 'true')
    .type('application/json; charset=utf-8')
    .send(kept.body);
}
