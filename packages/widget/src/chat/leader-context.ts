import type { LogEvent } from '../shared/wire.ts';
import type { request } from './request.ts';
import type { Wakeup } from './wakeup.ts';
import type { Outbox } from './outbox.ts';
import type { Session, SessionSource } from './session.ts';
import type { ConversationState } from './conversation.ts';

export type ConnectionProblem = 'offline' | 'busy' | undefined;

/** Open streams. At most one of the two is read for the log. */
export interface Streams {
  /** The tab has been hidden for a while. */
  isPaused: boolean;
  /** Stops reading the reply from the request that sent the message. */
  stopReply: (() => void) | undefined;
  follower: AbortController | undefined;
}

/** Shared by sending and listening in the leading tab. */
export interface LeaderContext {
  apiUrl: string;
  botId: string;
  wakeup: Wakeup;
  outbox: Outbox;
  session: SessionSource;
  streams: Streams;
  open(): Promise<Session>;
  call(path: string, more?: Omit<Parameters<typeof request>[1], 'token'>): Promise<Response>;
  currentConversation(): ConversationState;
  startConversation(id: string, cursor: number): void;
  /** Applies a log event in all tabs. False if an earlier one is missing. */
  applyEvent(event: LogEvent): boolean;
  leave(): void;
  change(trouble?: ConnectionProblem): void;
  hasTrouble(): boolean;
  onFailed(message: string): void;
  context(): { pageUrl: string; language: string };
}
