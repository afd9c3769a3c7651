// The public interface of this feature. Other features import only from here.
export { isPrivilegedRole, permissionsOf, rolePermissions } from './roles.ts';
