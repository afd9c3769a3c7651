import { h, icon } from '../shared/dom.ts';
import type { Citation, Message, Setup } from '../shared/wire.ts';
import { avatar } from './avatar.ts';
import type { ChatClient } from './client.ts';
import type { Key } from './english.ts';
import type { ListItem } from './keyed-list.ts';
import { link, markdown, safeUrl } from './markdown.ts';

const thumb = 'M7 11v8H4v-8zm0 0 4-7a2 2 0 0 1 2 2v3h5.5a1.5 1.5 0 0 1 1.5 2l-2 7a1 1 0 0 1-1 1H7';
/** Messages of one author are a group, unless there is a longer pause between them. */
const groupMs = 5 * 60_000;

/** A message that may be incomplete: one that streams or waits has no time. */
export type RowMessage = Pick<Message, 'id' | 'role' | 'text'> & Partial<Message>;

export interface RowDeps {
  client: () => ChatClient;
  setup: () => Setup;
  locale: () => string;
  t: (key: Key, values?: Record<string, string | number>) => string;
  /** Runs a request, and shows an error if it fails. */
  attempt(work: () => Promise<unknown>): void;
}

export const button = (label: string, click: () => void, props: Record<string, string | boolean> = {}) =>
  h('button', { type: 'button', click, ...props }, label);

/** The time of today; otherwise with the day. */
export function timeOf(at: string, locale: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const day = isToday ? {} : ({ day: 'numeric', month: 'short' } as const);
  return date.toLocaleString(locale, { ...day, hour: 'numeric', minute: '2-digit' });
}

/** The messages of a list, in groups by author. */
export function createRows({ client, setup, locale, t, attempt }: RowDeps) {
  let [groupAuthor, groupTime] = ['', 0];

  const nameOf = ({ role, agent }: Partial<Message>) =>
    role === 'visitor' ? t('you') : role === 'agent' ? agent?.name || t('person') : setup().title || t('bot');

  /** The first message of a group shows its author and time. */
  const startsGroup = ({ role, agent, createdAt }: Partial<Message>) => {
    const [author, time] = [`${role} ${agent?.id}`, createdAt ? Date.parse(createdAt) : groupTime];
    const isFirst = author !== groupAuthor || time - groupTime > groupMs;
    [groupAuthor, groupTime] = [author, time];
    return isFirst;
  };
  const endGroup = () => (groupAuthor = '');

  /** A row of the log. `fill` adds its text and what is below. */
  function row(message: RowMessage, key: string, version: string, fill: (node: HTMLElement) => void): ListItem {
    const { role, createdAt } = message;
    const isFirst = startsGroup(message);
    const name = nameOf(message);
    const update = (node: HTMLElement) => {
      node.classList.toggle('cont', !isFirst);
      node.querySelector('time')!.textContent = createdAt ? timeOf(createdAt, locale()) : '';
      fill(node);
    };
    return {
      key,
      version: `${version} ${name} ${isFirst} ${createdAt}`,
      make: () => {
        const node = h(
          'div',
          { class: `row ${role}`, part: `message ${role}`, 'data-id': message.id },
          role !== 'visitor' && avatar(role === 'agent' ? name : undefined),
          h(
            'div',
            {},
            h('p', { class: 'meta' }, h('strong', {}, name), h('time')),
            h('div', { class: 'text', dir: 'auto' }),
            h('div', { class: 'foot' }),
          ),
        );
        update(node);
        return node;
      },
      update,
    };
  }

  const source = ({ n, title, heading, url }: Citation) => {
    const name = [title, heading].filter(Boolean).join(' › ');
    const target = url && safeUrl(url);
    const label = `${n} · ${name}`;
    return h('li', { title: name }, target ? link(target, label) : h('span', {}, label));
  };

  const thumbs = (id: string) => {
    const feedbackGiven = client().currentConversation().feedback.get(id);
    const thumbButton = (isHelpful: boolean) => {
      const label = t(isHelpful ? 'helpful' : 'unhelpful');
      const node = button('', () => attempt(() => client().feedback(id, isHelpful)), {
        class: isHelpful ? 'thumb' : 'thumb down',
        'aria-label': label,
        title: label,
        'aria-pressed': String(feedbackGiven === isHelpful),
        'data-k': String(isHelpful),
      });
      node.append(icon(thumb));
      return node;
    };
    return [thumbButton(true), thumbButton(false), feedbackGiven !== undefined && h('span', {}, t('thanks'))];
  };

  /** A message of the bot or an agent, also while it streams. */
  function reply(message: RowMessage, isComplete: boolean): ListItem {
    const { id, text, citations = [], finish, isHandoffOffered, role } = message;
    const { state, feedback } = client().currentConversation();
    const offersPerson = isHandoffOffered && state === 'bot';
    const cite = (n: number) => {
      const cited = citations.find((citation) => citation.n === n);
      const target = cited?.url && safeUrl(cited.url);
      return cited && h('sup', { title: cited.title }, target ? link(target, `[${n}]`) : `[${n}]`);
    };
    return row(message, id, `${text.length} ${isComplete} ${feedback.get(id)} ${offersPerson}`, (node) => {
      markdown(node.querySelector('.text')!, text, cite, citations.length);
      const focused = node.querySelector(':focus')?.getAttribute('data-k');
      const foot = node.querySelector('.foot')!;
      foot.replaceChildren();
      if (!isComplete) return;
      const note = finish === 'cut' || finish === 'length' ? t('cut') : finish === 'stopped' ? t('stopped') : '';
      const parts = [
        note && h('span', {}, note),
        citations.length > 0 && h('ul', { class: 'sources', 'aria-label': t('sources') }, ...citations.map(source)),
        ...(role === 'bot' && message.isAnswer !== null ? thumbs(id) : []),
        offersPerson && button(t('callPerson'), () => attempt(client().askForPerson), { class: 'chip' }),
      ];
      foot.append(...parts.filter((part): part is HTMLElement => Boolean(part)));
      if (focused) foot.querySelector<HTMLElement>(`[data-k=${CSS.escape(focused)}]`)?.focus();
    });
  }

  /** A visitor's message, shown as plain text. */
  const own = (message: RowMessage, key: string, version: string, foot: () => (HTMLElement | string)[]): ListItem =>
    row(message, key, version, (node) => {
      node.querySelector('.text')!.textContent = message.text;
      node.querySelector('.foot')!.replaceChildren(...foot());
    });

  return { nameOf, reply, own, endGroup };
}
