import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Model } from './models.contract.ts';

const data = z.object({ object: Model });

/** For the audit log. They never contain the API key. */
export const modelCreated = defineEvent('model.created', data, { isPublic: false });
export const modelUpdated = defineEvent('model.updated', data, { isPublic: false });
export const modelDeleted = defineEvent('model.deleted', data, { isPublic: false });
