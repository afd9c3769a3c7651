import type { Schemas } from '@parley/portal-kit/service';

export type OutcomeFigures = Schemas['Outcomes']['total'];
export type OutcomeName = 'resolvedConfirmed' | 'resolvedAssumed' | 'handedOff' | 'abandoned' | 'open';

/** In the order in which they are shown, with the definitions of the API. */
export const outcomes: { name: OutcomeName; label: string; definition: string; color: string }[] = [
  {
    name: 'resolvedConfirmed',
    label: 'Resolved, confirmed',
    definition:
      'The visitor rated it 4 or 5, or gave the last answer a thumbs-up. No agent joined or was requested in vain.',
    color: 'var(--mantine-color-teal-7)',
  },
  {
    name: 'resolvedAssumed',
    label: 'Resolved, assumed',
    definition: 'The bot answered the last question, and the visitor left without saying otherwise.',
    color: 'var(--mantine-color-teal-4)',
  },
  {
    name: 'handedOff',
    label: 'Handed off',
    definition: 'An agent joined the conversation.',
    color: 'var(--mantine-color-indigo-5)',
  },
  {
    name: 'abandoned',
    label: 'Abandoned',
    definition:
      'The visitor left without help: nothing was asked, no answer to the last question, no agent after asking for one, a rating of 1 or 2, or a thumbs-down.',
    color: 'var(--mantine-color-orange-6)',
  },
  {
    name: 'open',
    label: 'Open',
    definition: 'Not closed, with a message in the last 24 hours. The outcome is decided after that.',
    color: 'var(--mantine-color-gray-5)',
  },
];

export const channelLabels: Record<string, string> = { website: 'Website', api: 'API' };

const languageNames = new Intl.DisplayNames('en', { type: 'language' });
export const languageLabel = (code: string): string => (code === 'und' ? 'Unknown' : (languageNames.of(code) ?? code));

export const number = (value: number): string => value.toLocaleString('en');
export const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)}%`);
export const seconds = (value: number): string => `${value.toLocaleString('en', { maximumFractionDigits: 1 })} s`;
export const dollars = (value: number): string => `$${value.toFixed(2)}`;

/** "42 s", "3 min", "1 h 20 min", "2 d 4 h". */
export function duration(ms: number | null): string {
  if (ms === null) return '–';
  const total = Math.round(ms / 1_000);
  if (total < 60) return `${total} s`;
  const minutes = Math.round(total / 60);
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 24) return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
  const [days, left] = [Math.floor(hours / 24), hours % 24];
  return left === 0 ? `${days} d` : `${days} d ${left} h`;
}
