import { tenantRoute } from '../../platform/http/route.ts';
import * as contract from './teams.contract.ts';
import * as service from './teams.service.ts';

const tag = 'Teams';
const params = contract.TeamId;

export const teamRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/teams',
    name: 'listTeams',
    tag,
    summary: 'List teams',
    permission: 'conversation.view',
    bindings: [],
    query: contract.ListTeams,
    response: contract.Teams,
    handler: (ctx, { query }) => service.listTeams(ctx, query),
  }),
  tenantRoute({
    method: 'POST',
    path: '/teams',
    name: 'createTeam',
    tag,
    summary: 'Create a team',
    description: 'Conversations can be assigned to a team, and escalated to one.',
    permission: 'tenant.manage',
    bindings: [],
    body: contract.CreateTeam,
    status: 201,
    response: contract.OneTeam,
    handler: (ctx, { body }) => service.createTeam(ctx, body),
  }),
  tenantRoute({
    method: 'GET',
    path: '/teams/:id',
    name: 'getTeam',
    tag,
    summary: 'Get a team',
    permission: 'conversation.view',
    bindings: [],
    params,
    response: contract.OneTeam,
    handler: (ctx, { params: { id } }) => service.getTeam(ctx, id),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/teams/:id',
    name: 'updateTeam',
    tag,
    summary: 'Rename a team, or change its members',
    permission: 'tenant.manage',
    bindings: [],
    params,
    body: contract.ChangeTeam,
    response: contract.OneTeam,
    handler: (ctx, { params: { id }, body }) => service.changeTeam(ctx, id, body),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/teams/:id',
    name: 'deleteTeam',
    tag,
    summary: 'Delete a team',
    description:
      'Its open conversations then belong to no team. 409 `team_in_use` while the assignment settings of a workspace use it.',
    permission: 'tenant.manage',
    bindings: [],
    params,
    response: contract.OneTeam,
    handler: (ctx, { params: { id } }) => service.deleteTeam(ctx, id),
  }),
];
