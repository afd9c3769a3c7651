import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';

/** For the audit log of the tenant: an operator had something of theirs done again, and why. */
export const jobRetried = defineEvent(
  'job.retried',
  z.object({ object: z.object({ kind: z.string(), id: z.string(), reason: z.string() }) }),
  { isPublic: false },
);
