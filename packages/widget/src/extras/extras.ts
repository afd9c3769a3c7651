import { h, styled } from '../shared/dom.ts';
import type { Shell } from '../shared/shell.ts';
import type { ConfirmationState, Message, Setup } from '../shared/wire.ts';
import type { ChatClient } from '../chat/client.ts';
import type { Key } from '../chat/english.ts';
import css from './extras.css';
import { english } from './english.ts';
import { confirmationCard } from './confirmation.ts';
import { preChatForm } from './pre-chat.ts';
import { ratingForm } from './rating.ts';
import { createSheets } from './sheets.ts';
import { createStatus } from './status.ts';

// Loaded when it is first needed: the menu and its sheets, the rating, and the form before the first message.

export interface ExtrasDeps extends Pick<Shell, 'base' | 'botId' | 'publicKey'> {
  root: ShadowRoot;
  client: () => ChatClient;
  setup: () => Setup;
  locale: () => string;
  t: (key: Key, values?: Record<string, string | number>) => string;
  attempt(work: () => Promise<unknown>): void;
  menuButton: HTMLElement;
  conversationView: HTMLElement;
  /** The rows of messages, as in the chat. */
  items(messages: Message[]): HTMLElement[];
  onErased(): void;
}

export { english };

export function create(deps: ExtrasDeps) {
  const { root, client, t } = deps;
  styled(root, css);
  const sheets = createSheets(deps);
  deps.conversationView.before(sheets.menu, sheets.sheet);
  return {
    ...sheets,
    /** Shown when the conversation is closed; after it was rated, thanks. */
    rating(slot: HTMLElement) {
      const { isRated } = client().currentConversation();
      slot.classList.add('rating');
      slot.append(isRated ? h('p', {}, t('thanks')) : h('strong', { id: 'rate' }, t('rateHow')));
      if (!isRated) slot.append(ratingForm(deps, 'rate', undefined, () => {}));
    },
    preChat: (slot: HTMLElement) => preChatForm(deps, slot),
    confirmation: (slot: HTMLElement, request: ConfirmationState) => confirmationCard(deps, slot, request),
    showStatus: createStatus(deps),
  };
}
export type Extras = ReturnType<typeof create>;
export interface ExtrasModule {
  english: typeof english;
  create(deps: ExtrasDeps): Extras;
}
