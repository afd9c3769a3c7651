import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

export const JobKind = z
  .enum(['overdue', 'letter', 'sync', 'failed-sync', 'replay', 'erasure'])
  .describe(
    '`overdue`: should have been done minutes ago. `letter`: given up. `sync`, `failed-sync`: of knowledge, running or failed. `replay`: of webhooks, running. `erasure`: of a deleted tenant, waiting for its day.',
  );
export type JobKind = z.infer<typeof JobKind>;

export const Job = z
  .object({
    kind: JobKind,
    id: z.string(),
    tenantId: idOf('tenant').nullable(),
    tenantName: z.string().nullable(),
    what: z.string().describe('In words.'),
    subject: z
      .string()
      .nullable()
      .describe('What it is about: an id, a name, or of an address what tells one from another.'),
    at: z.date().describe('Since when, or for when.'),
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
  tenantId: idOf('tenant').nullable().describe('As the job says.'),
  reason: z.string().trim().min(3).max(500).describe('Stands in the audit log.'),
});
export type RetryJob = z.infer<typeof RetryJob>;
export const Retried = z.object({ status: z.literal('done'), text: z.string().describe('What happens now.') });
