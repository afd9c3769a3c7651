// API types, as far as the widget reads them.

export interface Appearance {
  theme: 'auto' | 'light' | 'dark';
  accent: string;
  radius: number;
  side: 'right' | 'left';
  offsetX: number;
  offsetY: number;
  icon: 'chat' | 'question' | 'spark';
}

/** Appearance and labels of a bot. Public, and the same for every visitor of a page. */
export interface Setup {
  botId: string;
  apiUrl: string;
  title: string;
  greeting: string;
  quickReplies: string[];
  disclosure: string;
  languages: string[];
  appearance: Appearance;
  texts: Record<string, string>;
  isHandoffOffered: boolean;
  retentionDays: number;
  /** Only if the bot has any. */
  proactive?: ProactiveRule[];
  preChat?: PreChat | null;
  /** When the team answers. Absent: unknown. */
  availability?: Availability;
}

/** A message next to the button. All conditions must be met. */
export interface ProactiveRule {
  id: string;
  message: string;
  when: { urlContains?: string; secondsOnPage?: number; scrollPercent?: number; returning?: boolean };
  maxPerVisitor: number;
}

/** Asked before the first message. */
export interface PreChat {
  fields: ('name' | 'email')[];
  isRequired: boolean;
}

export interface Availability {
  isOpen: boolean;
  opensAt: string | null;
  replyMinutes: number | null;
  awayMessage: string;
}

export interface Citation {
  n: number;
  title: string;
  heading: string;
  url: string | null;
}

export interface Message {
  id: string;
  seq: number;
  role: 'visitor' | 'bot' | 'agent' | 'system';
  text: string;
  clientMessageId: string | null;
  turnId: string | null;
  agent: { id: string; name: string } | null;
  citations: Citation[];
  /** null: a reply to thanks and the like, which is neither an answer nor a refusal. */
  isAnswer: boolean | null;
  isHandoffOffered: boolean;
  finish: 'complete' | 'length' | 'cut' | 'stopped' | null;
  createdAt: string;
}

export type ConversationStatus = 'bot' | 'waiting_human' | 'human' | 'closed';

/** One of the visitor's conversations, in a list. */
export interface PastConversation {
  id: string;
  state: ConversationStatus;
  preview: string;
  rating: number | null;
  lastMessageAt: string;
}

/** An action that needs the visitor's confirmation. */
export interface Confirmation {
  runId: string;
  argsHash: string;
  title: string;
  fields: { label: string; value: string }[];
  confirmLabel?: string;
  expiresAt: string;
}

/** With its place in the log, and the visitor's answer if there is one. */
export type ConfirmationState = Confirmation & { seq: number; answer?: boolean };

/** An entry of the conversation's log, or a delta of a streaming reply. `seq` is the position in the log. */
export interface LogEvent {
  seq: number;
  type: string;
  data: Record<string, unknown>;
}

export interface ReplyDelta {
  turnId: string;
  messageId: string;
  at: number;
  text: string;
}
