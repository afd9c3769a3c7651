import type { Schemas } from '@parley/portal-kit/service';

export type Conversation = Schemas['Conversation'];
export type Message = Schemas['StaffMessage'];
export type State = Conversation['state'];

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

/** The visitor's display name. `web` is the widget's default. */
export const nameOfVisitor = (visitor: { label: string } | null): string =>
  visitor && visitor.label !== 'web' ? visitor.label : 'Visitor';
