import type { Config } from '../../../platform/config.ts';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import { plainName, renderEmail } from '../../../platform/email-layout.ts';
import type { EmailRenderers } from '../../../platform/emails.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import * as conversations from '../conversations.store.ts';
import { messagesBefore } from '../log/log.store.ts';
import { waitingEmail } from './waiting-emails.ts';

/** For a process whose clock is behind. */
const toleranceMinutes = 1;

/** The limits count within business hours only; who reads the email wants to know how long the visitor has waited. */
function durationOf(minutes: number): string {
  const [n, unit] =
    minutes < 60 ? [minutes, 'minute'] : minutes < 2_880 ? [minutes / 60, 'hour'] : [minutes / 1_440, 'day'];
  const count = Math.max(1, Math.floor(n));
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

export const waitingEmails = (services: Services, { PORTAL_URL }: Pick<Config, 'PORTAL_URL'>): EmailRenderers => ({
  [waitingEmail]: async ({ data }) => {
    const { tenantId, conversationId, minutes, isEscalated } = data as {
      tenantId: Id<'tenant'>;
      conversationId: string;
      minutes: number;
      isEscalated: boolean;
    };
    const waiting = await inTenant(
      services,
      asSystem(tenantId, 'emails'),
      async ({ tx }) => {
        const { waitingSince, state } = (await conversations.find(tx, conversationId)) ?? {};
        const waitedMinutes = waitingSince ? (Date.now() - waitingSince.getTime()) / 60_000 : Number.NEGATIVE_INFINITY;
        // Answered, snoozed, closed or deleted in the meantime: the email is no longer needed.
        if (waitedMinutes < minutes - toleranceMinutes) return null;
        const recent = await messagesBefore(tx, conversationId, { max: 20 });
        const lastText = recent.find(({ role }) => role === 'visitor')?.text ?? '';
        return { lastText, time: durationOf(waitedMinutes), isClaimed: state === 'human' };
      },
      { readOnly: true },
    );
    if (!waiting) return null;
    const { lastText, time, isClaimed } = waiting;
    const url = PORTAL_URL && new URL(`/conversations/${conversationId}`, PORTAL_URL).href;
    return renderEmail({
      locale: 'en',
      subject: isEscalated ? 'A conversation was escalated to you' : `A visitor has been waiting for ${time}`,
      greeting: 'Hi,',
      paragraphs: [
        isEscalated
          ? `A visitor has been waiting for ${time}, so the conversation is now with you.`
          : isClaimed
            ? `A visitor has been waiting for a reply for ${time}.`
            : `A visitor has been waiting for an agent for ${time}, and no one has claimed the conversation yet.`,
        ...(lastText === '' ? [] : [`Their last message: ${plainName(lastText.slice(0, 300))}`]),
      ],
      ...(url && { button: { label: 'Open conversation', url } }),
      footnotes: ['You can change when you get these emails in your profile, under Notifications.'],
    });
  },
});
