import type { Options } from '../shared/shell.ts';

// What the page and the frame say to one another, over a channel that nobody else holds an end of.

export interface Hello {
  /** As in the address of the frame: only the page that made it knows. */
  parley: string;
  locale: string | undefined;
  lang: string;
  isConsentNeeded: boolean;
  options: Options;
  pageUrl: string;
}

export type ToFrame =
  | { call: 'open' | 'close' | 'reset' | 'destroy'; pageUrl: string }
  | { call: 'send'; argument: string; pageUrl: string }
  | { call: 'set'; argument: Options; pageUrl: string }
  | { call: 'consent'; argument: boolean; pageUrl: string }
  /** A function cannot be sent: the frame asks for each token. */
  | { call: 'identify'; argument: boolean; pageUrl: string }
  | { token: string | null; id: number };

export type ToPage =
  | { event: string; detail: unknown }
  | { unread: number }
  | { name: string; isOpen: boolean }
  | { focus: true }
  | { askToken: number }
  /** Whether the frame has stored anything that is worth coming back for. */
  | { isKept: boolean }
  | { isReady: true };
