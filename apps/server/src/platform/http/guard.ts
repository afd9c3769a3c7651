import type { IncomingHttpHeaders } from 'node:http';
import type { Feature } from '../access.contract.ts';
import type { Caller, Operator } from '../context.ts';
import { AppError, forbidden, invalid, unauthorized } from '../errors.ts';
import { isVersion, type Version } from '../version.ts';
import type { Route } from './route.ts';

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
  isSuspended: boolean;
  version: Version;
  features: ReadonlySet<Feature>;
}

export function authenticate(
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
export function admitMember(
  route: Route,
  principal: Principal,
  state: TenantState,
  namedTenant: string | undefined,
): Caller {
  const { caller, entitlement } = member(principal);
  if (namedTenant !== undefined && namedTenant !== caller.tenantId) {
    throw forbidden('tenant_mismatch', 'Your credential belongs to another tenant than the one in the address.');
  }
  if (state.isSuspended)
    throw forbidden('tenant_suspended', 'This tenant is suspended. Ask the operator of this service.');
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
  return caller;
}

const notEntitled = (feature: Feature) =>
  new AppError('FEATURE_NOT_ENTITLED', 'entitlement_missing', `Your plan does not include '${feature}'.`);

export function member(principal: Principal): Member {
  if (principal.kind === 'member') return principal;
  throw unauthorized('wrong_pool', "An operator's token does not open a tenant's routes.");
}

export function admitOperator(route: Route, principal: Principal): Operator {
  if (principal.kind !== 'operator')
    throw unauthorized('wrong_pool', "This needs an operator's token of the admin pool.");
  const { operator } = principal;
  if (route.kind === 'operator' && !operator.permissions.has(route.permission)) {
    throw forbidden('permission_missing', `This needs the permission '${route.permission}'.`);
  }
  return operator;
}

/** The header overrides what the tenant is pinned to. */
export function chooseVersion(header: string | string[] | undefined, pinned: Version): Version {
  if (header === undefined) return pinned;
  if (typeof header === 'string' && isVersion(header)) return header;
  throw invalid('unknown_version', [{ path: '/headers/x-service-version', message: 'There is no such version.' }]);
}
