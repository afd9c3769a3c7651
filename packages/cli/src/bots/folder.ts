import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError, exitCodes } from '../exit-codes.ts';
import { fromMarkdown, toMarkdown } from './knowledge-text.ts';
import { addressesFile, botFile, instructionsFile, stableJson, type Base, type Parts } from './parts.ts';
import { proseText } from './service-side.ts';

/** What both sides were when they were last the same, and which source each file is. Belongs into git. */
export interface Lock {
  base: Base;
  sources: Readonly<Record<string, string>>;
}
const lockFile = 'parley.lock.json';

export async function readLock(dir: string): Promise<Lock> {
  const text = await readIfThere(join(dir, lockFile));
  return text === undefined ? { base: {}, sources: {} } : (parse(lockFile, text) as Lock);
}
export const writeLock = (dir: string, lock: Lock): Promise<void> => writeFile(join(dir, lockFile), stableJson(lock));

/** The folder's files, each as it would be written: order of keys and blank ends make no difference. */
export async function readFolder(dir: string): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  const bot = await readIfThere(join(dir, botFile));
  if (bot === undefined)
    throw new CliError(
      exitCodes.usage,
      'bot_file_missing',
      `No ${botFile} found in ${dir}.`,
      'Run `parley bots pull <bot>` first, or choose another folder with --dir.',
    );
  parts.set(botFile, stableJson(parse(botFile, bot)));
  parts.set(instructionsFile, proseText((await readIfThere(join(dir, instructionsFile))) ?? ''));
  for (const name of await filesIn(join(dir, 'actions'), '.json')) {
    const path = `actions/${name}`;
    parts.set(path, stableJson(parse(path, await readFile(join(dir, path), 'utf8'))));
  }
  for (const name of await filesIn(join(dir, 'knowledge'), '.md')) {
    const path = `knowledge/${name}`;
    const text = await readFile(join(dir, path), 'utf8');
    parts.set(path, toMarkdown(fromMarkdown(text, basename(name, '.md'))));
  }
  const addresses = parse(addressesFile, (await readIfThere(join(dir, addressesFile))) ?? '{}') as object;
  for (const [name, entry] of Object.entries(addresses)) parts.set(`${addressesFile}#${name}`, stableJson(entry));
  return parts;
}

/** Writes these parts; an undefined one is removed. Entries of `knowledge.json` that are not named stay. */
export async function writeFolder(dir: string, parts: ReadonlyMap<string, string | undefined>): Promise<void> {
  const entries = [...parts].filter(([path]) => path.startsWith(`${addressesFile}#`));
  for (const [path, text] of parts) {
    if (path.includes('#')) continue;
    const file = join(dir, path);
    await mkdir(dirname(file), { recursive: true });
    await (text === undefined ? rm(file, { force: true }) : writeFile(file, text));
  }
  if (entries.length === 0) return;
  const file = join(dir, addressesFile);
  const addresses = new Map(Object.entries(parse(addressesFile, (await readIfThere(file)) ?? '{}') as object));
  for (const [path, text] of entries) {
    const name = path.slice(addressesFile.length + 1);
    if (text === undefined) addresses.delete(name);
    else addresses.set(name, JSON.parse(text));
  }
  await (addresses.size === 0 ? rm(file, { force: true }) : writeFile(file, stableJson(Object.fromEntries(addresses))));
}

export const botIdOf = (parts: Parts): string => {
  const { id } = JSON.parse(parts.get(botFile) ?? '{}') as { id?: string };
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

const unlessThere =
  <T>(otherwise: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  };
const readIfThere = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(unlessThere(undefined));
const filesIn = async (dir: string, ending: string): Promise<string[]> =>
  (await readdir(dir).catch(unlessThere<string[]>([]))).filter((name) => name.endsWith(ending)).sort();
