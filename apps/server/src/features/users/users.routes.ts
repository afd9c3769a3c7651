import { callerRoute } from '../../platform/http/route.ts';
import type { CachedTenant } from '../tenants/index.ts';
import { changeMe, describeMe, listMyTenants, type ProfileDeps } from './profile.ts';
import * as contract from './users.contract.ts';

const tag = 'Identity';

export const meRoutes = (deps: ProfileDeps) => [
  /** Served from caches, without a transaction. */
  callerRoute({
    method: 'GET',
    path: '/me',
    name: 'getMe',
    tag,
    summary: 'Get your account and permissions',
    permission: 'any',
    isPersonal: true,
    response: contract.Me,
    handler: (caller, _input, { ip }) => {
      const tenant = deps.tenants.of(caller.tenantId);
      const describe = (value: CachedTenant) => describeMe(caller, value, ip);
      return tenant instanceof Promise ? tenant.then(describe) : describe(tenant);
    },
  }),
  callerRoute({
    method: 'PATCH',
    path: '/me',
    name: 'updateMe',
    tag,
    summary: 'Update your name and language',
    description:
      'For people with an account here. 409 `managed_by_identity_provider`: your organisation manages your name.',
    permission: 'any',
    isPersonal: true,
    limit: { name: 'profile-changes', points: 60, seconds: 60 },
    body: contract.ChangeMe,
    response: contract.Profile,
    handler: (caller, { body }, requestInfo) => changeMe(deps, caller, body, requestInfo),
  }),
  callerRoute({
    method: 'GET',
    path: '/me/tenants',
    name: 'listMyTenants',
    tag,
    summary: 'List your tenants',
    description: 'For `POST /auth/switch-tenant`. Always empty for a key.',
    permission: 'any',
    isPersonal: true,
    response: contract.MyTenants,
    handler: (caller) => listMyTenants(deps, caller),
  }),
];
