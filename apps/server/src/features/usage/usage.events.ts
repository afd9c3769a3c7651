import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Limit } from '../../platform/access.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.

export const thresholdReached = defineEvent(
  'usage.threshold_reached',
  z.object({
    object: z.object({
      limit: Limit,
      percent: z.int(),
      used: z.number(),
      allowed: z.number(),
      period: z.string().describe('First day of the period.'),
    }),
  }),
  { permission: 'analytics.view' },
);
