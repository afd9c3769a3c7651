import { h, icon } from '../shared/dom.ts';
import type { Citation, Confirmation, Message, Setup } from '../shared/wire.ts';
import type { ChatClient } from './client.ts';
import { link, markdown, safeUrl } from './markdown.ts';
import type { Piece } from './pieces.ts';
import type { Key } from './english.ts';

const thumb = 'M7 11v8H4v-8zm0 0 4-7a2 2 0 0 1 2 2v3h5.5a1.5 1.5 0 0 1 1.5 2l-2 7a1 1 0 0 1-1 1H7';

/** What the bot or a person says, or is about to. */
type Spoken = Pick<Message, 'id' | 'role' | 'text'> & Partial<Message>;

export interface MessageParts {
  client: () => ChatClient;
  setup: () => Setup;
  t: (key: Key, values?: Record<string, string | number>) => string;
  /** Does something at the service; says so if that fails. */
  attempt(work: () => Promise<unknown>): void;
  /** What the service said, if the visitor can read it. */
  said(message: string): string;
}

/** Everything in the log's view, oldest first. */
export function createMessages({ client: engine, setup, t, attempt, said: told }: MessageParts) {
  const button = (label: string, click: () => void, props: Record<string, string | boolean> = {}) =>
    h('button', { type: 'button', click, ...props }, label);
  const nameOf = ({ role, agent }: Spoken) =>
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

  const thumbs = ({ id }: Spoken) => {
    const given = engine().talk().feedback.get(id);
    const one = (isHelpful: boolean) =>
      h(
        'button',
        {
          type: 'button',
          class: isHelpful ? 'thumb' : 'thumb down',
          'aria-label': t(isHelpful ? 'helpful' : 'unhelpful'),
          title: t(isHelpful ? 'helpful' : 'unhelpful'),
          'aria-pressed': String(given === isHelpful),
          'data-k': String(isHelpful),
          click: () => attempt(() => engine().feedback(id, isHelpful)),
        },
        icon(thumb),
      );
    return [one(true), one(false), given !== undefined && h('span', {}, t('thanks'))];
  };

  const callPerson = () => button(t('callPerson'), () => attempt(engine().askForPerson), { class: 'chip' });

  /** A message of the bot or of a person, also while it is written. */
  function spoken(message: Spoken, isWhole: boolean): Piece {
    const { id, text, citations = [], finish, isHandoffOffered, role } = message;
    const { state, feedback } = engine().talk();
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
      if (!isWhole) return;
      const note = finish === 'cut' || finish === 'length' ? t('cut') : finish === 'stopped' ? t('stopped') : '';
      const parts = [
        note && h('span', {}, note),
        sourcesOf(citations),
        ...(role === 'bot' ? thumbs(message) : []),
        offersPerson && callPerson(),
      ];
      foot.append(...parts.filter((part): part is HTMLElement => Boolean(part)));
      if (isOpen) foot.querySelector('details')!.open = true;
      if (focused) foot.querySelector<HTMLElement>(`[data-k=${CSS.escape(focused)}]`)?.focus();
    };
    return {
      key: id,
      version: `${text.length} ${isWhole} ${feedback.get(id)} ${offersPerson} ${nameOf(message)}`,
      make: () => {
        const node = row(role, nameOf(message), h('div', { class: 'text', dir: 'auto' }), h('div', { class: 'foot' }));
        node.dataset['id'] = id;
        update(node);
        return node;
      },
      update,
    };
  }

  /** What the visitor wrote is shown as they wrote it. */
  const own = (key: string, text: string, foot: () => (HTMLElement | string)[], version: string): Piece => ({
    key,
    version,
    make: () =>
      row('visitor', t('you'), h('div', { class: 'text', dir: 'auto' }, text), h('div', { class: 'foot' }, ...foot())),
    update: (node) => node.querySelector('.foot')!.replaceChildren(...foot()),
  });
  const written = ({ id, clientMessageId, text, turnId }: Message): Piece => {
    const isOver = turnId && engine().talk().failed.has(turnId);
    const foot = () =>
      isOver
        ? [
            h('span', { class: 'bad' }, t('noAnswer')),
            button(t('askAgain'), () => engine().send(text), { class: 'plain' }),
          ]
        : [];
    return own(clientMessageId ?? id, text, foot, String(isOver));
  };

  function confirmation(asked: Confirmation & { answer?: boolean }): Piece {
    const { runId, argsHash, title, fields, confirmLabel, answer } = asked;
    const isLate = answer === undefined && Date.parse(asked.expiresAt) < Date.now();
    const answering = (isConfirmed: boolean) => () => attempt(() => engine().confirm(runId, argsHash, isConfirmed));
    return {
      key: `confirm ${runId}`,
      version: `${answer} ${isLate}`,
      make: () =>
        h(
          'div',
          { class: 'card', role: 'group', 'aria-label': title, part: 'confirmation' },
          h('strong', { dir: 'auto' }, title),
          h('dl', {}, ...fields.flatMap(({ label, value }) => [h('dt', {}, label), h('dd', { dir: 'auto' }, value)])),
          answer !== undefined || isLate
            ? h('p', {}, t(isLate ? 'expired' : answer ? 'confirmed' : 'declined'))
            : h(
                'div',
                { class: 'chips' },
                button(confirmLabel || t('confirm'), answering(true), { class: 'main' }),
                button(t('decline'), answering(false), { class: 'chip' }),
              ),
        ),
    };
  }

  const note = (key: string, text: string): Piece => ({
    key,
    version: text,
    make: () => h('p', { class: 'note' }, text),
  });

  function pieces(): Piece[] {
    const { greeting, quickReplies } = setup();
    const { talk, messages, outgoing, hasOlder, trouble } = engine();
    const { words, turns, confirmations, state } = talk();
    const said = messages();
    const waiting = outgoing();
    const asked = [...confirmations.values()];
    const list: Piece[] = [];
    if (hasOlder())
      list.push({
        key: 'older',
        version: '',
        make: () => button(t('older'), () => attempt(engine().older), { class: 'chip older' }),
      });
    else if (greeting) {
      list.push({ ...spoken({ id: 'greeting', role: 'bot', text: greeting }, false), version: greeting });
    }
    const isNew = said.length + waiting.length === 0;
    if (isNew && quickReplies.length)
      list.push({
        key: 'quick',
        version: quickReplies.join('\n'),
        make: () =>
          h(
            'div',
            { class: 'chips' },
            ...quickReplies.map((text) => button(text, () => engine().send(text), { class: 'chip', dir: 'auto' })),
          ),
      });
    said.forEach((message, at) => {
      list.push(message.role === 'visitor' ? written(message) : spoken(message, true));
      const next = said[at + 1]?.seq ?? Infinity;
      list.push(...asked.filter(({ seq }) => seq > message.seq && seq < next).map(confirmation));
    });
    for (const { id, text, state: sending, error } of waiting) {
      const foot = () =>
        sending === 'failed'
          ? [
              h('span', { class: 'bad' }, `${t('failed')} ${told(error ?? '')}`),
              button(t('retry'), () => engine().retry(id), { class: 'plain' }),
              button(t('remove'), () => engine().drop(id), { class: 'plain' }),
            ]
          : sending === 'waiting' && !trouble()
            ? [t('sending')]
            : [];
      list.push(own(id, text, foot, `${sending} ${trouble()}`));
    }
    if (words) list.push(spoken({ id: words.messageId, role: 'bot', text: words.text }, false));
    else if (turns.size && state === 'bot')
      list.push({
        key: 'typing',
        version: '',
        make: () => h('div', { class: 'row bot typing' }, h('i'), h('i'), h('i')),
      });
    if (state === 'waiting_human') list.push(note('state', t('waiting')));
    else if (state === 'human') list.push(note('state', t('joined', { name: talk().agent || t('person') })));
    else if (state === 'closed') list.push(note('state', t('ended')));
    return list;
  }

  return { pieces, nameOf };
}
