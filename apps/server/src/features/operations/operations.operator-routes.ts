import { operatorRoute, type Route } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Platform } from '../../platform/platform.ts';
import { askObject } from '../../platform/restate.ts';
import * as invocations from './invocations.contract.ts';
import { act, getInvocation, listInvocations } from './invocations.operator.service.ts';
import * as jobs from './jobs.contract.ts';
import { listJobs, retryJob } from './jobs.operator.service.ts';
import { AskPressure, Pressure } from './pressure.contract.ts';
import { readPressure } from './pressure.operator.service.ts';
import { System } from './system.contract.ts';
import { createLook } from './system.operator.service.ts';

const tag = 'Operator';

/** For whoever keeps the platform running. */
export const operationsRoutes = (platform: Platform): Route[] => [
  ...lookingRoutes(platform),
  ...invocationRoutes(platform),
  ...jobRoutes(platform),
];

function lookingRoutes(platform: Platform): Route[] {
  const look = createLook(platform);
  return [
    operatorRoute({
      method: 'GET',
      path: '/admin/system',
      name: 'getSystem',
      tag,
      summary: 'Read how each part does, what waits, and what to do about it',
      description:
        'Measured now, within two seconds. A part that is away is said to be away; the answer comes all the same.',
      permission: 'platform.system.view',
      answer: System,
      handler: () => look(),
    }),
    operatorRoute({
      method: 'GET',
      path: '/admin/pressure',
      name: 'getPressure',
      tag,
      summary: 'Read who is refused most for asking too often, and who is near a budget',
      permission: 'platform.system.view',
      query: AskPressure,
      answer: Pressure,
      handler: (_desk, { query }) => readPressure(platform, query.hours),
    }),
  ];
}

const invocationRoutes = (platform: Platform): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/invocations',
    name: 'listInvocations',
    tag,
    summary: 'List what runs in Restate and has not ended, newest first',
    description: 'Each with its tenant, why it last failed, and what to do about it. No texts of messages.',
    permission: 'platform.system.view',
    query: invocations.ListInvocations,
    answer: invocations.Invocations,
    handler: (_desk, { query }) => listInvocations(platform, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/invocations/:id',
    name: 'getInvocation',
    tag,
    summary: 'Read one of what runs in Restate',
    permission: 'platform.system.view',
    params: invocations.InvocationId,
    answer: invocations.OneInvocation,
    handler: (_desk, { params }) => getInvocation(platform, params.id),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/invocations/:id/resume',
    name: 'resumeInvocation',
    tag,
    summary: 'Let a paused invocation go on, or try one at once that backs off',
    permission: 'platform.system.manage',
    params: invocations.InvocationId,
    body: invocations.WithReason,
    answer: invocations.Acted,
    handler: (operator, { params, body }, from) =>
      act(platform, { operator, from }, { ...params, ...body, what: 'resume' }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/invocations/:id/cancel',
    name: 'cancelInvocation',
    tag,
    summary: 'Ask an invocation to end at its next step',
    description: 'Its worker must run to hear it. What is still open begins anew from its row.',
    permission: 'platform.system.manage',
    params: invocations.InvocationId,
    body: invocations.WithReason,
    answer: invocations.Acted,
    handler: (operator, { params, body }, from) =>
      act(platform, { operator, from }, { ...params, ...body, what: 'cancel' }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/invocations/:id/kill',
    name: 'killInvocation',
    tag,
    summary: 'End an invocation at once, whatever it is doing',
    description:
      'The rows stay as they are, and the sweeper begins anew what is still open. A step that is under way may end all the same.',
    permission: 'platform.system.manage',
    stepUp: true,
    params: invocations.InvocationId,
    body: invocations.WithReason,
    answer: invocations.Acted,
    handler: (operator, { params, body }, from) =>
      act(platform, { operator, from }, { ...params, ...body, what: 'kill' }),
  }),
];

const jobRoutes = (platform: Platform): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/jobs',
    name: 'listJobs',
    tag,
    summary: 'List background jobs of one kind across tenants',
    permission: 'platform.system.view',
    query: jobs.ListJobs,
    answer: jobs.Jobs,
    handler: (_desk, { query }) => listJobs(jobParts(platform), query),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/jobs/retry',
    name: 'retryJob',
    tag,
    summary: 'Do a job once more, or at once',
    permission: 'platform.system.manage',
    body: jobs.RetryJob,
    answer: jobs.Retried,
    handler: (operator, { body }, from) => retryJob(jobParts(platform), { operator, from }, body, operator.inTenant),
  }),
];

const jobParts = ({ ground, engine }: Platform) => ({
  ground,
  wakeReplay: (tenantId: Id<'tenant'>, replayId: string) =>
    askObject(
      engine,
      { object: 'WebhookReplay', key: `${tenantId}/${replayId}`, handler: 'run' },
      { tenantId, replayId },
    ),
});
