import { answerModes } from '../../parts/answer-modes.ts';

// How two versions of a bot differ, in readable form.

export interface Change {
  path: string;
  before: unknown;
  after: unknown;
}

type Group = Record<string, unknown>;
const isGroup = (value: unknown): value is Group =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON with sorted keys, so that equal content gives equal text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    isGroup(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
export const isSame = (one: unknown, other: unknown) => canonical(one) === canonical(other);

/** Compares like the service: groups field by field, lists as one value. */
export function differences(before: unknown, after: unknown, path = ''): Change[] {
  if (isGroup(before) && isGroup(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
    return names.flatMap((name) => differences(own(before, name), own(after, name), `${path}/${name}`));
  }
  return isSame(before ?? null, after ?? null) ? [] : [{ path, before: before ?? null, after: after ?? null }];
}
const own = (group: Group, name: string) => (Object.hasOwn(group, name) ? group[name] : undefined);

/** The changed fields of a draft, as the service expects them in a patch. */
export function changeOf<T extends object>(before: T, after: T): Partial<T> {
  const groups = new Set(['answers', 'appearance', 'handoff']);
  const entries = Object.entries(after).flatMap(([name, value]) => {
    const old = (before as Group)[name];
    if (isSame(old, value)) return [];
    return [[name, groups.has(name) ? changeOf(old as Group, value as Group) : (value as unknown)]];
  });
  return Object.fromEntries(entries) as Partial<T>;
}

const names: Record<string, string> = {
  '/title': 'title',
  '/instructions': 'instructions',
  '/greeting': 'greeting',
  '/quickReplies': 'quick replies',
  '/disclosure': 'disclosure',
  '/noAnswer': 'fallback message',
  '/languages': 'languages',
  '/answers/mode': 'answer mode',
  '/answers/models': 'models',
  '/answers/temperature': 'creativity',
  '/answers/maxOutputTokens': 'max length',
  '/appearance/theme': 'theme',
  '/appearance/accent': 'accent colour',
  '/appearance/radius': 'corner radius',
  '/appearance/side': 'position',
  '/appearance/offsetX': 'side spacing',
  '/appearance/offsetY': 'bottom spacing',
  '/appearance/icon': 'button icon',
  '/handoff/isOffered': 'human handoff',
  '/handoff/afterUnanswered': 'handoff after unanswered questions',
  '/handoff/message': 'handoff message',
  '/replies/thanks': 'reply to thanks',
  '/replies/goodbye': 'reply to a goodbye',
  '/replies/identity': 'reply about the bot',
  '/replies/stop': 'reply to “stop”',
  '/replies/abuse': 'reply to insults',
  '/replies/noPerson': 'reply if no person is available',
  '/proactive': 'proactive messages',
  '/preChat': 'form before the chat',
  '/knowledgeSourceIds': 'knowledge',
  '/actions': 'actions',
};

export function nameOf(path: string): string {
  if (path.startsWith('/texts')) return `widget text “${path.slice('/texts/'.length)}”`;
  return names[path] ?? path.slice(1).replaceAll('/', ', ');
}
export const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const values: Record<string, Record<string, string>> = {
  '/answers/mode': { extractive: answerModes.extractive.label, model: answerModes.model.label },
  '/handoff/isOffered': { true: 'Yes', false: 'No' },
  '/handoff/afterUnanswered': { null: 'Off' },
  '/appearance/theme': { auto: 'Match device', light: 'Light', dark: 'Dark' },
  '/appearance/side': { left: 'Left', right: 'Right' },
  '/appearance/icon': { chat: 'Speech bubble', question: 'Question mark', spark: 'Spark' },
};

/** A value as one or more lines of text. `namesById` maps the IDs of models and sources to names. */
export function textOf(path: string, value: unknown, namesById: Record<string, string> = {}): string {
  const label = values[path]?.[String(value)];
  if (label !== undefined) return label;
  if (value === null || value === '') return '';
  if (Array.isArray(value))
    return value
      .map((item: unknown) =>
        item === 'default'
          ? 'Default model'
          : isGroup(item)
            ? JSON.stringify(item, null, 2)
            : (namesById[String(item)] ?? String(item)),
      )
      .join('\n');
  if (path.startsWith('/appearance/') && typeof value === 'number') return `${value} px`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return path === '/handoff/afterUnanswered'
    ? `After ${text} unanswered ${text === '1' ? 'question' : 'questions'} in a row`
    : text;
}

export interface Line {
  sign: '+' | '−' | ' ';
  text: string;
}

/** Line diff by longest common subsequence. The text has a few hundred lines at most. */
export function lineDiff(before: string, after: string): Line[] {
  const [a, b] = [before === '' ? [] : before.split('\n'), after === '' ? [] : after.split('\n')];
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i++]! });
      j++;
    } else if (i < a.length && (j >= b.length || common[i + 1]![j]! >= common[i]![j + 1]!))
      lines.push({ sign: '−', text: a[i++]! });
    else lines.push({ sign: '+', text: b[j++]! });
  }
  return lines;
}
