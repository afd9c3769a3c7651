import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../../platform/lists.contract.ts';

const InvocationStatus = z
  .enum(['stuck', 'pending', 'scheduled', 'ready', 'running', 'backing-off', 'suspended', 'paused'])
  .describe(
    'As reported by Restate. `backing-off`: failed, will be retried. `paused`: failed, no longer retried. `stuck`: either of the two.',
  );

export const InvocationId = z.object({ id: z.string().regex(/^inv_[0-9A-Za-z]{20,60}$/) });

export const ListInvocations = ListQuery.extend({
  status: InvocationStatus.optional(),
  service: z
    .string()
    .regex(/^\w{1,60}$/)
    .optional()
    .describe('Such as `WebhookReplay`.'),
});
export type ListInvocations = z.infer<typeof ListInvocations>;

export const Invocation = z
  .object({
    id: z.string(),
    service: z.string(),
    handler: z.string(),
    what: z.string().describe('A human-readable description.'),
    tenantId: idOf('tenant').nullable(),
    subject: z.string().nullable().describe('The tenant’s resource it works on, such as an endpoint.'),
    status: z.string(),
    attempts: z.int().nullable(),
    failure: z.string().nullable().describe('The last failure, without URLs, secrets or quoted content.'),
    failureCode: z.string().nullable().describe('Restate’s error code, such as `RT0010`.'),
    createdAt: z.string(),
    changedAt: z.string().nullable(),
    nextAt: z.string().nullable().describe('When it is retried or starts.'),
    advice: z.string(),
    afterKill: z.string().describe('What happens to the work if you kill it.'),
  })
  .meta({ id: 'Invocation' });
export type Invocation = z.infer<typeof Invocation>;

export const Invocations = Page(Invocation).extend({
  problem: z.string().nullable().describe('Why the list could not be loaded. null: the list is complete.'),
});

export const OneInvocation = z.object({ invocation: Invocation });
export const ReasonInput = z.strictObject({
  reason: z.string().trim().min(3).max(500).describe('Recorded in the admin pool’s audit log.'),
});
export const InvocationActionResult = z.object({ status: z.literal('done') });
