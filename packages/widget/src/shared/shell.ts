import type { Appearance, Setup } from './wire.ts';

// Interface between the launcher, loaded on every page, and the chat, loaded when opened.

export type GetToken = () => Promise<string | { sessionToken: string }> | string | { sessionToken: string };

/** Options that a page may change at run time. */
export type Options = Partial<Appearance> & {
  locale?: string;
  texts?: Record<string, string>;
  title?: string;
  greeting?: string;
  quickReplies?: string[];
  disclosure?: string;
};

export interface Embed {
  botId: string;
  publicKey: string;
  /** Base URL of our files, with a trailing slash. */
  base: string;
  isConsentNeeded: boolean;
  locale: string | undefined;
}

/** What the launcher provides to the chat. */
export interface Shell extends Embed {
  root: ShadowRoot;
  setup: Setup;
  /** URL of the page, without query and hash, which may contain secrets. */
  pageUrl(): string;
  emit(event: string, detail?: unknown): void;
  unread(count: number): void;
  /** Sets the button's label. */
  name(label: string, isOpen: boolean): void;
  focusButton(): void;
}

export interface Chat {
  open(): void;
  close(): void;
  send(text: string): void;
  identify(user: { getToken: GetToken } | null): void;
  reset(): void;
  set(options: Options): void;
  consent(isGiven: boolean): void;
  /** The host element was moved to another body. */
  moved(): void;
  destroy(): void;
}

export interface ChatModule {
  mount(shell: Shell): Promise<Chat>;
}
