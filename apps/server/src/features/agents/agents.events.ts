import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Presence } from './agents.contract.ts';

export const presenceChanged = defineEvent('agent.presence_changed', z.object({ object: Presence }), {
  permission: 'conversation.view',
  isAudited: false,
});
