import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';

/** For the tenant's audit log: an operator retried one of its jobs. */
export const jobRetried = defineEvent(
  'job.retried',
  z.object({ object: z.object({ kind: z.string(), id: z.string(), reason: z.string() }) }),
  { isPublic: false },
);
