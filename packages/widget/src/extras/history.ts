import { h } from '../shared/dom.ts';
import type { PastConversation } from '../shared/wire.ts';
import { timeOf } from '../chat/rows.ts';
import type { ExtrasDeps } from './extras.ts';
import { createRequests } from './requests.ts';
import { ratingForm } from './rating.ts';

type Show = (heading: string, ...inside: (Node | string)[]) => void;

/** The visitor's conversations, newest first, each of which can be read. */
export async function createHistory(deps: ExtrasDeps, show: Show, hide: () => void): Promise<void> {
  const { client, locale, t, items, attempt } = deps;
  const requests = createRequests(client);
  const button = (label: string, click: () => void) => h('button', { type: 'button', class: 'chip', click }, label);

  async function showAll() {
    const data = await requests.conversations();
    const list = h('ul', { class: 'past' }, ...data.map((one) => h('li', {}, entry(one))));
    show(t('previous'), data.length ? list : h('p', {}, t('noPrevious')), button(t('back'), hide));
  }
  const entry = (one: PastConversation) => {
    const { id, state, preview, lastMessageAt } = one;
    const isCurrent = id === client().currentConversation().id;
    return h(
      'button',
      { type: 'button', class: 'item', click: () => (isCurrent ? hide() : attempt(() => read(one))) },
      h('span', { class: 'preview', dir: 'auto' }, preview || '…'),
      h(
        'span',
        { class: 'when' },
        `${timeOf(lastMessageAt, locale())} · ${t(state === 'closed' ? 'closed' : 'ongoing')}`,
      ),
    );
  };
  async function read({ id, state, rating, lastMessageAt }: PastConversation) {
    const log = h('div', { class: 'transcript' }, ...items(await requests.messagesOf(id)));
    const back = () => attempt(showAll);
    const rate =
      state === 'closed' && rating === null
        ? [
            h('strong', { id: 'rate' }, t('rateHow')),
            ratingForm(deps, 'rate', id, () => show(t('thanks'), button(t('back'), back))),
          ]
        : [];
    show(timeOf(lastMessageAt, locale()), log, ...rate, button(t('back'), back));
  }
  await showAll();
}
