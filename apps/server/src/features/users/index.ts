// What other features may use. Everything else here is private.
export { permissionsOf, rolePermissions } from './roles.ts';
