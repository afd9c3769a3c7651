import type { Config } from '../../platform/config.ts';
import { plainName, renderEmail } from '../../platform/email-layout.ts';
import type { EmailRenderers } from '../../platform/emails.ts';
import { digestEmail } from './digests.ts';
import type { Digest } from './digests.store.ts';

/** The first of the days that it is about. */
function sinceWhen(since: string, until: string): string {
  if (since === until) return 'Yesterday';
  const days = (Date.parse(until) - Date.parse(since)) / 86_400_000;
  const style = days < 6 ? ({ weekday: 'long' } as const) : ({ day: 'numeric', month: 'long' } as const);
  return `Since ${new Intl.DateTimeFormat('en', { ...style, timeZone: 'UTC' }).format(new Date(since))}`;
}

const count = (n: number, one: string, many: string) => (n === 1 ? `1 ${one}` : `${n} ${many}`);

export const digestEmails = ({ PORTAL_URL }: Pick<Config, 'PORTAL_URL'>): EmailRenderers => ({
  [digestEmail]: ({ data }) => {
    const { workspaceName, waiting, unanswered, ratings, ratingSum, since, until } = data as unknown as Digest & {
      since: string;
      until: string;
    };
    const when = sinceWhen(since, until);
    const url = PORTAL_URL && new URL(waiting > 0 ? '/conversations' : '/insights', PORTAL_URL).href;
    return Promise.resolve(
      renderEmail({
        locale: 'en',
        subject: `Your daily summary for ${plainName(workspaceName)}`,
        greeting: 'Hi,',
        paragraphs: [
          ...(waiting > 0 ? [`${count(waiting, 'visitor is', 'visitors are')} waiting for an agent right now.`] : []),
          ...(unanswered > 0
            ? [`${when}, the bot couldn’t answer ${count(unanswered, 'question', 'questions')}.`]
            : []),
          ...(ratings > 0
            ? [
                `${when}, visitors rated ${count(ratings, 'conversation', 'conversations')}, with ${(ratingSum / ratings).toFixed(1)} of 5 on average.`,
              ]
            : []),
        ],
        ...(url && { button: { label: waiting > 0 ? 'Open conversations' : 'View insights', url } }),
        footnotes: ['You can turn this email off in your profile, under Notifications.'],
      }),
    );
  },
});
