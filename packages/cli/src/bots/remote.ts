import { each } from '@parley/sdk';
import { take } from '../arguments.ts';
import type { Session } from '../session.ts';
import { fromMarkdown, toMarkdown, type KnowledgeText } from './knowledge-text.ts';
import { actionText, type Action } from './action-file.ts';
import { urlSourcesFile, botFile, instructionsFile, stableJson, type BotFiles } from './bot-files.ts';

type Parley = Session['parley'];
export type Bot = Awaited<ReturnType<Parley['getBot']>>['bot'];
type Knowledge = Awaited<ReturnType<Parley['getKnowledgeSource']>>;

export interface RemoteBot {
  bot: Bot;
  files: BotFiles;
  /** Actions, to resolve the names that steps use. */
  actions: readonly Action[];
  /** The source of each path. */
  sourceIds: ReadonlyMap<string, string>;
}

/** The bot in the service. `known` maps files to sources, so that renaming a source does not move its file. */
export async function readRemote(
  parley: Parley,
  botId: string,
  { local, known }: { local: BotFiles; known: Readonly<Record<string, string>> },
): Promise<RemoteBot> {
  const { bot } = await parley.getBot({ path: { id: botId } });
  const actions = await take(each(parley.listActions, { path: { id: botId }, query: { limit: 100 } }));
  const sources = await take(each(parley.listKnowledgeSources, { path: { botId }, query: { limit: 100 } }));
  const files = new Map([
    [botFile, botText(bot)],
    [instructionsFile, proseText(bot.draft.instructions)],
    ...actions.map((action): [string, string] => [`actions/${action.name}.json`, actionText(action, actions)]),
  ]);
  const sourceIds = new Map<string, string>();
  const pathOf = new Map(Object.entries(known).map(([path, id]) => [id, path]));
  const unknown = [...local].filter(([path]) => !(path in known));
  const isTaken = (path: string) => files.has(path) || path in known;
  // Oldest first, so that of two sources with the same name the same one keeps the shorter path.
  for (const { id } of sources.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const read = await parley.getKnowledgeSource({ path: { id } });
    const text = knowledgeFile(read);
    if (text === undefined) continue; // an uploaded file: its bytes cannot be downloaded
    const path = pathOf.get(id) ?? sameName(read, unknown, isTaken) ?? freePath(read, isTaken);
    files.set(path, text);
    sourceIds.set(path, id);
  }
  return { bot, files, actions, sourceIds };
}

/** Without the status, which people change in the portal in a hurry: a push must not undo it. */
export function botText({ id, name, allowedOrigins, retentionDays, limits, draft }: Bot): string {
  const { instructions: _inItsOwnFile, ...rest } = draft;
  return stableJson({ id, name, allowedOrigins, retentionDays, limits, draft: rest });
}

/** With a final line break; the service trims. */
export const proseText = (text: string): string => `${text.replaceAll('\r\n', '\n').trim()}\n`;

function knowledgeFile({ source, content }: Knowledge): string | undefined {
  const { name, isEnabled, schedule, language } = source;
  if (content.kind === 'file') return undefined;
  if (content.kind === 'text' || content.kind === 'qa')
    return markdownText({ name, isEnabled, schedule, language, content });
  return stableJson({ name, isEnabled, schedule, language, ...content });
}

/** Normalised, as it will be read again. */
const markdownText = (text: KnowledgeText): string => toMarkdown(fromMarkdown(toMarkdown(text), text.name));

const isUrlSource = ({ content }: Knowledge) =>
  content.kind === 'url' || content.kind === 'site' || content.kind === 'sitemap';

/** A file pushed from another machine, such as CI: its lock is not here, and it must not be created again. */
function sameName(
  read: Knowledge,
  files: readonly (readonly [path: string, text: string])[],
  isTaken: (path: string) => boolean,
): string | undefined {
  const folder = isUrlSource(read) ? `${urlSourcesFile}#` : 'knowledge/';
  const nameIn = (path: string, text: string) =>
    isUrlSource(read) ? (JSON.parse(text) as { name?: string }).name : fromMarkdown(text, path).name;
  return files.find(
    ([path, text]) => path.startsWith(folder) && !isTaken(path) && nameIn(path, text) === read.source.name,
  )?.[0];
}

function freePath(read: Knowledge, isTaken: (path: string) => boolean): string {
  const slug = slugOf(read.source.name) || read.source.id;
  for (let n = 1; ; n++) {
    const name = n === 1 ? slug : `${slug}-${n}`;
    const path = isUrlSource(read) ? `${urlSourcesFile}#${name}` : `knowledge/${name}.md`;
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
