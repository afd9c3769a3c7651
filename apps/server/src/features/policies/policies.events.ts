import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Policies } from './policies.contract.ts';

/** For the audit log. Not available for webhooks, because it contains the tenant's networks. */
export const policiesChanged = defineEvent('policies.changed', z.object({ object: Policies, previous: Policies }), {
  isPublic: false,
});
