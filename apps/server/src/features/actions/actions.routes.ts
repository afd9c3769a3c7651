import { operatorRoute, routeWithoutTransaction, publicRoute, tenantRoute } from '../../platform/http/route.ts';
import { ListQuery } from '../../platform/lists.contract.ts';
import { z } from 'zod';
import * as contract from './actions.contract.ts';
import * as service from './actions.service.ts';
import type { RunDeps } from './run/step.ts';
import * as runContract from './run/runs.contract.ts';
import * as runs from './run/runs.service.ts';
import { tryAction } from './run/test-run.ts';

const tag = 'Actions';
const entitlement = 'private_actions';
const callLimit = { name: 'action-calls', points: 60, seconds: 60 };

export const actionRoutes = (deps: RunDeps) => [...definitionRoutes(deps), ...runRoutes(deps), ...operatorRoutes(deps)];

const definitionRoutes = (deps: RunDeps) => [
  tenantRoute({
    method: 'POST',
    path: '/bots/:id/actions',
    name: 'createAction',
    tag,
    summary: 'Create an action',
    description: 'Added to the draft. Publish and deploy a version to make it available to visitors.',
    permission: 'integration.manage',
    bindings: ['workspace', 'bot'],
    entitlement,
    params: contract.BotId,
    body: contract.CreateAction,
    status: 201,
    response: contract.OneAction,
    handler: (ctx, { params, body }) => service.createAction(ctx, params.id, body),
  }),
  tenantRoute({
    method: 'GET',
    path: '/bots/:id/actions',
    name: 'listActions',
    tag,
    summary: 'List a bot’s actions',
    permission: 'integration.view',
    bindings: ['workspace', 'bot', 'environment'],
    entitlement,
    params: contract.BotId,
    query: ListQuery,
    response: contract.Actions,
    handler: (ctx, { params, query }) => service.listActions(ctx, params.id, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/actions/:id',
    name: 'getAction',
    tag,
    summary: 'Get an action',
    permission: 'integration.view',
    bindings: ['workspace', 'bot', 'environment'],
    entitlement,
    params: contract.ActionId,
    response: contract.OneAction,
    handler: (ctx, { params }) => service.getAction(ctx, params.id),
  }),
  tenantRoute({
    method: 'PATCH',
    path: '/actions/:id',
    name: 'updateAction',
    tag,
    summary: 'Update an action',
    description: 'Published versions don’t change. Fields you leave out keep their value.',
    permission: 'integration.manage',
    bindings: ['workspace', 'bot'],
    entitlement,
    params: contract.ActionId,
    body: contract.UpdateAction,
    response: contract.OneAction,
    handler: (ctx, { params, body }) => service.updateAction(ctx, params.id, body),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/actions/:id',
    name: 'deleteAction',
    tag,
    summary: 'Delete an action from the draft',
    permission: 'integration.manage',
    bindings: ['workspace', 'bot'],
    entitlement,
    params: contract.ActionId,
    response: contract.OneAction,
    handler: (ctx, { params }) => service.deleteAction(ctx, params.id),
  }),
  routeWithoutTransaction({
    method: 'POST',
    path: '/actions/:id/try',
    name: 'tryAction',
    tag,
    summary: 'Test an action',
    description:
      'Sends a real, signed request marked `test` to your endpoint, using the draft of the action, and returns the request, the response and the run. Never retried.',
    permission: 'integration.manage',
    bindings: ['workspace', 'bot'],
    entitlement,
    limit: callLimit,
    params: contract.ActionId,
    body: runContract.TryAction,
    response: runContract.TestRunResult,
    handler: (caller, { params, body }) => tryAction(deps, caller, params.id, body),
  }),
];

const runRoutes = (deps: RunDeps) => [
  tenantRoute({
    method: 'GET',
    path: '/action-runs',
    name: 'listActionRuns',
    tag,
    summary: 'List action runs',
    description:
      'Newest first. Steps are part of their workflow’s run. Review runs with `state=unknown`: their outcome needs to be checked.',
    permission: 'integration.view',
    bindings: ['workspace', 'bot', 'environment'],
    entitlement,
    query: runContract.ListRuns,
    response: runContract.Runs,
    handler: (ctx, { query }) => runs.listRuns(ctx, query),
  }),
  tenantRoute({
    method: 'GET',
    path: '/action-runs/:id',
    name: 'getActionRun',
    tag,
    summary: 'Get a run with its attempts',
    permission: 'integration.view',
    bindings: ['workspace', 'bot', 'environment'],
    entitlement,
    params: runContract.RunId,
    response: runContract.OneRun,
    handler: (ctx, { params }) => runs.getRun(ctx, params.id),
  }),
  routeWithoutTransaction({
    method: 'POST',
    path: '/action-runs/:id/reconcile',
    name: 'reconcileActionRun',
    tag,
    summary: 'Ask your backend for the result of an unknown run',
    description:
      'Sends `action.status` now and returns the run, which is `reconciled` if your backend knew the result.',
    permission: 'integration.manage',
    bindings: ['workspace', 'bot', 'environment'],
    entitlement,
    limit: callLimit,
    params: runContract.RunId,
    response: runContract.OneRun,
    handler: async (caller, { params }) => {
      await caller.inTenant((ctx) => runs.getRun(ctx, params.id)); // 404 if the caller may not see the run
      return runs.reconcileRun(deps, caller.inTenant, { tenantId: caller.tenantId, runId: params.id });
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/action-runs/:id/resolve',
    name: 'resolveActionRun',
    tag,
    summary: 'Resolve an unknown run',
    description: 'Use this after checking your own system. The visitor is notified.',
    permission: 'integration.manage',
    bindings: ['workspace', 'bot', 'environment'],
    entitlement,
    params: runContract.RunId,
    body: runContract.ResolveRun,
    response: runContract.OneRun,
    handler: (ctx, { params, body }) => runs.resolveRun(ctx, deps.chats, params.id, body),
  }),
];

/** For operators: runs with an unknown outcome, without their input and output. */
const operatorRoutes = (deps: RunDeps) => {
  const RunResponse = z.object({ run: runContract.ActionRun });
  return [
    operatorRoute({
      method: 'GET',
      path: '/admin/unknown-runs',
      name: 'listUnknownRuns',
      tag: 'Operator',
      summary: 'List unknown runs across tenants',
      permission: 'platform.tenant.view',
      query: ListQuery,
      response: runContract.UnknownRuns,
      handler: (_operator, { query }) => runs.listUnknown(deps.services, query),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/tenants/:tenantId/action-runs/:id',
      name: 'inspectActionRun',
      tag: 'Operator',
      summary: 'Get a run without its input and output',
      permission: 'platform.tenant.view',
      params: runContract.TenantRun,
      response: RunResponse,
      handler: (operator, { params }) => operator.inTenant(params.tenantId, (ctx) => runs.getRun(ctx, params.id)),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:tenantId/action-runs/:id/reconcile',
      name: 'reconcileForTenant',
      tag: 'Operator',
      summary: 'Ask the tenant’s backend for the result of an unknown run',
      permission: 'platform.tenant.manage',
      params: runContract.TenantRun,
      response: RunResponse,
      handler: (operator, { params: { tenantId, id: runId } }) =>
        runs.reconcileRun(deps, (work) => operator.inTenant(tenantId, work), { tenantId, runId }),
    }),
    operatorRoute({
      method: 'POST',
      path: '/admin/tenants/:tenantId/action-runs/:id/resolve',
      name: 'resolveForTenant',
      tag: 'Operator',
      summary: 'Resolve an unknown run, after asking the tenant',
      permission: 'platform.tenant.manage',
      params: runContract.TenantRun,
      body: runContract.ResolveRun,
      response: RunResponse,
      handler: (operator, { params, body }) =>
        operator.inTenant(params.tenantId, (ctx) => runs.resolveRun(ctx, deps.chats, params.id, body)),
    }),
    publicRoute({
      method: 'GET',
      path: '/.well-known/jwks.json',
      name: 'getAssertionKeys',
      tag: 'Actions',
      summary: 'Get the public keys for end-user assertions',
      description: 'Use them to verify `X-Service-End-User`. A new key is published one day before it is used.',
      permission: 'public',
      cache: { seconds: 300, staleSeconds: 3_600, varyBy: 'accept' },
      response: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
      handler: async () => ({ keys: (await deps.assertions.jwks()) as Record<string, unknown>[] }),
    }),
  ];
};
