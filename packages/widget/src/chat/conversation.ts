import type {
  Confirmation,
  ConfirmationState,
  LogEvent,
  Message,
  ConversationStatus,
  ReplyDelta,
} from '../shared/wire.ts';

/** State of a conversation, derived only from its log up to `cursor`. */
export interface ConversationState {
  id: string | undefined;
  cursor: number;
  state: ConversationStatus;
  agent: string | undefined;
  messages: Message[];
  /** The streaming reply. */
  partial: { turnId: string; messageId: string; text: string } | undefined;
  /** Open turns: neither answered nor failed. */
  turns: Set<string>;
  failed: Set<string>;
  confirmations: Map<string, ConfirmationState>;
  feedback: Map<string, boolean>;
  isRated: boolean;
  /** Up to here, an agent has read the conversation. */
  readSeq: number;
}

export const newConversation = (id?: string, cursor = 0): ConversationState => ({
  id,
  cursor,
  state: 'bot',
  agent: undefined,
  messages: [],
  partial: undefined,
  turns: new Set(),
  failed: new Set(),
  confirmations: new Map(),
  feedback: new Map(),
  isRated: false,
  readSeq: 0,
});

/** A turn that was stopped, handed off, closed, erased or expired is not a failure. */
export const isFailure = ({ type, data }: Pick<LogEvent, 'type' | 'data'>) =>
  type === 'turn.failed' && !/^(stopped|handed_off|closed|erased|expired)$/.test(String(data['reason']));

/** Deltas have an offset, so duplicates and restarts are harmless. */
export function applyDelta(state: ConversationState, { turnId, messageId, at, text }: ReplyDelta): boolean {
  const before = state.partial?.messageId === messageId ? state.partial.text : '';
  if (at > before.length || state.messages.some(({ id }) => id === messageId)) return false;
  state.partial = { turnId, messageId, text: before.slice(0, at) + text };
  return true;
}

/** Applies the next log entry. Duplicates and entries after a gap are ignored. */
export function applyEntry(state: ConversationState, { seq, type, data }: LogEvent): boolean {
  if (seq !== state.cursor + 1) return false;
  state.cursor = seq;
  const { message, turnId } = data as { message?: Message; turnId?: string };
  if (message && type !== 'note.created') {
    state.messages.push(message);
    if (message.role === 'visitor' && turnId) state.turns.add(turnId);
  }
  if (type === 'reply.completed' || type === 'turn.failed') {
    if (turnId) state.turns.delete(turnId);
    if (state.partial?.turnId === turnId) state.partial = undefined;
    if (isFailure({ type, data }) && turnId) state.failed.add(turnId);
  } else if (type === 'conversation.updated') {
    state.state = data['state'] as ConversationStatus;
    state.agent = state.state === 'human' ? (data['agent'] as { name: string } | null)?.name : undefined;
  } else if (type === 'confirmation.required') {
    const request = data as unknown as Confirmation;
    state.confirmations.set(request.runId, { ...request, seq });
  } else if (type === 'confirmation.answered') {
    const request = state.confirmations.get(String(data['runId']));
    if (request) request.answer = Boolean(data['isConfirmed']);
  } else if (type === 'message.feedback') {
    state.feedback.set(String(data['messageId']), Boolean(data['isHelpful']));
  } else if (type === 'conversation.rated') state.isRated = true;
  return true;
}
