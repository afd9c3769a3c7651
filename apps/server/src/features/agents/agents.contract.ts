import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';

export const PresenceStatus = z.enum(['available', 'away']);
export type PresenceStatus = z.infer<typeof PresenceStatus>;

export const SetPresence = z.strictObject({ status: PresenceStatus });
export const Presence = z
  .object({
    userId: idOf('user'),
    status: PresenceStatus,
    availableUntil: z
      .date()
      .nullable()
      .describe('Without a heartbeat until then, you count as away. null while you are away.'),
  })
  .meta({ id: 'Presence' });
export type Presence = z.infer<typeof Presence>;
export const OnePresence = z.object({ presence: Presence });

export const Agent = z
  .object({
    userId: idOf('user'),
    name: z.string(),
    status: PresenceStatus,
    openConversations: z.int().describe('Conversations assigned to them that are not closed.'),
    teamIds: z.array(idOf('team')),
  })
  .meta({ id: 'Agent' });
export type Agent = z.infer<typeof Agent>;
export const Agents = z.object({ data: z.array(Agent), nextCursor: z.null() });

export const emailAfterOptions = [5, 15, 60] as const;
export const NotificationSettings = z
  .strictObject({
    emailAfterMinutes: z
      .literal([...emailAfterOptions])
      .nullable()
      .describe('Email me when a visitor has waited for so many minutes. null: never.'),
    wantsDigest: z
      .boolean()
      .describe('Email me once a day, when the workspace opens, if there is something to report.'),
    playsSound: z.boolean().describe('Play a sound in the portal when a visitor asks for an agent.'),
    showsDesktop: z.boolean().describe('Show a desktop notification when a visitor asks for an agent.'),
  })
  .meta({ id: 'NotificationSettings' });
export type NotificationSettings = z.infer<typeof NotificationSettings>;
export const OneNotificationSettings = z.object({ notifications: NotificationSettings });
