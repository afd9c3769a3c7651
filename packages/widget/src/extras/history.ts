import { h } from '../shared/dom.ts';
import type { Message, PastConversation } from '../shared/wire.ts';
import { timeOf } from '../chat/rows.ts';
import type { ExtrasDeps } from './extras.ts';
import { createRequests } from './requests.ts';
import { ratingForm } from './rating.ts';

interface SheetControls {
  show(heading: string, ...inside: (Node | string)[]): void;
  hide(): void;
  load(work: () => Promise<() => void>): void;
}

/** The visitor's conversations, newest first, each of which can be read. Returns how to load them. */
export function createHistory(deps: ExtrasDeps, { show, hide, load }: SheetControls) {
  const { client, locale, t, items } = deps;
  const requests = createRequests(client);
  const button = (label: string, click: () => void) => h('button', { type: 'button', class: 'chip', click }, label);

  async function loadAll() {
    const data = await requests.conversations();
    return () => {
      const list = h('ul', { class: 'past' }, ...data.map((one) => h('li', {}, entry(one))));
      show(t('previous'), data.length ? list : h('p', {}, t('noPrevious')), button(t('back'), hide));
    };
  }
  const entry = (one: PastConversation) => {
    const { id, state, preview, lastMessageAt } = one;
    const isCurrent = id === client().currentConversation().id;
    return h(
      'button',
      { type: 'button', class: 'item', click: () => (isCurrent ? hide() : load(() => loadOne(one))) },
      h('span', { class: 'preview', dir: 'auto' }, preview || '…'),
      h(
        'span',
        { class: 'when' },
        `${timeOf(lastMessageAt, locale())} · ${t(state === 'closed' ? 'closed' : 'ongoing')}`,
      ),
    );
  };
  /** With the messages that were loaded before, which are newer. */
  async function loadOne(one: PastConversation, newer: Message[] = [], end?: number): Promise<() => void> {
    const { id, state, rating, lastMessageAt } = one;
    const { messages, before } = await requests.messagesOf(id, end);
    const all = [...messages, ...newer];
    return () => {
      const back = button(t('back'), () => load(loadAll));
      const older = before === null ? [] : [button(t('older'), () => load(() => loadOne(one, all, before)))];
      const rate =
        state === 'closed' && rating === null
          ? [h('strong', { id: 'rate' }, t('rateHow')), ratingForm(deps, 'rate', id, () => show(t('thanks'), back))]
          : [];
      show(timeOf(lastMessageAt, locale()), ...older, h('div', { class: 'transcript' }, ...items(all)), ...rate, back);
    };
  }
  return loadAll;
}
