import { each } from '@parley/sdk';
import { take } from '../arguments.ts';
import type { Session } from '../session.ts';
import { fromMarkdown, toMarkdown, type KnowledgeText } from './knowledge-text.ts';
import { actionText, type Action } from './action-file.ts';
import { addressesFile, botFile, instructionsFile, stableJson, type Parts } from './parts.ts';

type Parley = Session['parley'];
export type Bot = Awaited<ReturnType<Parley['getBot']>>['bot'];
type Knowledge = Awaited<ReturnType<Parley['getKnowledgeSource']>>;

export interface ServiceSide {
  bot: Bot;
  parts: Parts;
  /** Actions by name: steps name each other. */
  actions: readonly Action[];
  /** Which source a path is. */
  sourceIds: ReadonlyMap<string, string>;
}

/** The bot as it is in the service. `known` says which source a file is, so that a new name moves none. */
export async function readService(
  parley: Parley,
  botId: string,
  { local, known }: { local: Parts; known: Readonly<Record<string, string>> },
): Promise<ServiceSide> {
  const { bot } = await parley.getBot({ path: { id: botId } });
  const actions = await take(each(parley.listActions, { path: { id: botId }, query: { limit: 100 } }));
  const sources = await take(each(parley.listKnowledgeSources, { path: { botId }, query: { limit: 100 } }));
  const parts = new Map([
    [botFile, botText(bot)],
    [instructionsFile, proseText(bot.draft.instructions)],
    ...actions.map((action): [string, string] => [`actions/${action.name}.json`, actionText(action, actions)]),
  ]);
  const sourceIds = new Map<string, string>();
  const pathOf = new Map(Object.entries(known).map(([path, id]) => [id, path]));
  const unknown = [...local].filter(([path]) => !(path in known));
  const isTaken = (path: string) => parts.has(path) || path in known;
  // Oldest first, so that of two with one name the same keeps the shorter path.
  for (const { id } of sources.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const read = await parley.getKnowledgeSource({ path: { id } });
    const text = knowledgePart(read);
    if (text === undefined) continue; // a file that was uploaded: its bytes cannot be read back
    const path = pathOf.get(id) ?? sameName(read, unknown, isTaken) ?? freePath(read, isTaken);
    parts.set(path, text);
    sourceIds.set(path, id);
  }
  return { bot, parts, actions, sourceIds };
}

/** What is looked after by hand in a hurry (paused or not) is left out: a push must not undo it. */
export function botText({ id, name, allowedOrigins, retentionDays, limits, draft }: Bot): string {
  const { instructions: _inItsOwnFile, ...rest } = draft;
  return stableJson({ id, name, allowedOrigins, retentionDays, limits, draft: rest });
}

/** Ends as files do; the service trims. */
export const proseText = (text: string): string => `${text.replaceAll('\r\n', '\n').trim()}\n`;

function knowledgePart({ source, content }: Knowledge): string | undefined {
  const { name, isEnabled, schedule, language } = source;
  if (content.kind === 'file') return undefined;
  if (content.kind === 'text' || content.kind === 'qa')
    return markdownText({ name, isEnabled, schedule, language, content });
  return stableJson({ name, isEnabled, schedule, language, ...content });
}

/** As it will be read again. */
const markdownText = (text: KnowledgeText): string => toMarkdown(fromMarkdown(toMarkdown(text), text.name));

const isIp = ({ content }: Knowledge) => content.kind === 'url' || content.kind === 'sitemap';

/** A file that was pushed from elsewhere, such as by CI: its lock is not here, and it must not be made again. */
function sameName(
  read: Knowledge,
  files: readonly (readonly [path: string, text: string])[],
  isTaken: (path: string) => boolean,
): string | undefined {
  const place = isIp(read) ? `${addressesFile}#` : 'knowledge/';
  const nameIn = (path: string, text: string) =>
    isIp(read) ? (JSON.parse(text) as { name?: string }).name : fromMarkdown(text, path).name;
  return files.find(
    ([path, text]) => path.startsWith(place) && !isTaken(path) && nameIn(path, text) === read.source.name,
  )?.[0];
}

function freePath(read: Knowledge, isTaken: (path: string) => boolean): string {
  const slug = slugOf(read.source.name) || read.source.id;
  for (let n = 1; ; n++) {
    const name = n === 1 ? slug : `${slug}-${n}`;
    const path = isIp(read) ? `${addressesFile}#${name}` : `knowledge/${name}.md`;
    if (!isTaken(path)) return path;
  }
}

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 60);
