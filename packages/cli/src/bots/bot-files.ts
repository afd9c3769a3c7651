import { createHash } from 'node:crypto';

/**
 * A bot as file contents by path. A path is a file of the folder, or `knowledge.json#name` for an entry of that file, so
 * that everything that can change on its own is compared on its own.
 */
export type BotFiles = ReadonlyMap<string, string>;
/** The hash of each file when both sides were last equal. */
export type BaseHashes = Readonly<Record<string, string>>;

export const botFile = 'parley.bot.json';
export const instructionsFile = 'instructions.md';
export const urlSourcesFile = 'knowledge.json';

/** Keys in alphabetical order, so that equal content gives equal text. */
export const stableJson = (value: unknown): string => `${JSON.stringify(sorted(value), null, 2)}\n`;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

export interface Change {
  path: string;
  kind: 'create' | 'update' | 'delete';
}
export interface Comparison {
  /** Changed locally only. */
  mine: Change[];
  /** Changed in the service only. */
  theirs: Change[];
  /** Changed on both sides, differently. Described as a local change. */
  conflicts: Change[];
}

/** Which side changed what since both were equal. */
export function compare(local: BotFiles, remote: BotFiles, base: BaseHashes): Comparison {
  const found: Comparison = { mine: [], theirs: [], conflicts: [] };
  for (const path of [...new Set([...local.keys(), ...remote.keys()])].sort()) {
    const [localText, remoteText] = [local.get(path), remote.get(path)];
    if (localText === remoteText) continue;
    const [localHash, remoteHash] = [localText, remoteText].map((text) =>
      text === undefined ? undefined : hashOf(text),
    );
    const localChange: Change = {
      path,
      kind: localText === undefined ? 'delete' : remoteText === undefined ? 'create' : 'update',
    };
    if (remoteHash === base[path]) found.mine.push(localChange);
    else if (localHash === base[path])
      found.theirs.push({
        path,
        kind: remoteText === undefined ? 'delete' : localText === undefined ? 'create' : 'update',
      });
    else found.conflicts.push(localChange);
  }
  return found;
}
