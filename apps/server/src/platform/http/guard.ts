import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Feature, Permission } from '../access.contract.ts';
import {
  keyBindingMismatch,
  type Binding,
  type Bindings,
  type Caller,
  type RequestInfo,
  type Operator,
  type Session,
  type VisitorSession,
} from '../context.ts';
import { AppError, forbidden, invalid, permissionMissing, unauthorized } from '../errors.ts';
import type { FailedAuthentications } from '../failed-authentications.ts';
import { ipKey, rateHeaders, type RatePolicy, type RateState, type Consume } from '../rate-limit.ts';
import type { ConsumeRead } from '../read-limit.ts';
import { policyViolation, type AccessPolicies } from '../access-policies.ts';
import { currentVersion, isVersion, type Version } from '../version.ts';
import type { Input, Route } from './route.ts';
import { requestInfoOf } from './request-info.ts';

/** The caller that a credential identifies: a member of a tenant or a platform operator, never both. */
export type Principal = Member | { kind: 'operator'; operator: Operator };
interface Member {
  kind: 'member';
  caller: Caller;
  /** The credential only works if the plan of the tenant includes this feature. */
  entitlement?: Feature;
}

export interface Credential {
  headers: IncomingHttpHeaders;
  /** The tenant in the path. It selects one of several memberships and grants nothing. */
  pathTenantId: string | undefined;
  /** To be called before a query about a credential that may be invalid. Throws 429 if the IP address has failed too often. */
  beforeLookUp(): void;
}

/** Returns the caller, or null if the request has no credential of this type. Throws if the credential is invalid. */
export type Authenticator = (credential: Credential) => Promise<Principal> | Principal | null;

/** What every request needs to know about its tenant. Cached for seconds, so a change takes effect on every node within five. */
export interface TenantState {
  status: 'active' | 'suspended' | 'deleted';
  version: Version;
  features: ReadonlySet<Feature>;
  policies: AccessPolicies;
  readsPerMinute: number;
}

function authenticate(
  authenticators: readonly Authenticator[],
  credential: Credential,
): Principal | Promise<Principal> {
  for (const recognise of authenticators) {
    const principal = recognise(credential);
    if (principal) return principal;
  }
  throw unauthorized('credential_missing', 'Send an access token or server key in the Authorization header: Bearer …');
}

interface Admission {
  principal: Principal;
  state: TenantState;
  pathTenantId: string | undefined;
  client: Pick<FastifyRequest, 'ip'>;
}

/** Checks that this member may use this route, in this order: tenant, its policies, permission, plan. */
function admitMember(route: Route, { principal, state, pathTenantId, client }: Admission): Caller {
  const { caller, entitlement } = member(principal);
  if (pathTenantId !== undefined && pathTenantId !== caller.tenantId) {
    throw forbidden('tenant_mismatch', 'Your credentials belong to a different tenant than the one in the path.');
  }
  if (state.status === 'suspended')
    throw forbidden('tenant_suspended', 'This tenant is suspended. Contact the operator of this service.');
  if (state.status === 'deleted')
    throw forbidden(
      'tenant_deleted',
      'This tenant was deleted. The operator of this service can restore it within 30 days of deletion.',
    );
  const isPersonal = route.kind === 'caller' && route.isPersonal && caller.session;
  const violation = isPersonal ? null : policyViolation(state.policies, caller, client);
  if (violation) throw violation;
  if (entitlement && !state.features.has(entitlement)) throw notEntitled(entitlement);
  if (route.kind === 'tenant' || route.kind === 'caller') assertPermitted(caller, route.permission);
  if (route.kind === 'tenant') {
    if (caller.bindings) assertWithin(caller.bindings, route.bindings);
    if (route.entitlement && !state.features.has(route.entitlement)) throw notEntitled(route.entitlement);
  }
  if (requiresStepUp(route)) assertRecentSignIn(caller.session);
  return caller;
}

function assertPermitted({ permissions }: Caller, permission: Permission | 'any') {
  if (permission === 'any' || permissions.has(permission)) return;
  throw permissionMissing([permission]);
}

/** Rejects a key if the route does not enforce all of its bindings. */
function assertWithin(bindings: Bindings, enforced: readonly Binding[]) {
  const isEnforced = (binding: Binding) => bindings[`${binding}Id`] === null || enforced.includes(binding);
  if (!(['workspace', 'bot', 'environment'] as const).every(isEnforced)) throw keyBindingMismatch(bindings);
}

const notEntitled = (feature: Feature) =>
  new AppError('FEATURE_NOT_ENTITLED', 'entitlement_missing', `Your plan does not include '${feature}'.`);

function member(principal: Principal): Member {
  if (principal.kind === 'member') return principal;
  throw unauthorized('wrong_pool', 'Operator tokens cannot access tenant routes.');
}

function admitOperator(route: Route, principal: Principal): Operator {
  if (principal.kind !== 'operator')
    throw unauthorized('wrong_pool', 'This route requires an operator token from the admin pool.');
  const { operator } = principal;
  if (route.kind === 'operator' && route.permission !== 'any' && !operator.permissions.has(route.permission)) {
    throw permissionMissing([route.permission], 'Ask a platform admin who can manage roles.');
  }
  if (requiresStepUp(route)) assertRecentSignIn(operator.session);
  return operator;
}

const requiresStepUp = (route: Route) => 'stepUp' in route && route.stepUp === true;

/** For routes where step-up depends on the input, which is known only after parsing. */
export function assertStepUpFor(route: Route, input: Input, session: Session | undefined): void {
  if ('stepUp' in route && typeof route.stepUp === 'function' && route.stepUp(input)) assertRecentSignIn(session);
}
const stepUpMs = 5 * 60_000;

/** A stolen token alone must not allow dangerous operations. */
function assertRecentSignIn(session: Session | undefined): void {
  const authenticatedAt = session?.operatorId === undefined ? session?.authenticatedAt : null;
  if (authenticatedAt && Date.now() - authenticatedAt.getTime() < stepUpMs) return;
  throw forbidden(
    'step_up_required',
    'Confirm it’s you with POST /auth/step-up (operators: /admin/auth/step-up) or a new sign-in. The confirmation lasts five minutes.',
  );
}

/** The header overrides the version that the tenant is pinned to. */
function chooseVersion(header: string | string[] | undefined, pinned: Version): Version {
  if (header === undefined) return pinned;
  if (typeof header === 'string' && isVersion(header)) return header;
  throw invalid('unknown_version', [{ path: '/headers/x-service-version', message: 'Unknown API version.' }]);
}

export interface GuardDeps {
  consume: Consume;
  consumeRead: ConsumeRead;
  failedAuthentications: FailedAuthentications;
  authenticators: readonly Authenticator[];
  tenantState: (tenantId: Caller['tenantId']) => TenantState | Promise<TenantState>;
  /** Returns the session of this token. Throws if it is invalid or expired. */
  visitorOf: (sessionToken: string, requestInfo: RequestInfo) => Promise<VisitorSession>;
}

function bearerOf(authorization: string | undefined): string {
  if (authorization?.startsWith('Bearer ')) return authorization.slice('Bearer '.length);
  throw unauthorized('session_missing', 'Send the session token in the Authorization header: Bearer …');
}

/** Checks credential, permission and tenant of an admitted request again. Returns the error, or null if it is still allowed. */
export async function recheckAccess(
  route: Route,
  request: Pick<FastifyRequest, 'headers' | 'params' | 'ip'>,
  { authenticators, tenantState }: Pick<GuardDeps, 'authenticators' | 'tenantState'>,
): Promise<AppError | null> {
  const { headers, params } = request;
  const pathTenantId = (params as { tenantId?: string }).tenantId;
  try {
    // An open stream is no new attempt.
    const principal = await authenticate(authenticators, { headers, pathTenantId, beforeLookUp: () => {} });
    const state = await tenantState(member(principal).caller.tenantId);
    admitMember(route, { principal, state, pathTenantId, client: request });
    return null;
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error;
    throw error; // the result is unknown, so the stream is not ended
  }
}

/** Awaits only promises: a request with warm caches passes synchronously. */
const whenReady = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Runs before the body is read: authentication, authorization, version, rate limit. */
export function guardOf(route: Route, deps: GuardDeps) {
  const { authenticators, tenantState, consume, consumeRead, failedAuthentications, visitorOf } = deps;
  /** A stream is one read, counted when it is opened. */
  const isRead = route.method === 'GET' && (route.kind === 'tenant' || route.kind === 'caller');

  const authenticateOrCount = (
    request: FastifyRequest,
    reply: FastifyReply,
    pathTenantId: string | undefined,
  ): Principal | Promise<Principal> => {
    const { headers } = request;
    const beforeLookUp = () => failedAuthentications.assertAllowed(request.ip);
    const rethrow = (error: unknown) => failedAuthentications.rethrow(error, requestInfoOf(request, reply));
    try {
      const principal = authenticate(authenticators, { headers, pathTenantId, beforeLookUp });
      return principal instanceof Promise ? principal.catch(rethrow) : principal;
    } catch (error) {
      return rethrow(error);
    }
  };

  const admit = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
    const { headers } = request;
    const requestedVersion = headers['x-service-version'];
    if (requestedVersion !== undefined)
      reply.header('x-service-version', chooseVersion(requestedVersion, currentVersion));
    if (route.permission === 'public') return;
    reply.header('cache-control', 'no-store');
    if (route.kind === 'visitor')
      return visitorOf(bearerOf(headers.authorization), requestInfoOf(request, reply)).then((session) => {
        request.visitor = session;
      });
    const pathTenantId = (request.params as { tenantId?: string }).tenantId;
    return whenReady(authenticateOrCount(request, reply, pathTenantId), (principal) => {
      if (route.kind === 'operator') {
        request.operator = admitOperator(route, principal);
        return;
      }
      const { tenantId, actor } = member(principal).caller;
      request.knownTenant = { tenantId, actor };
      return whenReady(tenantState(tenantId), (state) => {
        const version = chooseVersion(requestedVersion, state.version);
        if (version !== currentVersion) reply.header('x-service-version', version);
        request.caller = admitMember(route, { principal, state, pathTenantId, client: request });
        if (!isRead) return;
        const setRateState = (rateState: RateState) => void reply.headers(rateHeaders(rateState));
        return whenReady(consumeRead(tenantId, state.readsPerMinute), setRateState);
      });
    });
  };

  const limit = async (request: FastifyRequest, reply: FastifyReply, policy: RatePolicy) => {
    const key =
      request.caller?.tenantId ?? request.operator?.actor.id ?? request.visitor?.visitorId ?? ipKey(request.ip);
    const tenantId = request.caller?.tenantId ?? request.visitor?.tenantId;
    reply.headers(rateHeaders(await consume(policy, key, tenantId)));
  };

  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    try {
      const { limit: policy } = route;
      const passed = whenReady(admit(request, reply), () => (policy ? limit(request, reply, policy) : undefined));
      if (passed instanceof Promise) passed.then(() => done(), done);
      else done();
    } catch (error) {
      done(error as Error);
    }
  };
}
