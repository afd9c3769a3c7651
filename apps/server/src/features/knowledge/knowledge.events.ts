import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { Source } from './knowledge.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.

const data = z.object({ object: Source });

/** A schedule would fill the audit log with them. */
const unlogged = { permission: 'bot.view', isAudited: false } as const;
export const knowledgeSynced = defineEvent('knowledge.synced', data, unlogged);
export const knowledgeFailed = defineEvent('knowledge.failed', data, unlogged);

/** For the audit log and our own timers. */
export const knowledgeCreated = defineEvent('knowledge.created', data, { isPublic: false });
export const knowledgeUpdated = defineEvent('knowledge.updated', data, { isPublic: false });
export const knowledgeDeleted = defineEvent('knowledge.deleted', data, { isPublic: false });

/** Starts the work. Its id is the sync's. */
export const syncRequested = defineEvent(
  'knowledge.sync_requested',
  z.object({ object: z.object({ id: idOf('knowledgeSource') }) }),
  { isPublic: false, isAudited: false },
);
