import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { BotContent } from '../bots/bot-content.contract.ts';
import { AttributeChanges, ContactName } from '../contacts/contacts.contract.ts';
import { State } from '../conversations/conversations.contract.ts';

const key = z.string().min(1).max(200);
const label = z.string().min(1).max(200);
const token = z.string().min(1).max(4_000);

export const OpenAnonymous = z.strictObject({
  publicKey: key,
  botId: z.string().min(1).max(80),
  visitorId: label.describe('Your page’s name for the visitor. Not verified, and doesn’t restore any history.'),
  visitorToken: token.optional().describe('From the previous session: restores the visitor’s conversation.'),
});
export type OpenAnonymous = z.infer<typeof OpenAnonymous>;

export const OpenAuthenticated = z.strictObject({
  tenantId: z.string().min(1).max(80),
  workspaceId: z.string().min(1).max(80),
  environmentId: z.string().min(1).max(80),
  botId: z.string().min(1).max(80),
  externalUserId: label.describe('The user’s id in your system.'),
  email: z.email().max(254),
  name: ContactName.optional().describe('Shown to your team.'),
  attributes: AttributeChanges.optional(),
});
export type OpenAuthenticated = z.infer<typeof OpenAuthenticated>;

export const RefreshSession = z.strictObject({ sessionToken: token });

/** Configuration of the widget. All of it is public. */
export const WidgetConfig = z
  .object({
    ...BotContent.pick({
      title: true,
      greeting: true,
      quickReplies: true,
      disclosure: true,
      languages: true,
      appearance: true,
      texts: true,
      proactive: true,
      preChat: true,
    }).shape,
    botId: idOf('bot'),
    versionId: idOf('botVersion'),
    isHandoffOffered: z.boolean(),
  })
  .meta({ id: 'WidgetConfig' });
export type WidgetConfig = z.infer<typeof WidgetConfig>;

const session = z.object({
  sessionToken: z
    .string()
    .describe('Expires after 30 minutes, or with its key if that is earlier. Keep it in memory only.'),
  expiresAt: z.date(),
});
export const AnonymousSession = session.extend({
  visitorToken: z.string().describe('Store it once the visitor has sent a message, and send it with the next session.'),
  conversation: z
    .object({ id: idOf('conversation'), lastSeq: z.int(), state: State })
    .nullable()
    .describe('The conversation to continue, if any.'),
  config: WidgetConfig,
});
export const AuthenticatedSession = session.extend({ contactId: idOf('contact') });
export const RenewedSession = session;
export const TrySession = session.extend({ config: WidgetConfig });

/** An origin on which the bot was shown. */
export const Install = z
  .object({
    origin: z.string(),
    firstSeenAt: z.date(),
    lastSeenAt: z.date().describe('Accurate to a few minutes.'),
  })
  .meta({ id: 'Install' });
export type Install = z.infer<typeof Install>;
export const Installs = z.object({ data: z.array(Install), nextCursor: z.null() });
