import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../../platform/lists.contract.ts';

export const JobKind = z
  .enum(['overdue', 'email', 'sync', 'failed-sync', 'replay', 'erasure'])
  .describe(
    '`overdue`: late by minutes. `email`: one that failed permanently. `sync`, `failed-sync`: a knowledge sync, running or failed. `replay`: a webhook replay in progress. `erasure`: a deleted tenant that is scheduled for erasure.',
  );
export type JobKind = z.infer<typeof JobKind>;

export const Job = z
  .object({
    kind: JobKind,
    id: z.string(),
    tenantId: idOf('tenant').nullable(),
    tenantName: z.string().nullable(),
    what: z.string().describe('A human-readable description.'),
    subject: z.string().nullable().describe('What it is about: an id, a name or a masked email address.'),
    at: z.date().describe('When it started or is scheduled for.'),
    attempts: z.int().nullable(),
    done: z.int().nullable(),
    total: z.int().nullable(),
    error: z.string().nullable(),
    canRetry: z.boolean(),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;
export const Jobs = Page(Job);

export const ListJobs = ListQuery.extend({ kind: JobKind.default('overdue') });
export type ListJobs = z.infer<typeof ListJobs>;

export const RetryJob = z.strictObject({
  kind: JobKind.exclude(['sync', 'erasure']),
  id: z.string().min(1).max(200),
  tenantId: idOf('tenant').nullable().describe('As listed on the job.'),
  reason: z.string().trim().min(3).max(500).describe('Recorded in the audit log.'),
});
export type RetryJob = z.infer<typeof RetryJob>;
export const RetryJobResult = z.object({ status: z.literal('done'), text: z.string().describe('What happens next.') });
