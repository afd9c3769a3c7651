import { callerRoute } from '../../platform/http/route.ts';
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
    summary: 'Read who you are and what you may do',
    permission: 'any',
    answer: contract.Me,
    handler: (caller) => {
      const known = parts.tenants.of(caller.tenantId);
      return known instanceof Promise ? known.then((tenant) => describeMe(caller, tenant)) : describeMe(caller, known);
    },
  }),
  callerRoute({
    method: 'PATCH',
    path: '/me',
    name: 'updateMe',
    tag,
    summary: 'Change your name and your language',
    description: 'For people with an account here. 409 `signed_in_elsewhere`: your organisation keeps your name.',
    permission: 'any',
    limit: { name: 'profile-changes', points: 60, seconds: 60 },
    body: contract.ChangeMe,
    answer: contract.Profile,
    handler: (caller, { body }, from) => changeMe(parts, caller, body, from),
  }),
  callerRoute({
    method: 'GET',
    path: '/me/tenants',
    name: 'listMyTenants',
    tag,
    summary: 'List the tenants that you are a member of',
    description: 'For `POST /auth/switch-tenant`. A key is a member of none.',
    permission: 'any',
    answer: contract.MyTenants,
    handler: (caller) => tenantsOfMe(parts, caller),
  }),
];
