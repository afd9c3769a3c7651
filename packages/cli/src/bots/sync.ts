import { confirmed } from '../ask.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { paint } from '../out.ts';
import { showProgress } from '../progress.ts';
import type { Session } from '../session.ts';
import { botIdOf, readFolder, readLock, writeFolder, writeLock, type Lock } from './folder.ts';
import { botFile, compare, hashOf, type Change, type Parts } from './parts.ts';
import { push } from './push.ts';
import { readService, type ServiceSide } from './service-side.ts';
import { showDiff } from './show-diff.ts';

interface Pull {
  botId: string | undefined;
  dir: string;
  force?: true;
}

export async function pullFolder({ parley, out }: Session, { botId, dir, force }: Pull): Promise<void> {
  const lock = await readLock(dir);
  const local: Parts = await readFolder(dir).catch((error: unknown) => {
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
  const service = await readService(parley, botId ?? botIdOf(local), { local, known: lock.sources });
  const { mine, theirs, conflicts } = compare(local, service.parts, lock.base);
  if (conflicts.length > 0 && !force) throw changedOnBothSides(conflicts, 'overwrite your files');
  const changed = [...theirs, ...(force ? conflicts : [])].map(({ path }) => path);
  await writeFolder(dir, new Map(changed.map((path) => [path, service.parts.get(path)])));
  const kept = new Set(mine.map(({ path }) => path));
  const isSettled = (path: string) => !kept.has(path);
  await writeLock(dir, settled(lock, service, isSettled));
  const [written, removed] = [true, false].map((isThere) =>
    changed.filter((path) => service.parts.has(path) === isThere),
  );
  const words = changed.map((path) => `${service.parts.has(path) ? 'written' : 'removed'}  ${path}`);
  out.answer(
    { botId: service.bot.id, written, removed, kept: [...kept] },
    words.length === 0 ? 'Already up to date.' : words.join('\n'),
  );
  for (const path of kept) out.note(paint('dim', `kept     ${path}`));
}

export async function diffFolder({ parley, out }: Session, dir: string): Promise<void> {
  const [local, lock] = [await readFolder(dir), await readLock(dir)];
  const service = await readService(parley, botIdOf(local), { local, known: lock.sources });
  const { mine, theirs, conflicts } = compare(local, service.parts, lock.base);
  const changes = [
    ...mine.map((change) => ({ ...change, changed: 'local' })),
    ...theirs.map((change) => ({ ...change, changed: 'remote' })),
    ...conflicts.map((change) => ({ ...change, changed: 'both' })),
  ];
  out.answer({ changes }, changes.length === 0 ? 'No differences.' : await showDiff(service.parts, local));
  if (changes.length > 0) process.exitCode = 1;
}

interface Push {
  dir: string;
  force?: true;
  dryRun?: true;
  yes?: true;
}

export async function pushFolder({ parley, out }: Session, { dir, force, dryRun, yes }: Push): Promise<void> {
  const [local, lock] = [await readFolder(dir), await readLock(dir)];
  const botId = botIdOf(local);
  const service = await readService(parley, botId, { local, known: lock.sources });
  const { mine, theirs, conflicts } = compare(local, service.parts, lock.base);
  if (conflicts.length > 0 && !force) throw changedOnBothSides(conflicts, 'overwrite the draft');
  const changes = [...mine, ...conflicts];
  for (const { kind, path } of changes) out.note(`${kind}  ${path}`);
  for (const { path } of theirs) out.note(paint('dim', `remote only, not changed  ${path}`));
  if (dryRun || changes.length === 0) {
    out.answer(
      { botId, changes, pushed: [] },
      changes.length === 0 ? 'Nothing to push.' : 'Dry run. Nothing was pushed.',
    );
    return;
  }
  const deleted = changes.filter(({ kind }) => kind === 'delete');
  if (deleted.length > 0) await confirmed(`Delete ${deleted.map(({ path }) => path).join(', ')} from the draft?`, yes);

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
    // Also when a later one was refused: what is there now is written down, as the service has it.
    const after = await readService(parley, botId, { local, known: sources });
    await writeFolder(dir, new Map(pushed.map((path) => [path, after.parts.get(path)])));
    await writeLock(
      dir,
      settled({ ...lock, sources }, after, (path) => pushed.includes(path)),
    );
  }
  out.answer(
    { botId, changes, pushed },
    `Pushed ${pushed.length} ${pushed.length === 1 ? 'change' : 'changes'}. To publish and deploy, run \`parley bots publish --deploy test\`.`,
  );
}

/** The lock after these paths are the same on both sides. */
function settled(lock: Lock, { parts, sourceIds }: ServiceSide, isSettled: (path: string) => boolean): Lock {
  const base = Object.fromEntries(
    [...new Set([...Object.keys(lock.base), ...parts.keys()])].flatMap((path): [string, string][] => {
      const text = parts.get(path);
      const hash = isSettled(path) ? text && hashOf(text) : lock.base[path];
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
