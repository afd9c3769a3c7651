import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

const InvocationStatus = z
  .enum(['stuck', 'pending', 'scheduled', 'ready', 'running', 'backing-off', 'suspended', 'paused'])
  .describe(
    'As Restate says. `backing-off`: failed, and is tried again. `paused`: failed, and nobody tries any more. `stuck`: either.',
  );

export const InvocationId = z.object({ id: z.string().regex(/^inv_[0-9A-Za-z]{20,60}$/) });

export const ListInvocations = ListQuery.extend({
  status: InvocationStatus.optional(),
  service: z
    .string()
    .regex(/^\w{1,60}$/)
    .optional()
    .describe('Such as `WebhookEndpoint`.'),
});
export type ListInvocations = z.infer<typeof ListInvocations>;

export const Invocation = z
  .object({
    id: z.string(),
    service: z.string(),
    handler: z.string(),
    what: z.string().describe('In words.'),
    tenantId: idOf('tenant').nullable(),
    subject: z.string().nullable().describe('What of the tenant it is about, such as an endpoint.'),
    status: z.string(),
    attempts: z.int().nullable(),
    failure: z.string().nullable().describe('Why it last failed, without addresses, secrets and quoted texts.'),
    failureCode: z.string().nullable().describe('Restate’s own code, such as `RT0010`.'),
    createdAt: z.string(),
    changedAt: z.string().nullable(),
    nextAt: z.string().nullable().describe('When it is tried again, or begins.'),
    advice: z.string(),
    afterKill: z.string().describe('What becomes of the work if this is killed.'),
  })
  .meta({ id: 'Invocation' });
export type Invocation = z.infer<typeof Invocation>;

export const Invocations = Page(Invocation).extend({
  problem: z.string().nullable().describe('Why nothing could be read. null: this is all there is.'),
});

export const OneInvocation = z.object({ invocation: Invocation });
export const WithReason = z.strictObject({
  reason: z.string().trim().min(3).max(500).describe('Stands in the audit log of the admin pool.'),
});
export const Acted = z.object({ status: z.literal('done') });
