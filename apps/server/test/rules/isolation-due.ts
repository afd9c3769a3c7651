import type { Operation } from '../openapi-walk.ts';

// What each credential is due at each route, by what the document says of that route.

/** What a credential truly is, whatever it says of itself. */
export type Who = { kind: 'nobody' } | { kind: 'visitor' } | Known;
export type Known = {
  permissions: ReadonlySet<string>;
  isKey?: boolean;
  /** What a key is bound to. */
  boundTo?: readonly string[];
  /** Proved within minutes who they are. */
  isFresh: boolean;
  /** In a session of a pool of ours, as themselves. */
  hasSession: boolean;
  /** An operator in somebody's place. */
  isLent?: boolean;
} & ({ kind: 'operator' } | { kind: 'member'; tenantId: string; tenantIs?: 'suspended' | 'deleted' | 'featureless' });

export interface Refusal {
  statuses: readonly number[];
  reasons?: readonly string[];
}
const refusal = (...reasons: string[]): Refusal => ({ statuses: [403], reasons });

export const namesTenant = ({ path }: Operation) => 'tenantId' in (path.properties ?? {});

/** Decided by the guard, before the route sees anything of the request. Nothing where it lets the credential in. */
export function dueByGuard(operation: Operation, who: Who, named: string): Refusal | undefined {
  const { audience, permission = '', entitlement, stepUp, keyBindings } = operation;
  if (audience === 'public') return undefined;
  if (who.kind !== audience) return { statuses: [401] };
  if (who.kind === 'visitor') return undefined;
  if (who.kind === 'member') {
    if (namesTenant(operation) && who.tenantId !== named) return refusal('tenant_mismatch');
    if (who.tenantIs === 'suspended') return refusal('tenant_suspended');
    if (who.tenantIs === 'deleted') return refusal('tenant_deleted');
    if (who.tenantIs === 'featureless' && who.isKey) return refusal('entitlement_missing');
  }
  if (permission !== 'any' && !who.permissions.has(permission)) return refusal('permission_missing');
  if (keyBindings && who.boundTo?.some((binding) => !keyBindings.includes(binding)))
    return refusal('key_binding_mismatch');
  if (who.kind === 'member' && who.tenantIs === 'featureless' && entitlement !== undefined)
    return refusal('entitlement_missing');
  return stepUp && !who.isFresh ? refusal('step_up_required') : undefined;
}

/** Decided by the route itself, of somebody whom the guard has let in. */
function dueByRoute({ id, isAccountRoute, isForServerKeys }: Operation, who: Who): Refusal | undefined {
  if (who.kind === 'nobody' || who.kind === 'visitor') return undefined;
  if (isForServerKeys && !who.isKey) return { statuses: [401], reasons: ['server_key_required'] };
  // Theirs alone; and it would end what the rest of these cases knock with.
  if (id === 'leaveImpersonation') return who.isLent ? undefined : refusal('not_impersonating');
  if (!isAccountRoute || who.hasSession) return undefined;
  const { statuses, reasons = [] } = refusal('managed_by_identity_provider', 'not_allowed_while_impersonating');
  // Whose name their organisation keeps is told so as a conflict, and a key has none.
  return id === 'updateMe'
    ? { statuses: [...statuses, 409], reasons: [...reasons, 'user_required'] }
    : { statuses, reasons };
}

export const due = (operation: Operation, who: Who, named: string): Refusal | undefined =>
  dueByGuard(operation, who, named) ?? dueByRoute(operation, who);
