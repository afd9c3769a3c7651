import { renderLetter } from '../../platform/letter-layout.ts';
import type { LetterWriters } from '../../platform/letters.ts';
import { noticeLetter } from './notices.ts';

const words = {
  failing: {
    subject: 'Your webhook endpoint does not answer',
    lead: (url: string, since: string) => `Calls to ${url} have failed since ${since}.`,
    hope: 'Nothing is lost: what happens meanwhile is held for 30 days and delivered when the endpoint answers again.',
  },
  disabled: {
    subject: 'Your webhook endpoint was disabled',
    lead: (url: string, since: string) => `${url} has taken no call since ${since}, so we have stopped calling it.`,
    hope: 'Nothing is lost: what happens is held for 30 days. We look from time to time whether it answers again, and then deliver what waits; you can also resume it yourself.',
  },
  recovered: {
    subject: 'Your webhook endpoint answers again',
    lead: (url: string) => `${url} takes calls again.`,
    hope: 'What was held is being delivered now, oldest first.',
  },
} as const;

export const webhookLetters: LetterWriters = {
  [noticeLetter]: ({ data }) => {
    const kind = data['kind'] as keyof typeof words;
    const { subject, lead, hope } = words[kind];
    const since = String(data['since']).slice(0, 16).replace('T', ' ') + ' UTC';
    const paragraphs = [
      lead(String(data['url']), since),
      ...(kind === 'recovered' ? [] : [String(data['problem'])]),
      hope,
    ];
    return Promise.resolve(renderLetter({ locale: 'en', subject, greeting: 'Hello,', paragraphs }));
  },
};
