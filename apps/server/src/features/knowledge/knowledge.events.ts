import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { Source } from './knowledge.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.

const data = z.object({ object: Source });

/** Not audited: scheduled syncs would fill the audit log. */
const unlogged = { permission: 'bot.view', isAudited: false } as const;
export const knowledgeSynced = defineEvent('knowledge.synced', data, unlogged);
export const knowledgeFailed = defineEvent('knowledge.failed', data, unlogged);

/** For the audit log and internal timers. */
export const knowledgeCreated = defineEvent('knowledge.created', data, { isPublic: false });
export const knowledgeUpdated = defineEvent('knowledge.updated', data, { isPublic: false });
export const knowledgeDeleted = defineEvent('knowledge.deleted', data, { isPublic: false });

/** Starts a sync. The event id is the sync id. */
export const syncRequested = defineEvent(
  'knowledge.sync_requested',
  z.object({ object: z.object({ id: idOf('knowledgeSource') }) }),
  { isPublic: false, isAudited: false },
);
