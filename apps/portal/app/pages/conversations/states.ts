import type { Schemas } from '@parley/portal-kit/service';

export type Conversation = Schemas['Conversation'];
export type Message = Schemas['StaffMessage'];
export type State = Conversation['state'];

/** The label of each state in the inbox. */
export const stateWords: Record<State, { label: string; tone: 'good' | 'warn' | 'bad' | 'idle' }> = {
  waiting_human: { label: 'Waiting for an agent', tone: 'warn' },
  human: { label: 'With an agent', tone: 'good' },
  bot: { label: 'With the bot', tone: 'idle' },
  closed: { label: 'Closed', tone: 'idle' },
};

export const stateChoices = (Object.keys(stateWords) as State[]).map((value) => ({
  value,
  label: stateWords[value].label,
}));

/** A line of a list: without the signs of Markdown. */
export const plain = (text: string): string => text.replaceAll(/\*\*|`|\[\d+\]/g, '').trim();

/** What a page calls its visitor; `web` is what the widget says where the page says nothing. */
export const nameOfVisitor = (visitor: { label: string } | null): string =>
  visitor && visitor.label !== 'web' ? visitor.label : 'Visitor';
