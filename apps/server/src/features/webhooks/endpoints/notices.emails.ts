import { renderEmail } from '../../../platform/email-layout.ts';
import type { EmailRenderers } from '../../../platform/emails.ts';
import { noticeEmail } from './notices.ts';

const texts = {
  failing: {
    subject: 'Your webhook endpoint is failing',
    lead: (url: string, since: string) => `Deliveries to ${url} have been failing since ${since}.`,
    nextSteps: 'No events are lost. We keep them for 30 days and deliver them when your endpoint responds again.',
  },
  disabled: {
    subject: 'Your webhook endpoint has been disabled',
    lead: (url: string, since: string) =>
      `${url} hasn’t accepted a delivery since ${since}, so we’ve stopped sending events to it.`,
    nextSteps:
      'No events are lost. We keep them for 30 days, check your endpoint from time to time and deliver pending events when it responds again. You can also resume it yourself.',
  },
  recovered: {
    subject: 'Your webhook endpoint is working again',
    lead: (url: string) => `${url} is accepting deliveries again.`,
    nextSteps: 'Pending events are being delivered now, oldest first.',
  },
} as const;

export const webhookEmails: EmailRenderers = {
  [noticeEmail]: ({ data }) => {
    const kind = data['kind'] as keyof typeof texts;
    const { subject, lead, nextSteps } = texts[kind];
    const since = String(data['since']).slice(0, 16).replace('T', ' ') + ' UTC';
    const paragraphs = [
      lead(String(data['url']), since),
      ...(kind === 'recovered' ? [] : [String(data['problem'])]),
      nextSteps,
    ];
    return Promise.resolve(renderEmail({ locale: 'en', subject, greeting: 'Hi,', paragraphs }));
  },
};
