import { operatorRoute, outsideRoute, publicRoute, tenantRoute } from '../../platform/http/route.ts';
import { ListQuery } from '../../platform/lists.contract.ts';
import { z } from 'zod';
import * as contract from './actions.contract.ts';
import * as service from './actions.service.ts';
import type { RunParts } from './advance.ts';
import * as runContract from './runs.contract.ts';
import * as runs from './runs.service.ts';
import { tryAction } from './trying.ts';

const tag = 'Actions';
const entitlement = 'private_actions';
const calls = { name: 'action-calls', points: 60, seconds: 60 };

export const actionRoutes = (parts: RunParts) => [
  ...definitionRoutes(parts),
  ...runRoutes(parts),
  ...operatorRoutes(parts),
];

const definitionRoutes = (parts: RunParts) => [
  tenantRoute({
    method: 'POST',
    path: '/bots/:id/actions',
    name: 'createAction',
    tag,
    summary: 'Give a bot an action',
    description: 'It belongs to the draft: publish a version and deploy it to have visitors use it.',
    permission: 'integration.manage',
    entitlement,
    params: contract.BotId,
    body: contract.CreateAction,
    status: 201,
    answer: contract.OneAction,
    handler: (ctx, { params, body }) => service.createAction(ctx, params.id, body),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots/:id/actions',
    name: 'listActions',
    tag,
    summary: 'List the actions of a bot',
    permission: 'integration.view',
    entitlement,
    params: contract.BotId,
    query: ListQuery,
    answer: contract.Actions,
    handler: (ctx, { params, query }) => service.listActions(ctx, params.id, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/actions/:id',
    name: 'getAction',
    tag,
    summary: 'Read an action',
    permission: 'integration.view',
    entitlement,
    params: contract.ActionId,
    answer: contract.OneAction,
    handler: (ctx, { params }) => service.getAction(ctx, params.id),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/actions/:id',
    name: 'updateAction',
    tag,
    summary: 'Change an action',
    description: 'What is published stays as it was. A field that you leave out stays too.',
    permission: 'integration.manage',
    entitlement,
    params: contract.ActionId,
    body: contract.UpdateAction,
    answer: contract.OneAction,
    handler: (ctx, { params, body }) => service.updateAction(ctx, params.id, body),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/actions/:id',
    name: 'deleteAction',
    tag,
    summary: 'Delete an action from the draft',
    permission: 'integration.manage',
    entitlement,
    params: contract.ActionId,
    answer: contract.OneAction,
    handler: (ctx, { params }) => service.deleteAction(ctx, params.id),
  }),
  outsideRoute({
    method: 'POST',
    path: '/actions/:id/try',
    name: 'tryAction',
    tag,
    summary: 'Try an action: a real, signed call, marked `test`',
    description:
      'Calls your endpoint now, with the draft of the action, and answers with the request, the answer and the run. Nothing is sent a second time.',
    permission: 'integration.manage',
    entitlement,
    limit: calls,
    params: contract.ActionId,
    body: runContract.TryAction,
    answer: runContract.Tried,
    handler: (desk, { params, body }) => tryAction(parts, desk, params.id, body),
  }),
];

const runRoutes = (parts: RunParts) => [
  tenantRoute({
    method: 'GET',
    path: '/action-runs',
    name: 'listActionRuns',
    tag,
    summary: 'List the runs of actions, newest first',
    description: 'Steps stand in the run of their workflow. `state=unknown` are those where somebody should look.',
    permission: 'integration.view',
    entitlement,
    query: runContract.ListRuns,
    answer: runContract.Runs,
    handler: (ctx, { query }) => runs.listRuns(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/action-runs/:id',
    name: 'getActionRun',
    tag,
    summary: 'Read a run with its ledger',
    permission: 'integration.view',
    entitlement,
    params: runContract.RunId,
    answer: runContract.OneRun,
    handler: (ctx, { params }) => runs.getRun(ctx, params.id),
  }),
  outsideRoute({
    method: 'POST',
    path: '/action-runs/:id/reconcile',
    name: 'reconcileActionRun',
    tag,
    summary: 'Ask your system what became of an unknown run',
    description: 'Sends `action.status`, now. The answer is the run: `reconciled` if your system knew.',
    permission: 'integration.manage',
    entitlement,
    limit: calls,
    params: runContract.RunId,
    answer: runContract.OneRun,
    handler: (desk, { params }) =>
      runs.reconcileRun(parts, desk.inTenant, { tenantId: desk.tenantId, runId: params.id }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/action-runs/:id/resolve',
    name: 'resolveActionRun',
    tag,
    summary: 'Say what became of an unknown run',
    description: 'After you looked it up in your own system. The visitor is told.',
    permission: 'integration.manage',
    entitlement,
    params: runContract.RunId,
    body: runContract.ResolveRun,
    answer: runContract.OneRun,
    handler: (ctx, { params, body }) => runs.resolveRun(ctx, parts.chats, params.id, body),
  }),
];

/** For operators: which runs nobody knows the end of, and nothing of what they were about. */
const operatorRoutes = (parts: RunParts) => {
  const ShownRun = z.object({ run: runContract.ActionRun });
  return [
    operatorRoute({
      method: 'GET',
      path: '/admin/unknown-runs',
      name: 'listUnknownRuns',
      tag: 'Operator',
      summary: 'List the runs of all tenants whose end is unknown, oldest first',
      permission: 'platform.tenant.view',
      query: ListQuery,
      answer: runContract.UnknownRuns,
      handler: (_desk, { query }) => runs.listUnknown(parts.ground, query),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/tenants/:tenantId/action-runs/:id',
      name: 'inspectActionRun',
      tag: 'Operator',
      summary: 'Read a run, without what was asked for and what came back',
      permission: 'platform.tenant.view',
      params: runContract.TenantRun,
      answer: ShownRun,
      handler: (desk, { params }) => desk.inTenant(params.tenantId, (ctx) => runs.getRun(ctx, params.id)),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:tenantId/action-runs/:id/reconcile',
      name: 'reconcileForTenant',
      tag: 'Operator',
      summary: 'Ask the tenant’s system what became of an unknown run',
      permission: 'platform.tenant.manage',
      params: runContract.TenantRun,
      answer: ShownRun,
      handler: (desk, { params: { tenantId, id: runId } }) =>
        runs.reconcileRun(parts, (work) => desk.inTenant(tenantId, work), { tenantId, runId }),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:tenantId/action-runs/:id/resolve',
      name: 'resolveForTenant',
      tag: 'Operator',
      summary: 'Say what became of an unknown run, after asking the tenant',
      permission: 'platform.tenant.manage',
      params: runContract.TenantRun,
      body: runContract.ResolveRun,
      answer: ShownRun,
      handler: (desk, { params, body }) =>
        desk.inTenant(params.tenantId, (ctx) => runs.resolveRun(ctx, parts.chats, params.id, body)),
    }),
    publicRoute({
      method: 'GET',
      path: '/.well-known/jwks.json',
      name: 'getAssertionKeys',
      tag: 'Actions',
      summary: 'The keys that vouch for signed-in people',
      description: 'Verifies `X-Service-End-User`. The next key stands here a day before it signs.',
      permission: 'public',
      cache: { seconds: 300, staleSeconds: 3_600, varyBy: 'accept' },
      answer: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
      handler: async () => ({ keys: (await parts.assertions.jwks()) as Record<string, unknown>[] }),
    }),
  ];
};
