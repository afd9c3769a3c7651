import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Policies } from './policies.contract.ts';

/** For the audit log. It names the networks of the tenant, so it is not offered to webhooks. */
export const policiesChanged = defineEvent('policies.changed', z.object({ object: Policies, previous: Policies }), {
  isPublic: false,
});
