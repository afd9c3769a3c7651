import type { Config } from '../../../platform/config.ts';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import { plainName, renderEmail } from '../../../platform/email-layout.ts';
import type { EmailRenderers } from '../../../platform/emails.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import * as conversations from '../conversations.store.ts';
import { messagesBefore } from '../log/log.store.ts';
import { waitingEmail } from './waiting-emails.ts';

export const waitingEmails = (services: Services, { PORTAL_URL }: Pick<Config, 'PORTAL_URL'>): EmailRenderers => ({
  [waitingEmail]: async ({ data }) => {
    const { tenantId, conversationId, minutes, isEscalated } = data as {
      tenantId: Id<'tenant'>;
      conversationId: string;
      minutes: number;
      isEscalated: boolean;
    };
    const lastText = await inTenant(
      services,
      asSystem(tenantId, 'emails'),
      async ({ tx }) => {
        // Claimed, closed or deleted in the meantime: the email is no longer needed.
        if ((await conversations.find(tx, conversationId))?.state !== 'waiting_human') return null;
        const recent = await messagesBefore(tx, conversationId, { max: 20 });
        return recent.find(({ role }) => role === 'visitor')?.text ?? '';
      },
      { readOnly: true },
    );
    if (lastText === null) return null;
    const time = minutes === 1 ? '1 minute' : `${minutes} minutes`;
    const url = PORTAL_URL && new URL(`/conversations/${conversationId}`, PORTAL_URL).href;
    return renderEmail({
      locale: 'en',
      subject: isEscalated ? 'A conversation was escalated to you' : `A visitor has been waiting for ${time}`,
      greeting: 'Hi,',
      paragraphs: [
        isEscalated
          ? `No one claimed a conversation within ${time}, so it’s now with you.`
          : `A visitor asked for an agent ${time} ago, and no one has claimed the conversation yet.`,
        ...(lastText === '' ? [] : [`Their last message: ${plainName(lastText.slice(0, 300))}`]),
      ],
      ...(url && { button: { label: 'Open conversation', url } }),
      footnotes: ['You can change when you get these emails in your profile, under Notifications.'],
    });
  },
});
