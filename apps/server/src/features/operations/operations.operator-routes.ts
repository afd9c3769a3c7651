import { operatorRoute, type Route } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Platform } from '../../platform/platform.ts';
import { wakeReplay } from '../webhooks/index.ts';
import { BusiestTenants, ListBusiestTenants } from './busiest-tenants/busiest-tenants.contract.ts';
import { listBusiestTenants } from './busiest-tenants/busiest-tenants.operator.service.ts';
import * as invocations from './invocations/invocations.contract.ts';
import { act, getInvocation, listInvocations } from './invocations/invocations.operator.service.ts';
import * as jobs from './jobs/jobs.contract.ts';
import { listJobs, retryJob } from './jobs/jobs.operator.service.ts';
import { ListRateLimitUsage, RateLimitUsage } from './rate-limit-usage/rate-limit-usage.contract.ts';
import { readRateLimitUsage } from './rate-limit-usage/rate-limit-usage.operator.service.ts';
import { System } from './system/system.contract.ts';
import { createSystemCheck } from './system/system.operator.service.ts';

const tag = 'Operator';

export const operationsRoutes = (platform: Platform): Route[] => [
  ...systemRoutes(platform),
  ...invocationRoutes(platform),
  ...jobRoutes(platform),
];

function systemRoutes(platform: Platform): Route[] {
  const checkSystem = createSystemCheck(platform);
  return [
    operatorRoute({
      method: 'GET',
      path: '/admin/system',
      name: 'getSystem',
      tag,
      summary: 'Get system health',
      description:
        'Health of each component, queues, and what to do. Measured live, within two seconds. A component that is down is reported as such; the response is still returned.',
      permission: 'platform.system.view',
      response: System,
      handler: () => checkSystem(),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/rate-limit-usage',
      name: 'getRateLimitUsage',
      tag,
      summary: 'Get rate-limit usage and budgets across tenants',
      permission: 'platform.system.view',
      query: ListRateLimitUsage,
      response: RateLimitUsage,
      handler: (_operator, { query }) => readRateLimitUsage(platform, query.hours),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/busiest-tenants',
      name: 'listBusiestTenants',
      tag,
      summary: 'List the busiest tenants',
      permission: 'platform.system.view',
      query: ListBusiestTenants,
      response: BusiestTenants,
      handler: (_operator, { query }) => listBusiestTenants(platform, query),
    }),
  ];
}

const invocationRoutes = (platform: Platform): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/invocations',
    name: 'listInvocations',
    tag,
    summary: 'List open Restate invocations',
    description: 'Newest first, with the tenant, the last failure and what to do. Never contains message text.',
    permission: 'platform.system.view',
    query: invocations.ListInvocations,
    response: invocations.Invocations,
    handler: (_operator, { query }) => listInvocations(platform, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/invocations/:id',
    name: 'getInvocation',
    tag,
    summary: 'Get a Restate invocation',
    permission: 'platform.system.view',
    params: invocations.InvocationId,
    response: invocations.OneInvocation,
    handler: (_operator, { params }) => getInvocation(platform, params.id),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/invocations/:id/resume',
    name: 'resumeInvocation',
    tag,
    summary: 'Resume a paused invocation, or retry one now',
    permission: 'platform.system.manage',
    params: invocations.InvocationId,
    body: invocations.ReasonInput,
    response: invocations.InvocationActionResult,
    handler: (operator, { params, body }, requestInfo) =>
      act(platform, { operator, requestInfo }, { ...params, ...body, what: 'resume' }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/invocations/:id/cancel',
    name: 'cancelInvocation',
    tag,
    summary: 'Cancel an invocation at its next step',
    description: 'Its worker must be running to receive this. Unfinished work is restarted from the database.',
    permission: 'platform.system.manage',
    params: invocations.InvocationId,
    body: invocations.ReasonInput,
    response: invocations.InvocationActionResult,
    handler: (operator, { params, body }, requestInfo) =>
      act(platform, { operator, requestInfo }, { ...params, ...body, what: 'cancel' }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/invocations/:id/kill',
    name: 'killInvocation',
    tag,
    summary: 'Kill an invocation',
    description:
      'Takes effect immediately. Data in the database stays as it is, and the sweeper restarts unfinished work. A step in progress may still complete.',
    permission: 'platform.system.manage',
    stepUp: true,
    params: invocations.InvocationId,
    body: invocations.ReasonInput,
    response: invocations.InvocationActionResult,
    handler: (operator, { params, body }, requestInfo) =>
      act(platform, { operator, requestInfo }, { ...params, ...body, what: 'kill' }),
  }),
];

const jobRoutes = (platform: Platform): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/jobs',
    name: 'listJobs',
    tag,
    summary: 'List background jobs across tenants',
    permission: 'platform.system.view',
    query: jobs.ListJobs,
    response: jobs.Jobs,
    handler: (_operator, { query }) => listJobs(jobDeps(platform), query),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/jobs/retry',
    name: 'retryJob',
    tag,
    summary: 'Retry a job, or run it now',
    permission: 'platform.system.manage',
    body: jobs.RetryJob,
    response: jobs.RetryJobResult,
    handler: (operator, { body }, requestInfo) =>
      retryJob(jobDeps(platform), { operator, requestInfo }, body, operator.inTenant),
  }),
];

const jobDeps = ({ services, restate }: Platform) => ({
  services,
  wakeReplay: (tenantId: Id<'tenant'>, replayId: string) => wakeReplay(restate, tenantId, replayId),
});
