import type { Confirmation, LogEvent, Message, TalkState, Words } from '../shared/wire.ts';

/** A conversation as far as it is known here: nothing but what its log says, up to `cursor`. */
export interface Talk {
  id: string | undefined;
  cursor: number;
  state: TalkState;
  agent: string | undefined;
  messages: Message[];
  /** The answer under way. */
  words: { turnId: string; messageId: string; text: string } | undefined;
  /** Asked, and neither answered nor failed. */
  turns: Set<string>;
  failed: Set<string>;
  confirmations: Map<string, Confirmation & { seq: number; answer?: boolean }>;
  feedback: Map<string, boolean>;
  isRated: boolean;
}

export const newTalk = (id?: string, cursor = 0): Talk => ({
  id,
  cursor,
  state: 'bot',
  agent: undefined,
  messages: [],
  words: undefined,
  turns: new Set(),
  failed: new Set(),
  confirmations: new Map(),
  feedback: new Map(),
  isRated: false,
});

/** A turn may also end because it was wanted so, or because a person answers instead. */
export const isFailure = ({ type, data }: Pick<LogEvent, 'type' | 'data'>) =>
  type === 'turn.failed' && !/^(stopped|handed_off|closed|erased|expired)$/.test(String(data['reason']));

/** Words belong at a place, so that words that come twice or anew do no harm. */
export function applyWords(talk: Talk, { turnId, messageId, at, text }: Words): boolean {
  const before = talk.words?.messageId === messageId ? talk.words.text : '';
  if (at > before.length || talk.messages.some(({ id }) => id === messageId)) return false;
  talk.words = { turnId, messageId, text: before.slice(0, at) + text };
  return true;
}

/** The next entry of the log. One that was seen before, or comes too early, changes nothing. */
export function applyEntry(talk: Talk, { seq, type, data }: LogEvent): boolean {
  if (seq !== talk.cursor + 1) return false;
  talk.cursor = seq;
  const { message, turnId } = data as { message?: Message; turnId?: string };
  if (message && type !== 'note.created') {
    talk.messages.push(message);
    if (message.role === 'visitor' && turnId) talk.turns.add(turnId);
  }
  if (type === 'reply.completed' || type === 'turn.failed') {
    if (turnId) talk.turns.delete(turnId);
    if (talk.words?.turnId === turnId) talk.words = undefined;
    if (isFailure({ type, data }) && turnId) talk.failed.add(turnId);
  } else if (type === 'conversation.updated') {
    talk.state = data['state'] as TalkState;
    talk.agent = talk.state === 'human' ? (data['agent'] as { name: string } | null)?.name : undefined;
  } else if (type === 'confirmation.required') {
    const asked = data as unknown as Confirmation;
    talk.confirmations.set(asked.runId, { ...asked, seq });
  } else if (type === 'confirmation.answered') {
    const asked = talk.confirmations.get(String(data['runId']));
    if (asked) asked.answer = Boolean(data['isConfirmed']);
  } else if (type === 'message.feedback') {
    talk.feedback.set(String(data['messageId']), Boolean(data['isHelpful']));
  } else if (type === 'conversation.rated') talk.isRated = true;
  return true;
}
