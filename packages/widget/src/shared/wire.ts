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
  agent: { name: string } | null;
  citations: Citation[];
  /** null: a reply to thanks and the like, which is neither an answer nor a refusal. */
  isAnswer: boolean | null;
  isHandoffOffered: boolean;
  finish: 'complete' | 'length' | 'cut' | 'stopped' | null;
  createdAt: string;
}

export type ConversationStatus = 'bot' | 'waiting_human' | 'human' | 'closed';

/** An action that needs the visitor's confirmation. */
export interface Confirmation {
  runId: string;
  argsHash: string;
  title: string;
  fields: { label: string; value: string }[];
  confirmLabel?: string;
  expiresAt: string;
}

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
