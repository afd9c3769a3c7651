import { h } from '../shared/dom.ts';
import type { ConfirmationState, Message } from '../shared/wire.ts';
import { avatar } from './avatar.ts';
import type { ListItem } from './keyed-list.ts';
import { button, createRows, type RowDeps } from './rows.ts';

/** What the extras render. */
export type SlotName = 'rating' | 'preChat' | 'confirmation';

export interface MessageDeps extends RowDeps {
  /** An element that is filled once its code is loaded. */
  slot(name: SlotName, content?: ConfirmationState): HTMLElement;
  /** The form before the first message is shown. */
  isAsking(): boolean;
  /** The API's error message, if the visitor's language is English. */
  describeError(message?: string): string;
}

/** The items of the message list, oldest first. */
export function createMessages(deps: MessageDeps) {
  const { client, setup, t, slot, isAsking, attempt, describeError } = deps;
  const { nameOf, reply, own, endGroup } = createRows(deps);

  /** `isSeen`: it is the last message, and an agent has read it. */
  const sentItem = (message: Message, isSeen: boolean): ListItem => {
    const { id, clientMessageId, text, turnId } = message;
    const isOver = turnId && client().currentConversation().failed.has(turnId);
    return own(message, clientMessageId ?? id, `${isOver} ${isSeen}`, () =>
      isOver
        ? [
            h('span', { class: 'bad' }, t('noAnswer')),
            button(t('askAgain'), () => client().send(text), { class: 'plain' }),
          ]
        : isSeen
          ? [t('seen')]
          : [],
    );
  };

  function confirmation(request: ConfirmationState): ListItem {
    const { runId, answer, expiresAt } = request;
    endGroup();
    return lazy('confirmation', `confirm ${runId}`, `${answer} ${Date.parse(expiresAt) < Date.now()}`, request);
  }

  const note = (text: string): ListItem => ({
    key: 'state',
    version: text,
    make: () => h('p', { class: 'note' }, text),
  });
  const lazy = (name: SlotName, key: string, version: string, content?: ConfirmationState): ListItem => ({
    key,
    version,
    make: () => slot(name, content),
  });

  /** The messages of a conversation, with the confirmations between them. */
  function messageItems(messages: Message[], requests: ConfirmationState[] = [], readSeq = 0): ListItem[] {
    endGroup();
    return messages.flatMap((message, at) => {
      const next = messages[at + 1]?.seq ?? Infinity;
      return [
        message.role === 'visitor'
          ? sentItem(message, next === Infinity && message.seq <= readSeq)
          : reply(message, true),
        ...requests.filter(({ seq }) => seq > message.seq && seq < next).map(confirmation),
      ];
    });
  }

  function listItems(): ListItem[] {
    const { greeting, quickReplies, availability } = setup();
    const { currentConversation, messages, outgoing, hasOlder, problem, typingAgent } = client();
    const { partial, turns, state, agent, isRated, confirmations, readSeq, id: conversationId } = currentConversation();
    const shownMessages = messages();
    const queued = outgoing();
    const list: ListItem[] = [];
    if (hasOlder())
      list.push({
        key: 'older',
        version: '',
        make: () => button(t('older'), () => attempt(client().older), { class: 'chip older' }),
      });
    else if (greeting) {
      endGroup();
      const item = reply({ id: 'greeting', role: 'bot', text: greeting }, false);
      list.push({ ...item, version: item.version + greeting });
    }
    const isNew = shownMessages.length + queued.length === 0;
    if (isAsking()) list.push(lazy('preChat', 'form', ''));
    else if (isNew && quickReplies.length)
      list.push({
        key: 'quick',
        version: quickReplies.join('\n'),
        make: () =>
          h(
            'div',
            { class: 'chips quick' },
            ...quickReplies.map((text) => button(text, () => client().send(text), { class: 'chip', dir: 'auto' })),
          ),
      });
    list.push(...messageItems(shownMessages, [...confirmations.values()], readSeq));
    for (const { id, text, state: sending, error } of queued) {
      const foot = () =>
        sending === 'failed'
          ? [
              h('span', { class: 'bad' }, `${t('failed')} ${describeError(error)}`),
              button(t('retry'), () => client().retry(id), { class: 'plain' }),
              button(t('remove'), () => client().drop(id), { class: 'plain' }),
            ]
          : sending === 'waiting' && !problem()
            ? [t('sending')]
            : [];
      list.push(own({ id, role: 'visitor', text }, id, `${sending} ${problem()}`, foot));
    }
    const typingName = typingAgent();
    if (partial) list.push(reply({ id: partial.messageId, role: 'bot', text: partial.text }, false));
    else if ((turns.size && state === 'bot') || typingName)
      list.push({
        key: 'typing',
        version: String(typingName),
        make: () =>
          h(
            'div',
            { class: `row typing ${typingName ? 'agent' : 'bot'}` },
            avatar(typingName),
            h('div', { class: 'text' }, h('i'), h('i'), h('i')),
          ),
      });
    if (state === 'waiting_human')
      list.push(note((availability?.isOpen === false && availability.awayMessage) || t('waiting')));
    else if (state === 'human' && !currentConversation().messages.some(({ role }) => role === 'agent'))
      list.push(note(t('joined', { name: agent || t('person') })));
    else if (state === 'closed') list.push(note(t('ended')), lazy('rating', 'rating', `${conversationId} ${isRated}`));
    return list;
  }

  return { listItems, messageItems, nameOf };
}
