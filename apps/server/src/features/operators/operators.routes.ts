import { operatorRoute, type Route } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { EndedSessions } from '../accounts/accounts.contract.ts';
import type { Pool } from '../pools/index.ts';
import { impersonationRoutes } from './impersonation/impersonation.routes.ts';
import * as contract from './operators.contract.ts';
import * as service from './operators.service.ts';
import { sortRoles } from './operators.store.ts';
import * as reading from './reading.service.ts';

const tag = 'Operator';
const emails = { name: 'welcome-emails', points: 60, seconds: 60 };

/** What the people of the admin pool do about people. */
export function operatorRoutes({
  pools,
  ...parts
}: service.Parts & { pools: readonly Pool[]; portalUrl: string | undefined }): Route[] {
  const customers = pools.find(({ name }) => name === 'customer');
  const isOwnPool = pools.some(({ name }) => name === 'admin');
  return [
    ...readingRoutes(parts),
    ...(isOwnPool ? welcomeRoutes(parts) : []),
    ...managingRoutes(parts),
    ...(customers ? impersonationRoutes(parts, customers) : []),
  ];
}

const readingRoutes = (parts: service.Parts): Route[] => [
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
    handler: (_desk, { query }) => reading.listPeople(parts, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/users/:id',
    name: 'getUser',
    tag,
    summary: 'Get a user of a pool',
    permission: 'platform.user.view',
    params: contract.PersonId,
    query: contract.InPool,
    response: contract.OnePersonInFull,
    handler: (_desk, { params, query }) => reading.getPerson(parts, query.pool, params.id),
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
    handler: (_desk, { query }) => reading.listEntries(parts, query),
  }),
];

/** Where operators sign in here: elsewhere the email's link would lead nowhere. */
const welcomeRoutes = (parts: service.Parts): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin/users',
    name: 'createOperator',
    tag,
    summary: 'Create an operator',
    description: 'They get an email with a link to set their password. The link expires in 24 hours.',
    permission: 'platform.user.manage',
    stepUp: true,
    limit: emails,
    body: contract.CreateOperator,
    status: 201,
    response: contract.OnePerson,
    handler: (operator, { body }, requestInfo) => service.createOperator(parts, { operator, requestInfo }, body),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/users/:id/resend-welcome',
    name: 'resendWelcome',
    tag,
    summary: 'Resend an operator’s welcome email',
    description: 'The email has a new link. The previous link stops working.',
    permission: 'platform.user.manage',
    limit: emails,
    params: contract.PersonId,
    response: contract.OnePerson,
    handler: (operator, { params }, requestInfo) => service.resendWelcome(parts, { operator, requestInfo }, params.id),
  }),
];

const managingRoutes = (parts: service.Parts): Route[] => [
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
      service.changeRoles(parts, { operator, requestInfo }, params.id, body.roles),
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
      service.disablePerson(parts, { operator, requestInfo }, body.pool, params.id, body.reason),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/users/:id/enable',
    name: 'enableUser',
    tag,
    summary: 'Enable a user',
    permission: 'platform.user.manage',
    params: contract.PersonId,
    body: contract.WhichPool,
    response: contract.OnePerson,
    handler: (operator, { params, body }, requestInfo) =>
      service.enablePerson(parts, { operator, requestInfo }, body.pool, params.id),
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
    body: contract.WhichPool,
    response: EndedSessions,
    handler: (operator, { params, body }, requestInfo) =>
      service.endPersonsSessions(parts, { operator, requestInfo }, body.pool, params.id),
  }),
];
