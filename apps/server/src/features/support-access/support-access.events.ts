import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { SupportPolicy, SupportRequest } from './support-access.contract.ts';

// For the tenant's audit log. Not available to webhooks, because they contain names of operators.
const internal = { isPublic: false } as const;
const request = z.object({ object: SupportRequest });

export const supportRequested = defineEvent('support_access.requested', request, internal);
export const supportApproved = defineEvent('support_access.approved', request, internal);
export const supportDeclined = defineEvent('support_access.declined', request, internal);
export const supportPolicyChanged = defineEvent(
  'support_access.changed',
  z.object({ object: z.object({ policy: SupportPolicy }), previous: z.object({ policy: SupportPolicy }) }),
  internal,
);
