import type { Appearance, Setup } from './wire.ts';

// Between the launcher, which every page pays for, and the chat, which is loaded by whoever opens it.

export type GetToken = () => Promise<string | { sessionToken: string }> | string | { sessionToken: string };

/** What a page may change while it runs. */
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
  /** Where our files are, with a slash at its end. */
  base: string;
  isConsentNeeded: boolean;
  locale: string | undefined;
}

/** What the chat gets from the launcher. */
export interface Shell extends Embed {
  root: ShadowRoot;
  setup: Setup;
  /** Where the visitor is, without what may be secret in the address. */
  pageUrl(): string;
  emit(event: string, detail?: unknown): void;
  unread(count: number): void;
  /** The button's name, once the words for it are there. */
  name(label: string, isOpen: boolean): void;
  focusButton(): void;
}

export interface Chat {
  open(): void;
  close(): void;
  send(text: string): void;
  identify(who: { getToken: GetToken } | null): void;
  reset(): void;
  set(options: Options): void;
  consent(isGiven: boolean): void;
  /** Its place on the page was replaced, and it was put into the new one. */
  moved(): void;
  destroy(): void;
}

export interface ChatModule {
  mount(shell: Shell): Promise<Chat>;
}
