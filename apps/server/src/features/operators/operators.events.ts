import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';

// For the audit log of the tenant; they name people, so customers are not offered these for their webhooks.
const internal = { isPublic: false } as const;

const Lent = z.object({ sessionId: idOf('session'), userId: idOf('user') });

/** The tenant learns who was there, in whose place, and why. */
export const impersonationStarted = defineEvent(
  'impersonation.started',
  z.object({
    object: Lent.extend({
      reason: z.string(),
      operator: z.object({ id: z.string(), email: z.string(), name: z.string() }),
      expiresAt: z.date(),
    }),
  }),
  internal,
);
/** Before its time, by an operator. One that nobody ends is over at its `expiresAt`. */
export const impersonationEnded = defineEvent(
  'impersonation.ended',
  z.object({ object: Lent.extend({ operatorId: z.string() }) }),
  internal,
);
