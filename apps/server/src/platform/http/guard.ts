import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Feature } from '../access.contract.ts';
import type { Caller, From, Operator, Session, VisitorSession } from '../context.ts';
import { AppError, forbidden, invalid, unauthorized } from '../errors.ts';
import { addressKey, rateHeaders, type RatePolicy, type TakeOne } from '../rate-limit.ts';
import { currentVersion, isVersion, type Version } from '../version.ts';
import type { Route } from './route.ts';
import { fromOf } from './visit.ts';

/** Who a credential says is calling: someone for a tenant, or someone of the platform. Never both. */
export type Principal = Member | { kind: 'operator'; operator: Operator };
interface Member {
  kind: 'member';
  caller: Caller;
  /** Without this in the plan the credential itself opens nothing. */
  entitlement?: Feature;
}

export interface Credential {
  headers: IncomingHttpHeaders;
  /** The tenant named in the address. Only somebody of several tenants is helped by it; it grants nothing. */
  namedTenant: string | undefined;
}

/** Says who is calling; null when the request carries no credential of its kind. Throws when it does and it is no good. */
export type Authenticator = (credential: Credential) => Promise<Principal> | Principal | null;

/** What every request asks about its tenant. Known for seconds, so a change acts on every node within five. */
export interface TenantState {
  status: 'active' | 'suspended' | 'deleted';
  version: Version;
  features: ReadonlySet<Feature>;
}

function authenticate(
  authenticators: readonly Authenticator[],
  credential: Credential,
): Principal | Promise<Principal> {
  for (const recognise of authenticators) {
    const principal = recognise(credential);
    if (principal) return principal;
  }
  throw unauthorized('credential_missing', 'Send an access token or a server key: Authorization: Bearer …');
}

/** May this member use this route, and does their tenant have it? In this order: tenant, permission, plan. */
function admitMember(route: Route, principal: Principal, state: TenantState, namedTenant: string | undefined): Caller {
  const { caller, entitlement } = member(principal);
  if (namedTenant !== undefined && namedTenant !== caller.tenantId) {
    throw forbidden('tenant_mismatch', 'Your credential belongs to another tenant than the one in the address.');
  }
  if (state.status === 'suspended')
    throw forbidden('tenant_suspended', 'This tenant is suspended. Ask the operator of this service.');
  if (state.status === 'deleted')
    throw forbidden(
      'tenant_deleted',
      'This tenant was deleted. The operator of this service can restore it for 30 days.',
    );
  if (entitlement && !state.features.has(entitlement)) throw notEntitled(entitlement);
  if (route.kind === 'tenant') {
    if (!caller.permissions.has(route.permission)) {
      throw forbidden(
        'permission_missing',
        `This needs the permission '${route.permission}'. Ask an owner or admin of your tenant.`,
      );
    }
    if (route.entitlement && !state.features.has(route.entitlement)) throw notEntitled(route.entitlement);
  }
  if (isDangerous(route)) assertFresh(caller.session);
  return caller;
}

const notEntitled = (feature: Feature) =>
  new AppError('FEATURE_NOT_ENTITLED', 'entitlement_missing', `Your plan does not include '${feature}'.`);

function member(principal: Principal): Member {
  if (principal.kind === 'member') return principal;
  throw unauthorized('wrong_pool', "An operator's token does not open a tenant's routes.");
}

function admitOperator(route: Route, principal: Principal): Operator {
  if (principal.kind !== 'operator')
    throw unauthorized('wrong_pool', "This needs an operator's token of the admin pool.");
  const { operator } = principal;
  if (route.kind === 'operator' && route.permission !== 'any' && !operator.permissions.has(route.permission)) {
    throw forbidden('permission_missing', `This needs the permission '${route.permission}'.`);
  }
  if (isDangerous(route)) assertFresh(operator.session);
  return operator;
}

const isDangerous = (route: Route) => 'stepUp' in route && route.stepUp;
const freshMs = 5 * 60_000;

/** A stolen token is not enough for what is dangerous. */
function assertFresh(session: Session | undefined): void {
  const provedAt = session?.operatorId === undefined ? session?.authenticatedAt : null;
  if (provedAt && Date.now() - provedAt.getTime() < freshMs) return;
  throw forbidden(
    'step_up_required',
    'Prove again that it is you, with POST /auth/step-up (operators: /admin/auth/step-up) or a new sign-in. It counts for five minutes.',
  );
}

/** The header overrides what the tenant is pinned to. */
function chooseVersion(header: string | string[] | undefined, pinned: Version): Version {
  if (header === undefined) return pinned;
  if (typeof header === 'string' && isVersion(header)) return header;
  throw invalid('unknown_version', [{ path: '/headers/x-service-version', message: 'There is no such version.' }]);
}

export interface GuardParts {
  takeOne: TakeOne;
  authenticators: readonly Authenticator[];
  tenantState: (tenantId: Caller['tenantId']) => TenantState | Promise<TenantState>;
  /** Whose session this token is. Throws when it is no good, or no longer. */
  visitorOf: (sessionToken: string, from: From) => Promise<VisitorSession>;
}

function bearerOf(authorization: string | undefined): string {
  if (authorization?.startsWith('Bearer ')) return authorization.slice('Bearer '.length);
  throw unauthorized('session_missing', 'Send the session token: Authorization: Bearer …');
}

/** Waits only where there is something to wait for: a request that meets warm caches passes in one go. */
const after = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value);

/** What a request passes before its body is read: who, may they, which version, too often. */
export function guardOf(route: Route, { authenticators, tenantState, takeOne, visitorOf }: GuardParts) {
  const admit = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
    const { headers } = request;
    const asked = headers['x-service-version'];
    if (asked !== undefined) reply.header('x-service-version', chooseVersion(asked, currentVersion));
    if (route.permission === 'public') return;
    reply.header('cache-control', 'no-store');
    if (route.kind === 'visitor')
      return visitorOf(bearerOf(headers.authorization), fromOf(request, reply)).then((session) => {
        request.visitor = session;
      });
    const namedTenant = (request.params as { tenantId?: string }).tenantId;
    return after(authenticate(authenticators, { headers, namedTenant }), (principal) => {
      if (route.kind === 'operator') {
        request.operator = admitOperator(route, principal);
        return;
      }
      const { tenantId, actor } = member(principal).caller;
      request.knownTenant = { tenantId, actor };
      return after(tenantState(tenantId), (state) => {
        const version = chooseVersion(asked, state.version);
        if (version !== currentVersion) reply.header('x-service-version', version);
        request.caller = admitMember(route, principal, state, namedTenant);
      });
    });
  };

  const limit = async (request: FastifyRequest, reply: FastifyReply, policy: RatePolicy) => {
    const key =
      request.caller?.tenantId ?? request.operator?.actor.id ?? request.visitor?.visitorId ?? addressKey(request.ip);
    const tenantId = request.caller?.tenantId ?? request.visitor?.tenantId;
    reply.headers(rateHeaders(await takeOne(policy, key, tenantId)));
  };

  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    try {
      const { limit: policy } = route;
      const passed = after(admit(request, reply), () => (policy ? limit(request, reply, policy) : undefined));
      if (passed instanceof Promise) passed.then(() => done(), done);
      else done();
    } catch (error) {
      done(error as Error);
    }
  };
}
