import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Model } from './models.contract.ts';

const data = z.object({ object: Model });

/** For the audit log. The key is in none of them. */
export const modelCreated = defineEvent('model.created', data, { isPublic: false });
export const modelUpdated = defineEvent('model.updated', data, { isPublic: false });
export const modelDeleted = defineEvent('model.deleted', data, { isPublic: false });
