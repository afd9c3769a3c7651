import { ParleyError } from '@parley/sdk';
import { CliError, exitCodes } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { actionBody, stepsOf } from './action-file.ts';
import { fromMarkdown } from './knowledge-text.ts';
import { urlSourcesFile, botFile, instructionsFile, stableJson, type Change, type BotFiles } from './bot-files.ts';
import type { RemoteBot } from './remote.ts';

type Parley = Session['parley'];
type NewAction = Parameters<Parley['createAction']>[0]['body'];
type NewSource = Parameters<Parley['createKnowledgeSource']>[0]['body'];
type SourceChange = Parameters<Parley['updateKnowledgeSource']>[0]['body'];

interface PushInput {
  parley: Parley;
  local: BotFiles;
  service: RemoteBot;
  changes: readonly Change[];
  /** Called after each file that was pushed. */
  onDone: (path: string, sourceId?: string) => void;
}

/** Pushes the changes one after the other. The draft goes first, as only the draft can be rejected as outdated. */
export async function push({ parley, local, service, changes, onDone }: PushInput): Promise<void> {
  const isBotFile = ({ path }: Change) => path === botFile || path === instructionsFile;
  const botPaths = changes.filter(isBotFile).map(({ path }) => path);
  await pushBot(parley, local, service, botPaths);
  botPaths.forEach((path) => onDone(path));

  const actionIds = new Map(service.actions.map(({ name, id }) => [name, id]));
  for (const change of inOrder(
    changes.filter(({ path }) => path.startsWith('actions/')),
    local,
    service.files,
  )) {
    await pushAction(parley, local, service.bot.id, change, actionIds);
    onDone(change.path);
  }
  for (const change of changes.filter(({ path }) => path.startsWith('knowledge'))) {
    const id = service.sourceIds.get(change.path);
    onDone(change.path, await pushSource(parley, local, service.bot.id, change, id));
  }
}

async function pushBot(parley: Parley, local: BotFiles, { bot }: RemoteBot, paths: readonly string[]): Promise<void> {
  const { id: _id, draft: draftChange, ...settings } = JSON.parse(local.get(botFile) ?? '{}') as BotFile;
  const draft = {
    ...(paths.includes(botFile) && draftChange),
    ...(paths.includes(instructionsFile) && { instructions: (local.get(instructionsFile) ?? '').trim() }),
  };
  if (stableJson({ ...bot.draft, ...draft }) !== stableJson(bot.draft))
    await parley
      .updateBotDraft({ path: { id: bot.id }, body: { revision: bot.revision, draft } })
      .catch((error: unknown) => {
        if (!(error instanceof ParleyError) || error.reason !== 'draft_changed') throw error;
        throw new CliError(
          exitCodes.refused,
          'draft_changed',
          'Someone else just changed the draft. Nothing was pushed, and your files are unchanged.',
          'Run `parley bots diff`, then pull or push again.',
        );
      });
  if (paths.includes(botFile) && stableJson({ ...bot, ...settings }) !== stableJson(bot))
    await parley.updateBot({ path: { id: bot.id }, body: settings });
}

interface BotFile {
  id: string;
  draft?: object;
}

const nameOf = (path: string) => path.slice('actions/'.length, -'.json'.length);

/** Called actions before their callers; deletions in the reverse order. */
function inOrder(changes: readonly Change[], local: BotFiles, remote: BotFiles): Change[] {
  const remaining = new Map(changes.map((change) => [nameOf(change.path), change]));
  const ordered: Change[] = [];
  const visit = (name: string) => {
    const change = remaining.get(name);
    if (!change || !remaining.delete(name)) return;
    const text = (change.kind === 'delete' ? remote : local).get(change.path) ?? '{}';
    stepsOf(text).forEach(visit);
    ordered.push(change);
  };
  for (const { path } of changes) visit(nameOf(path));
  const isDeleted = ({ kind }: Change) => kind === 'delete';
  return [...ordered.filter((change) => !isDeleted(change)), ...ordered.filter(isDeleted).toReversed()];
}

async function pushAction(
  parley: Parley,
  local: BotFiles,
  botId: string,
  { path, kind }: Change,
  ids: Map<string, string>,
): Promise<void> {
  const name = nameOf(path);
  const id = ids.get(name) ?? '';
  if (kind === 'delete') {
    await parley.deleteAction({ path: { id } });
    return;
  }
  const body = actionBody(local.get(path) ?? '{}', (calledName) => {
    const found = ids.get(calledName);
    if (found) return found;
    throw new CliError(
      exitCodes.usage,
      'action_not_found',
      `${path} calls “${calledName}”, but this bot has no such action.`,
    );
  });
  if (kind === 'update') await parley.updateAction({ path: { id }, body });
  else {
    const { action } = await parley.createAction({ path: { id: botId }, body: { ...body, name } as NewAction });
    ids.set(name, action.id);
  }
}

async function pushSource(parley: Parley, local: BotFiles, botId: string, { path, kind }: Change, id = '') {
  if (kind === 'delete') {
    await parley.deleteKnowledgeSource({ path: { id } });
    return undefined;
  }
  const text = local.get(path) ?? '';
  const { isEnabled, ...body } = path.startsWith(urlSourcesFile)
    ? (JSON.parse(text) as KnowledgeEntry)
    : toEntry(fromMarkdown(text, path));
  if (kind === 'update') {
    const { kind: _fixed, ...changed } = body;
    await parley.updateKnowledgeSource({ path: { id }, body: { isEnabled, ...changed } as SourceChange });
    return id;
  }
  const { source } = await parley.createKnowledgeSource({ path: { botId }, body: body as NewSource });
  if (isEnabled === false) await parley.updateKnowledgeSource({ path: { id: source.id }, body: { isEnabled } });
  return source.id;
}

interface KnowledgeEntry {
  isEnabled?: boolean;
  kind?: string;
}
const toEntry = ({ content, ...rest }: ReturnType<typeof fromMarkdown>): KnowledgeEntry => ({ ...rest, ...content });
