import type { Permission } from '../../platform/access.contract.ts';
import { forbidden } from '../../platform/errors.ts';
import { permissionsOf, rolePermissions } from '../users/index.ts';
import { TenantRole } from './members.contract.ts';

/** A role that can be given but means nothing would not compile. */
const matrix: Record<TenantRole, ReadonlySet<Permission>> = rolePermissions;
const inOrder = TenantRole.options.toSorted();

/** Each once, in one order. A role we do not know gives nothing, and is not shown. */
export const sortRoles = (roles: readonly string[]): TenantRole[] => inOrder.filter((role) => roles.includes(role));

export const heldBy = (roles: readonly string[]): ReadonlySet<Permission> => permissionsOf(matrix, roles);

/** Nobody gives a role, or touches somebody who has one, that holds a permission they lack. */
export function assertRank(held: ReadonlySet<Permission>, roles: readonly string[]): void {
  const lacking = [...heldBy(roles)].filter((permission) => !held.has(permission));
  if (lacking.length > 0)
    throw forbidden('role_too_low', `Only someone who also has these permissions can do this: ${lacking.join(', ')}.`);
}
