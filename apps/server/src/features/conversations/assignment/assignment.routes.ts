import { tenantRoute } from '../../../platform/http/route.ts';
import { WorkspaceId } from '../../tenants/tenants.contract.ts';
import { ConversationId, OneConversation } from '../conversations.contract.ts';
import { assignConversation } from './assign.ts';
import * as contract from './assignment.contract.ts';
import * as settings from './settings.service.ts';

const tag = 'Assignment';

export const assignmentRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/workspaces/:id/assignment',
    name: 'getAssignmentSettings',
    tag,
    summary: 'Get the assignment settings of a workspace',
    permission: 'tenant.view',
    bindings: ['workspace', 'bot', 'environment'],
    params: WorkspaceId,
    response: contract.OneAssignmentSettings,
    handler: (ctx, { params }) => settings.getAssignmentSettings(ctx, params.id),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/workspaces/:id/assignment',
    name: 'setAssignmentSettings',
    tag,
    summary: 'Set how conversations are assigned',
    description:
      'Applies when a visitor asks for an agent. Conversations that wait already keep their assignee, and get the new time limit.',
    permission: 'tenant.manage',
    bindings: ['workspace'],
    params: WorkspaceId,
    body: contract.AssignmentSettings,
    response: contract.OneAssignmentSettings,
    handler: (ctx, { params, body }) => settings.setAssignmentSettings(ctx, params.id, body),
  }),
  tenantRoute({
    method: 'POST',
    path: '/conversations/:id/assign',
    name: 'assignConversation',
    tag,
    summary: 'Assign a conversation to an agent or a team',
    description:
      'The state stays as it is: an agent who is assigned to a waiting conversation still claims it. If no one is assigned to a claimed conversation any more, it waits for an agent again. If a colleague is, its visitor waits for their reply.',
    permission: 'conversation.assign',
    bindings: ['workspace', 'bot', 'environment'],
    entitlement: 'human_handoff',
    params: ConversationId,
    body: contract.AssignConversation,
    response: OneConversation,
    handler: (ctx, { params: { id }, body }) => assignConversation(ctx, id, body),
  }),
];
