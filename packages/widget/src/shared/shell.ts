import type { Appearance, Setup } from './wire.ts';

// Interface between the launcher, loaded on every page, and the chat, loaded when opened.

export type GetToken = () => Promise<string | { sessionToken: string }> | string | { sessionToken: string };

/** The hash in its file name, and its SHA-256. */
export type ModuleHashes = [hash: string, checksum: string];

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
  /** Imports another of our files, verified. */
  load<T>(name: string, hashes: ModuleHashes): Promise<T>;
  /** In an iframe: the URL of the page around it. */
  pageUrl?(): string;
  emit(event: string, detail?: unknown): void;
  unread(count: number): void;
  /** Sets the button's label. */
  name(label: string, isOpen: boolean): void;
  /** In an iframe, where the button is outside. */
  focusButton?(): void;
  /** In an iframe, which can't remove what the page around it has stored. */
  onErased?(): void;
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

/** What the page can call, as far as other modules use it. */
export interface BotControls {
  open(): void;
  set(options: Options): void;
  on(event: string, listener: (detail: unknown) => void): () => void;
}

export interface ProactiveModule {
  /** `shell` is called again to learn whether the page has given consent meanwhile. */
  start(shell: () => Shell, bot: BotControls): void;
}

export interface ChatModule {
  mount(shell: Shell): Promise<Chat>;
}
