import { confirm } from '../prompt.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { paint } from '../out.ts';
import { showProgress } from '../progress.ts';
import type { Session } from '../session.ts';
import { botIdOf, readFolder, readLock, writeFolder, writeLock, type Lock } from './folder.ts';
import { botFile, compare, hashOf, type Change, type BotFiles } from './bot-files.ts';
import { push } from './push.ts';
import { readRemote, type RemoteBot } from './remote.ts';
import { showDiff } from './show-diff.ts';

interface PullInput {
  botId: string | undefined;
  dir: string;
  force?: true;
}

export async function pullFolder({ parley, out }: Session, { botId, dir, force }: PullInput): Promise<void> {
  const lock = await readLock(dir);
  const local: BotFiles = await readFolder(dir).catch((error: unknown) => {
    if (botId !== undefined && error instanceof CliError && error.reason === 'bot_file_missing') return new Map();
    throw error;
  });
  if (botId !== undefined && local.has(botFile) && botIdOf(local) !== botId)
    throw new CliError(
      exitCodes.usage,
      'bot_mismatch',
      `${dir} contains a different bot.`,
      'Choose another folder with --dir.',
    );
  const service = await readRemote(parley, botId ?? botIdOf(local), { local, known: lock.sources });
  const { mine, theirs, conflicts } = compare(local, service.files, lock.base);
  if (conflicts.length > 0 && !force) throw changedOnBothSides(conflicts, 'overwrite your files');
  const changed = [...theirs, ...(force ? conflicts : [])].map(({ path }) => path);
  await writeFolder(dir, new Map(changed.map((path) => [path, service.files.get(path)])));
  const localOnly = new Set(mine.map(({ path }) => path));
  const isInSync = (path: string) => !localOnly.has(path);
  await writeLock(dir, lockAfter(lock, service, isInSync));
  const [written, removed] = [true, false].map((exists) =>
    changed.filter((path) => service.files.has(path) === exists),
  );
  const lines = changed.map((path) => `${service.files.has(path) ? 'written' : 'removed'}  ${path}`);
  out.result(
    { botId: service.bot.id, written, removed, kept: [...localOnly] },
    lines.length === 0 ? 'Already up to date.' : lines.join('\n'),
  );
  for (const path of localOnly) out.note(paint('dim', `kept     ${path}`));
}

export async function diffFolder({ parley, out }: Session, dir: string): Promise<void> {
  const [local, lock] = [await readFolder(dir), await readLock(dir)];
  const service = await readRemote(parley, botIdOf(local), { local, known: lock.sources });
  const { mine, theirs, conflicts } = compare(local, service.files, lock.base);
  const changes = [
    ...mine.map((change) => ({ ...change, changed: 'local' })),
    ...theirs.map((change) => ({ ...change, changed: 'remote' })),
    ...conflicts.map((change) => ({ ...change, changed: 'both' })),
  ];
  out.result({ changes }, changes.length === 0 ? 'No differences.' : await showDiff(service.files, local));
  if (changes.length > 0) process.exitCode = 1;
}

interface PushInput {
  dir: string;
  force?: true;
  dryRun?: true;
  yes?: true;
}

export async function pushFolder({ parley, out }: Session, { dir, force, dryRun, yes }: PushInput): Promise<void> {
  const [local, lock] = [await readFolder(dir), await readLock(dir)];
  const botId = botIdOf(local);
  const service = await readRemote(parley, botId, { local, known: lock.sources });
  const { mine, theirs, conflicts } = compare(local, service.files, lock.base);
  if (conflicts.length > 0 && !force) throw changedOnBothSides(conflicts, 'overwrite the draft');
  const changes = [...mine, ...conflicts];
  for (const { kind, path } of changes) out.note(`${kind}  ${path}`);
  for (const { path } of theirs) out.note(paint('dim', `remote only, not changed  ${path}`));
  if (dryRun || changes.length === 0) {
    out.result(
      { botId, changes, pushed: [] },
      changes.length === 0 ? 'Nothing to push.' : 'Dry run. Nothing was pushed.',
    );
    return;
  }
  const deleted = changes.filter(({ kind }) => kind === 'delete');
  if (deleted.length > 0) await confirm(`Delete ${deleted.map(({ path }) => path).join(', ')} from the draft?`, yes);

  const pushed: string[] = [];
  const sources: Record<string, string> = { ...lock.sources };
  const progress = showProgress(out, 'Pushing', changes.length);
  try {
    await push({
      parley,
      local,
      service,
      changes,
      onDone: (path, sourceId) => {
        pushed.push(path);
        if (sourceId !== undefined) sources[path] = sourceId;
        progress.at(pushed.length);
      },
    });
  } finally {
    progress.stop();
    // Also when a later change was rejected: the files and the lock get what the service has now.
    const after = await readRemote(parley, botId, { local, known: sources });
    await writeFolder(dir, new Map(pushed.map((path) => [path, after.files.get(path)])));
    await writeLock(
      dir,
      lockAfter({ ...lock, sources }, after, (path) => pushed.includes(path)),
    );
  }
  out.result(
    { botId, changes, pushed },
    `Pushed ${pushed.length} ${pushed.length === 1 ? 'change' : 'changes'}. To publish and deploy, run \`parley bots publish --deploy test\`.`,
  );
}

/** The lock after these paths are equal on both sides. */
function lockAfter(lock: Lock, { files, sourceIds }: RemoteBot, isInSync: (path: string) => boolean): Lock {
  const base = Object.fromEntries(
    [...new Set([...Object.keys(lock.base), ...files.keys()])].flatMap((path): [string, string][] => {
      const text = files.get(path);
      const hash = isInSync(path) ? text && hashOf(text) : lock.base[path];
      return hash ? [[path, hash]] : [];
    }),
  );
  const sources = Object.fromEntries([...sourceIds].filter(([path]) => path in base));
  return { base, sources };
}

const changedOnBothSides = (conflicts: readonly Change[], effect: string) =>
  new CliError(
    exitCodes.refused,
    'conflict',
    `Conflict: changed both locally and remotely: ${conflicts.map(({ path }) => path).join(', ')}. Nothing was written.`,
    `Review with \`parley bots diff\`. Use --force to ${effect}.`,
  );
