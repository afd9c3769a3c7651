import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { BusinessHours } from './business-hours.contract.ts';

/** For the audit log. */
export const businessHoursUpdated = defineEvent(
  'business_hours.updated',
  z.object({ object: BusinessHours.extend({ workspaceId: idOf('workspace') }) }),
  { isPublic: false },
);
