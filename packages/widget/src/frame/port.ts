import type { Options } from '../shared/shell.ts';

// Messages between the page and the frame, over a private MessageChannel.

export interface Hello {
  /** Secret from the frame's URL, known only to the embedding page. */
  parley: string;
  locale: string | undefined;
  lang: string;
  isConsentNeeded: boolean;
  options: Options;
  pageUrl: string;
}

export type FrameMessage =
  | { call: 'open' | 'close' | 'reset' | 'destroy'; pageUrl: string }
  | { call: 'send'; argument: string; pageUrl: string }
  | { call: 'set'; argument: Options; pageUrl: string }
  | { call: 'consent'; argument: boolean; pageUrl: string }
  /** Functions cannot be posted, so the frame requests each token. */
  | { call: 'identify'; argument: boolean; pageUrl: string }
  | { token: string | null; id: number };

export type PageMessage =
  | { event: string; detail: unknown }
  | { unread: number }
  | { name: string; isOpen: boolean }
  | { focus: true }
  | { askToken: number }
  /** Whether the frame has stored data of a visitor. */
  | { isKept: boolean }
  /** The visitor's data was deleted or reset. */
  | { isErased: true }
  | { isReady: true };
