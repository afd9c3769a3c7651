import { callerRoute } from '../../platform/http/route.ts';
import type { CachedTenant } from '../tenants/index.ts';
import { changeMe, describeMe, tenantsOfMe, type ProfileParts } from './profile.ts';
import * as contract from './users.contract.ts';

const tag = 'Identity';

export const meRoutes = (parts: ProfileParts) => [
  /** Answered from what is known: no transaction, so it is also the cheapest call there is. */
  callerRoute({
    method: 'GET',
    path: '/me',
    name: 'getMe',
    tag,
    summary: 'Get your account and permissions',
    permission: 'any',
    isPersonal: true,
    response: contract.Me,
    handler: (caller, _input, { ip: address }) => {
      const known = parts.tenants.of(caller.tenantId);
      const describe = (tenant: CachedTenant) => describeMe(caller, tenant, address);
      return known instanceof Promise ? known.then(describe) : describe(known);
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
    handler: (caller, { body }, requestInfo) => changeMe(parts, caller, body, requestInfo),
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
    handler: (caller) => tenantsOfMe(parts, caller),
  }),
];
