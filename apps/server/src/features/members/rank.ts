import type { Permission } from '../../platform/access.contract.ts';
import { forbidden } from '../../platform/errors.ts';
import { permissionsOf, rolePermissions } from '../users/index.ts';
import { TenantRole } from './members.contract.ts';

/** The type ensures that every role has permissions. */
const matrix: Record<TenantRole, ReadonlySet<Permission>> = rolePermissions;
const sortedRoles = TenantRole.options.toSorted();

/** Sorts and deduplicates. Unknown roles are dropped. */
export const sortRoles = (roles: readonly string[]): TenantRole[] => sortedRoles.filter((role) => roles.includes(role));

export const permissionsOfRoles = (roles: readonly string[]): ReadonlySet<Permission> => permissionsOf(matrix, roles);

/** Refuses to grant a role, or change a member who has one, with permissions that the caller lacks. */
export function assertRank(permissions: ReadonlySet<Permission>, roles: readonly string[]): void {
  const missing = [...permissionsOfRoles(roles)].filter((permission) => !permissions.has(permission));
  if (missing.length > 0)
    throw forbidden('role_too_low', `Only someone who also has these permissions can do this: ${missing.join(', ')}.`);
}
