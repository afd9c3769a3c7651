import { operatorRoute, type Route } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { EndedSessions } from '../accounts/accounts.contract.ts';
import type { Pool } from '../pools/index.ts';
import { impersonationRoutes } from './impersonation/impersonation.routes.ts';
import * as contract from './operators.contract.ts';
import * as service from './operators.service.ts';
import { sortRoles } from './operators.store.ts';
import * as queries from './queries.service.ts';

const tag = 'Operator';
const emailLimit = { name: 'welcome-emails', points: 60, seconds: 60 };

/** User management for operators. */
export function operatorRoutes({
  pools,
  ...deps
}: service.OperatorDeps & { pools: readonly Pool[]; portalUrl: string | undefined }): Route[] {
  const customers = pools.find(({ name }) => name === 'customer');
  const hasBuiltinAdminPool = pools.some(({ name }) => name === 'admin');
  return [
    ...readRoutes(deps),
    ...(hasBuiltinAdminPool ? welcomeRoutes(deps) : []),
    ...manageRoutes(deps),
    ...(customers ? impersonationRoutes(deps, customers) : []),
  ];
}

const readRoutes = (deps: service.OperatorDeps): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/me',
    name: 'getOperator',
    tag,
    summary: 'Get your account and permissions',
    permission: 'any',
    response: contract.OperatorMe,
    handler: ({ actor, profile, permissions, session }) => ({
      userId: actor.id as Id<'user'>,
      email: profile?.email ?? '',
      name: profile?.name ?? '',
      roles: sortRoles(profile?.roles ?? []),
      permissions: [...permissions],
      mfaEnabled: session?.isProtected ?? null,
    }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/users',
    name: 'listUsers',
    tag,
    summary: 'List the users of a pool',
    permission: 'platform.user.view',
    query: contract.ListPeople,
    response: contract.People,
    handler: (_operator, { query }) => queries.listPeople(deps, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/users/:id',
    name: 'getUser',
    tag,
    summary: 'Get a user of a pool',
    permission: 'platform.user.view',
    params: contract.PersonId,
    query: contract.PoolQuery,
    response: contract.OnePersonWithTenants,
    handler: (_operator, { params, query }) => queries.getPerson(deps, query.pool, params.id),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/audit-log',
    name: 'listPoolAuditEntries',
    tag,
    summary: 'List sign-in events',
    permission: 'platform.audit.view',
    query: contract.ListPoolAuditEntries,
    response: contract.PoolAuditEntries,
    handler: (_operator, { query }) => queries.listEntries(deps, query),
  }),
];

/** Only with the built-in admin pool: with an external issuer, the link in the email would not work. */
const welcomeRoutes = (deps: service.OperatorDeps): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin/users',
    name: 'createOperator',
    tag,
    summary: 'Create an operator',
    description: 'They get an email with a link to set their password. The link expires in 24 hours.',
    permission: 'platform.user.manage',
    stepUp: true,
    limit: emailLimit,
    body: contract.CreateOperator,
    status: 201,
    response: contract.OnePerson,
    handler: (operator, { body }, requestInfo) => service.createOperator(deps, { operator, requestInfo }, body),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/users/:id/resend-welcome',
    name: 'resendWelcome',
    tag,
    summary: 'Resend an operator’s welcome email',
    description: 'The email has a new link. The previous link stops working.',
    permission: 'platform.user.manage',
    limit: emailLimit,
    params: contract.PersonId,
    response: contract.OnePerson,
    handler: (operator, { params }, requestInfo) => service.resendWelcome(deps, { operator, requestInfo }, params.id),
  }),
];

const manageRoutes = (deps: service.OperatorDeps): Route[] => [
  operatorRoute({
    method: 'PATCH',
    path: '/admin/users/:id',
    name: 'changeOperator',
    tag,
    summary: 'Change an operator’s roles',
    description: 'Takes effect everywhere within five seconds. At least one platform admin must be able to sign in.',
    permission: 'platform.user.manage',
    stepUp: true,
    params: contract.PersonId,
    body: contract.ChangeOperator,
    response: contract.OnePerson,
    handler: (operator, { params, body }, requestInfo) =>
      service.changeRoles(deps, { operator, requestInfo }, params.id, body.roles),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/users/:id/disable',
    name: 'disableUser',
    tag,
    summary: 'Disable a user',
    description:
      'Their sessions and tokens stop working within five seconds. You can’t disable yourself or the last platform admin. Safe to repeat.',
    permission: 'platform.user.manage',
    params: contract.PersonId,
    body: contract.DisablePerson,
    response: contract.OnePerson,
    handler: (operator, { params, body }, requestInfo) =>
      service.disablePerson(deps, { operator, requestInfo }, body.pool, params.id, body.reason),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/users/:id/enable',
    name: 'enableUser',
    tag,
    summary: 'Enable a user',
    permission: 'platform.user.manage',
    params: contract.PersonId,
    body: contract.PoolInput,
    response: contract.OnePerson,
    handler: (operator, { params, body }, requestInfo) =>
      service.enablePerson(deps, { operator, requestInfo }, body.pool, params.id),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/users/:id/end-sessions',
    name: 'endUserSessions',
    tag,
    summary: 'End all sessions of a user',
    description: 'Also ends their impersonations. Takes effect everywhere within five seconds.',
    permission: 'platform.user.manage',
    params: contract.PersonId,
    body: contract.PoolInput,
    response: EndedSessions,
    handler: (operator, { params, body }, requestInfo) =>
      service.endPersonsSessions(deps, { operator, requestInfo }, body.pool, params.id),
  }),
];
