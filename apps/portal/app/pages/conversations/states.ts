import type { Schemas } from '@parley/portal-kit/service';

export type Conversation = Schemas['ConversationRow'];
export type Message = Schemas['Message'];
export type State = Conversation['state'];

/** An entry of the log. Messages are in `data.message`. */
export interface TimelineEntry {
  seq: number;
  type: string;
  isInternal: boolean;
  createdAt: string;
  data: Record<string, unknown>;
}

/** The label of each state in the inbox. */
export const stateLabels: Record<State, { label: string; tone: 'good' | 'warn' | 'bad' | 'idle' }> = {
  waiting_human: { label: 'Waiting for an agent', tone: 'warn' },
  human: { label: 'With an agent', tone: 'good' },
  bot: { label: 'With the bot', tone: 'idle' },
  closed: { label: 'Closed', tone: 'idle' },
};

export const stateChoices = (Object.keys(stateLabels) as State[]).map((value) => ({
  value,
  label: stateLabels[value].label,
}));

/** Strips Markdown for one-line previews. */
export const stripMarkdown = (text: string): string => text.replaceAll(/\*\*|`|\[\d+\]/g, '').trim();

/** The site on which the visitor wrote, without `www`. */
export const siteOf = (pageUrl: string | null): string | undefined =>
  URL.parse(pageUrl ?? '')?.host.replace(/^www\./, '');

/** "4 min", "2 h", "3 d": how long something has lasted. */
export function durationLabel(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return '< 1 min';
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}
