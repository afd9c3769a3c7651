import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';

// For the tenant's audit log. Not available to webhooks, because they contain names of operators.
const internal = { isPublic: false } as const;

const ImpersonatedSession = z.object({ sessionId: idOf('session'), userId: idOf('user') });

export const impersonationStarted = defineEvent(
  'impersonation.started',
  z.object({
    object: ImpersonatedSession.extend({
      reason: z.string(),
      operator: z.object({ id: z.string(), email: z.string(), name: z.string() }),
      expiresAt: z.date(),
    }),
  }),
  internal,
);
/** Ended early. Otherwise an impersonation ends at its `expiresAt`, without an event. */
export const impersonationEnded = defineEvent(
  'impersonation.ended',
  z.object({ object: ImpersonatedSession.extend({ operatorId: z.string() }) }),
  internal,
);
