import { h, icon } from '../shared/dom.ts';
import type { Citation, Confirmation, Message, Setup } from '../shared/wire.ts';
import type { ChatClient } from './client.ts';
import { link, markdown, safeUrl } from './markdown.ts';
import type { ListItem } from './keyed-list.ts';
import type { Key } from './english.ts';

const thumb = 'M7 11v8H4v-8zm0 0 4-7a2 2 0 0 1 2 2v3h5.5a1.5 1.5 0 0 1 1.5 2l-2 7a1 1 0 0 1-1 1H7';

/** A message from the bot or an agent, possibly incomplete. */
type ReplyMessage = Pick<Message, 'id' | 'role' | 'text'> & Partial<Message>;

export interface MessageDeps {
  client: () => ChatClient;
  setup: () => Setup;
  t: (key: Key, values?: Record<string, string | number>) => string;
  /** Runs a request, and shows an error if it fails. */
  attempt(work: () => Promise<unknown>): void;
  /** The API's error message, if the visitor's language is English. */
  describeError(message: string): string;
}

/** The items of the message list, oldest first. */
export function createMessages({ client, setup, t, attempt, describeError }: MessageDeps) {
  const button = (label: string, click: () => void, props: Record<string, string | boolean> = {}) =>
    h('button', { type: 'button', click, ...props }, label);
  const nameOf = ({ role, agent }: ReplyMessage) =>
    role === 'visitor' ? t('you') : role === 'agent' ? agent?.name || t('person') : setup().title || t('bot');
  const row = (kind: string, name: string, ...inside: (Node | false)[]) =>
    h('div', { class: `row ${kind}`, part: `message ${kind}` }, h('span', { class: 'sr' }, `${name}: `), ...inside);

  const source = ({ title, heading, url }: Citation) => {
    const name = [title, heading].filter(Boolean).join(' › ');
    const target = url && safeUrl(url);
    return h('li', {}, target ? link(target, name) : name);
  };
  const sourcesOf = (citations: Citation[]) =>
    citations.length > 0 &&
    h(
      'details',
      { class: 'sources' },
      h('summary', {}, `${t('sources')} (${citations.length})`),
      h('ol', {}, ...citations.map(source)),
    );

  const thumbs = ({ id }: ReplyMessage) => {
    const feedbackGiven = client().currentConversation().feedback.get(id);
    const thumbButton = (isHelpful: boolean) =>
      h(
        'button',
        {
          type: 'button',
          class: isHelpful ? 'thumb' : 'thumb down',
          'aria-label': t(isHelpful ? 'helpful' : 'unhelpful'),
          title: t(isHelpful ? 'helpful' : 'unhelpful'),
          'aria-pressed': String(feedbackGiven === isHelpful),
          'data-k': String(isHelpful),
          click: () => attempt(() => client().feedback(id, isHelpful)),
        },
        icon(thumb),
      );
    return [thumbButton(true), thumbButton(false), feedbackGiven !== undefined && h('span', {}, t('thanks'))];
  };

  const handoffButton = () => button(t('callPerson'), () => attempt(client().askForPerson), { class: 'chip' });

  /** A message of the bot or an agent, also while it streams. */
  function replyItem(message: ReplyMessage, isComplete: boolean): ListItem {
    const { id, text, citations = [], finish, isHandoffOffered, role } = message;
    const { state, feedback } = client().currentConversation();
    const offersPerson = isHandoffOffered && state === 'bot';
    const cite = (n: number) => {
      const cited = citations.find((citation) => citation.n === n);
      const target = cited?.url && safeUrl(cited.url);
      return cited && h('sup', { title: cited.title }, target ? link(target, `[${n}]`) : `[${n}]`);
    };
    const update = (node: HTMLElement) => {
      markdown(node.querySelector('.text')!, text, cite, citations.length);
      const focused = node.querySelector(':focus')?.getAttribute('data-k');
      const foot = node.querySelector<HTMLElement>('.foot')!;
      const isOpen = foot.querySelector('details')?.open;
      foot.replaceChildren();
      if (!isComplete) return;
      const note = finish === 'cut' || finish === 'length' ? t('cut') : finish === 'stopped' ? t('stopped') : '';
      const parts = [
        note && h('span', {}, note),
        sourcesOf(citations),
        ...(role === 'bot' && message.isAnswer !== null ? thumbs(message) : []),
        offersPerson && handoffButton(),
      ];
      foot.append(...parts.filter((part): part is HTMLElement => Boolean(part)));
      if (isOpen) foot.querySelector('details')!.open = true;
      if (focused) foot.querySelector<HTMLElement>(`[data-k=${CSS.escape(focused)}]`)?.focus();
    };
    return {
      key: id,
      version: `${text.length} ${isComplete} ${feedback.get(id)} ${offersPerson} ${nameOf(message)}`,
      make: () => {
        const node = row(role, nameOf(message), h('div', { class: 'text', dir: 'auto' }), h('div', { class: 'foot' }));
        node.dataset['id'] = id;
        update(node);
        return node;
      },
      update,
    };
  }

  /** A visitor's message, shown as plain text. */
  const visitorItem = (key: string, text: string, foot: () => (HTMLElement | string)[], version: string): ListItem => ({
    key,
    version,
    make: () =>
      row('visitor', t('you'), h('div', { class: 'text', dir: 'auto' }, text), h('div', { class: 'foot' }, ...foot())),
    update: (node) => node.querySelector('.foot')!.replaceChildren(...foot()),
  });
  const sentItem = ({ id, clientMessageId, text, turnId }: Message): ListItem => {
    const isOver = turnId && client().currentConversation().failed.has(turnId);
    const foot = () =>
      isOver
        ? [
            h('span', { class: 'bad' }, t('noAnswer')),
            button(t('askAgain'), () => client().send(text), { class: 'plain' }),
          ]
        : [];
    return visitorItem(clientMessageId ?? id, text, foot, String(isOver));
  };

  function confirmation(request: Confirmation & { answer?: boolean }): ListItem {
    const { runId, argsHash, title, fields, confirmLabel, answer } = request;
    const isExpired = answer === undefined && Date.parse(request.expiresAt) < Date.now();
    const respond = (isConfirmed: boolean) => () => attempt(() => client().confirm(runId, argsHash, isConfirmed));
    return {
      key: `confirm ${runId}`,
      version: `${answer} ${isExpired}`,
      make: () =>
        h(
          'div',
          { class: 'card', role: 'group', 'aria-label': title, part: 'confirmation' },
          h('strong', { dir: 'auto' }, title),
          h('dl', {}, ...fields.flatMap(({ label, value }) => [h('dt', {}, label), h('dd', { dir: 'auto' }, value)])),
          answer !== undefined || isExpired
            ? h('p', {}, t(isExpired ? 'expired' : answer ? 'confirmed' : 'declined'))
            : h(
                'div',
                { class: 'chips' },
                button(confirmLabel || t('confirm'), respond(true), { class: 'main' }),
                button(t('decline'), respond(false), { class: 'chip' }),
              ),
        ),
    };
  }

  const note = (key: string, text: string): ListItem => ({
    key,
    version: text,
    make: () => h('p', { class: 'note' }, text),
  });

  function listItems(): ListItem[] {
    const { greeting, quickReplies } = setup();
    const { currentConversation, messages, outgoing, hasOlder, trouble } = client();
    const { partial, turns, confirmations, state } = currentConversation();
    const shownMessages = messages();
    const queued = outgoing();
    const requests = [...confirmations.values()];
    const list: ListItem[] = [];
    if (hasOlder())
      list.push({
        key: 'older',
        version: '',
        make: () => button(t('older'), () => attempt(client().older), { class: 'chip older' }),
      });
    else if (greeting) {
      list.push({ ...replyItem({ id: 'greeting', role: 'bot', text: greeting }, false), version: greeting });
    }
    const isNew = shownMessages.length + queued.length === 0;
    if (isNew && quickReplies.length)
      list.push({
        key: 'quick',
        version: quickReplies.join('\n'),
        make: () =>
          h(
            'div',
            { class: 'chips' },
            ...quickReplies.map((text) => button(text, () => client().send(text), { class: 'chip', dir: 'auto' })),
          ),
      });
    shownMessages.forEach((message, at) => {
      list.push(message.role === 'visitor' ? sentItem(message) : replyItem(message, true));
      const next = shownMessages[at + 1]?.seq ?? Infinity;
      list.push(...requests.filter(({ seq }) => seq > message.seq && seq < next).map(confirmation));
    });
    for (const { id, text, state: sending, error } of queued) {
      const foot = () =>
        sending === 'failed'
          ? [
              h('span', { class: 'bad' }, `${t('failed')} ${describeError(error ?? '')}`),
              button(t('retry'), () => client().retry(id), { class: 'plain' }),
              button(t('remove'), () => client().drop(id), { class: 'plain' }),
            ]
          : sending === 'waiting' && !trouble()
            ? [t('sending')]
            : [];
      list.push(visitorItem(id, text, foot, `${sending} ${trouble()}`));
    }
    if (partial) list.push(replyItem({ id: partial.messageId, role: 'bot', text: partial.text }, false));
    else if (turns.size && state === 'bot')
      list.push({
        key: 'typing',
        version: '',
        make: () => h('div', { class: 'row bot typing' }, h('i'), h('i'), h('i')),
      });
    if (state === 'waiting_human') list.push(note('state', t('waiting')));
    else if (state === 'human')
      list.push(note('state', t('joined', { name: currentConversation().agent || t('person') })));
    else if (state === 'closed') list.push(note('state', t('ended')));
    return list;
  }

  return { listItems, nameOf };
}
