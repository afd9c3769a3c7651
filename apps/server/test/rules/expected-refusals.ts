import type { Operation } from '../openapi-walk.ts';

// The refusal that each credential must get at each route, by what the document declares for that route.

/** What a credential really is, whatever it claims. */
export type TestCaller = { kind: 'nobody' } | { kind: 'visitor' } | AuthenticatedCaller;
export type AuthenticatedCaller = {
  permissions: ReadonlySet<string>;
  isKey?: boolean;
  /** The bindings of a key. */
  boundTo?: readonly string[];
  /** Authenticated within the last minutes. */
  isFresh: boolean;
  /** In a session of a built-in pool, and not impersonated. */
  hasSession: boolean;
  /** An impersonating operator. */
  isImpersonated?: boolean;
} & ({ kind: 'operator' } | { kind: 'member'; tenantId: string; tenantIs?: 'suspended' | 'deleted' | 'featureless' });

export interface Refusal {
  statuses: readonly number[];
  reasons?: readonly string[];
}
const refusal = (...reasons: string[]): Refusal => ({ statuses: [403], reasons });

export const namesTenant = ({ path }: Operation) => 'tenantId' in (path.properties ?? {});

/** Decided by the guard, before the route reads the request. Undefined where the guard accepts the credential. */
export function refusalByGuard(operation: Operation, caller: TestCaller, tenantId: string): Refusal | undefined {
  const { audience, permission = '', entitlement, stepUp, keyBindings } = operation;
  if (audience === 'public') return undefined;
  if (caller.kind !== audience) return { statuses: [401] };
  if (caller.kind === 'visitor') return undefined;
  if (caller.kind === 'member') {
    if (namesTenant(operation) && caller.tenantId !== tenantId) return refusal('tenant_mismatch');
    if (caller.tenantIs === 'suspended') return refusal('tenant_suspended');
    if (caller.tenantIs === 'deleted') return refusal('tenant_deleted');
    if (caller.tenantIs === 'featureless' && caller.isKey) return refusal('entitlement_missing');
  }
  if (permission !== 'any' && !caller.permissions.has(permission)) return refusal('permission_missing');
  if (keyBindings && caller.boundTo?.some((binding) => !keyBindings.includes(binding)))
    return refusal('key_binding_mismatch');
  if (caller.kind === 'member' && caller.tenantIs === 'featureless' && entitlement !== undefined)
    return refusal('entitlement_missing');
  return stepUp && !caller.isFresh ? refusal('step_up_required') : undefined;
}

/** What a member sets for themselves in a tenant. */
const ownSettings = new Set(['getNotifications', 'setNotifications', 'setPresence', 'sendHeartbeat']);

/** Decided by the route itself, for a caller whom the guard accepted. */
function refusalByRoute(operation: Operation, caller: TestCaller): Refusal | undefined {
  const { id, route, isAccountRoute, isForServerKeys } = operation;
  if (caller.kind === 'nobody' || caller.kind === 'visitor') return undefined;
  if (ownSettings.has(route) && caller.isKey) return refusal('user_required');
  if (ownSettings.has(route) && caller.isImpersonated && operation.method !== 'GET')
    return refusal('not_allowed_while_impersonating');
  if (isForServerKeys && !caller.isKey) return { statuses: [401], reasons: ['server_key_required'] };
  // Only for impersonators; and it would end the session that the other cases use.
  if (id === 'leaveImpersonation') return caller.isImpersonated ? undefined : refusal('not_impersonating');
  if (!isAccountRoute || caller.hasSession) return undefined;
  const { statuses, reasons = [] } = refusal('managed_by_identity_provider', 'not_allowed_while_impersonating');
  // A name managed by the identity provider is a conflict, and a key has no name.
  return id === 'updateMe'
    ? { statuses: [...statuses, 409], reasons: [...reasons, 'user_required'] }
    : { statuses, reasons };
}

export const expectedRefusal = (operation: Operation, caller: TestCaller, tenantId: string): Refusal | undefined =>
  refusalByGuard(operation, caller, tenantId) ?? refusalByRoute(operation, caller);
