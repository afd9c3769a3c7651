// What other features may use. Everything else here is private.
export { isPowerful, permissionsOf, rolePermissions } from './roles.ts';
