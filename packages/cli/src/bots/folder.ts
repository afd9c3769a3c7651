import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError, exitCodes } from '../exit-codes.ts';
import { fromMarkdown, toMarkdown } from './knowledge-text.ts';
import { urlSourcesFile, botFile, instructionsFile, stableJson, type BaseHashes, type BotFiles } from './bot-files.ts';
import { proseText } from './remote.ts';

/** Hashes of both sides when they were last equal, and the source of each file. Belongs in git. */
export interface Lock {
  base: BaseHashes;
  sources: Readonly<Record<string, string>>;
}
const lockFile = 'parley.lock.json';

export async function readLock(dir: string): Promise<Lock> {
  const text = await readIfExists(join(dir, lockFile));
  return text === undefined ? { base: {}, sources: {} } : (parse(lockFile, text) as Lock);
}
export const writeLock = (dir: string, lock: Lock): Promise<void> => writeFile(join(dir, lockFile), stableJson(lock));

/** The folder's files in normalised form: key order and trailing blank lines make no difference. */
export async function readFolder(dir: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const bot = await readIfExists(join(dir, botFile));
  if (bot === undefined)
    throw new CliError(
      exitCodes.usage,
      'bot_file_missing',
      `No ${botFile} found in ${dir}.`,
      'Run `parley bots pull <bot>` first, or choose another folder with --dir.',
    );
  files.set(botFile, stableJson(parse(botFile, bot)));
  files.set(instructionsFile, proseText((await readIfExists(join(dir, instructionsFile))) ?? ''));
  for (const name of await filesIn(join(dir, 'actions'), '.json')) {
    const path = `actions/${name}`;
    files.set(path, stableJson(parse(path, await readFile(join(dir, path), 'utf8'))));
  }
  for (const name of await filesIn(join(dir, 'knowledge'), '.md')) {
    const path = `knowledge/${name}`;
    const text = await readFile(join(dir, path), 'utf8');
    files.set(path, toMarkdown(fromMarkdown(text, basename(name, '.md'))));
  }
  const urlSources = parse(urlSourcesFile, (await readIfExists(join(dir, urlSourcesFile))) ?? '{}') as object;
  for (const [name, entry] of Object.entries(urlSources)) files.set(`${urlSourcesFile}#${name}`, stableJson(entry));
  return files;
}

/** Writes these files; an undefined one is removed. Entries of `knowledge.json` that are not listed stay. */
export async function writeFolder(dir: string, files: ReadonlyMap<string, string | undefined>): Promise<void> {
  const entries = [...files].filter(([path]) => path.startsWith(`${urlSourcesFile}#`));
  for (const [path, text] of files) {
    if (path.includes('#')) continue;
    const file = join(dir, path);
    await mkdir(dirname(file), { recursive: true });
    await (text === undefined ? rm(file, { force: true }) : writeFile(file, text));
  }
  if (entries.length === 0) return;
  const file = join(dir, urlSourcesFile);
  const urlSources = new Map(Object.entries(parse(urlSourcesFile, (await readIfExists(file)) ?? '{}') as object));
  for (const [path, text] of entries) {
    const name = path.slice(urlSourcesFile.length + 1);
    if (text === undefined) urlSources.delete(name);
    else urlSources.set(name, JSON.parse(text));
  }
  await (urlSources.size === 0
    ? rm(file, { force: true })
    : writeFile(file, stableJson(Object.fromEntries(urlSources))));
}

export const botIdOf = (files: BotFiles): string => {
  const { id } = JSON.parse(files.get(botFile) ?? '{}') as { id?: string };
  if (typeof id === 'string') return id;
  throw new CliError(exitCodes.usage, 'bot_id_missing', `${botFile} has no bot ID.`, 'Add "id": "bot_…".');
};

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(exitCodes.usage, 'invalid_json', `${path} is not valid JSON: ${(error as Error).message}`);
  }
}

const ifMissing =
  <T>(defaultValue: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return defaultValue;
    throw error;
  };
const readIfExists = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(ifMissing(undefined));
const filesIn = async (dir: string, ending: string): Promise<string[]> =>
  (await readdir(dir).catch(ifMissing<string[]>([]))).filter((name) => name.endsWith(ending)).sort();
