import type { LogEvent } from '../shared/wire.ts';
import type { ask } from './ask.ts';
import type { Bell } from './bell.ts';
import type { Outbox } from './outbox.ts';
import type { Session, SessionSource } from './session.ts';
import type { Talk } from './talk.ts';

export type Trouble = 'offline' | 'busy' | undefined;

/** What is open. At most one of the two streams is read for the log. */
export interface Streams {
  /** Nobody has looked for a while. */
  isResting: boolean;
  /** Ends the answer that is read from the call that asked for it. */
  asking: (() => void) | undefined;
  following: AbortController | undefined;
}

/** What sending and listening both stand on, in the tab that leads. */
export interface Shared {
  apiUrl: string;
  botId: string;
  bell: Bell;
  outbox: Outbox;
  session: SessionSource;
  streams: Streams;
  open(): Promise<Session>;
  call(path: string, more?: Omit<Parameters<typeof ask>[1], 'token'>): Promise<Response>;
  talk(): Talk;
  begin(id: string, cursor: number): void;
  /** The next of the log, for all tabs. False if something before it is missing. */
  take(event: LogEvent): boolean;
  leave(): void;
  change(trouble?: Trouble): void;
  isTroubled(): boolean;
  onFailed(message: string): void;
  context(): { pageUrl: string; language: string };
}
