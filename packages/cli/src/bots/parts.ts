import { createHash } from 'node:crypto';

/**
 * A bot as texts by path. A path is a file of the folder, or `knowledge.json#name` for an entry of that file, so that
 * everything that can change by itself has one text to be compared.
 */
export type Parts = ReadonlyMap<string, string>;
/** What each part was when here and there were last the same. */
export type Base = Readonly<Record<string, string>>;

export const botFile = 'parley.bot.json';
export const instructionsFile = 'instructions.md';
export const addressesFile = 'knowledge.json';

/** Keys in alphabetical order: the same content is the same text, whoever wrote it. */
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
  /** Changed here only. */
  mine: Change[];
  /** Changed in the service only. */
  theirs: Change[];
  /** Changed on both sides, differently. As a change of ours. */
  conflicts: Change[];
}

/** Who changed what since both were the same. */
export function compare(local: Parts, remote: Parts, base: Base): Comparison {
  const found: Comparison = { mine: [], theirs: [], conflicts: [] };
  for (const path of [...new Set([...local.keys(), ...remote.keys()])].sort()) {
    const [here, there] = [local.get(path), remote.get(path)];
    if (here === there) continue;
    const [hereHash, thereHash] = [here, there].map((text) => (text === undefined ? undefined : hashOf(text)));
    const ours: Change = { path, kind: here === undefined ? 'delete' : there === undefined ? 'create' : 'update' };
    if (thereHash === base[path]) found.mine.push(ours);
    else if (hereHash === base[path])
      found.theirs.push({ path, kind: there === undefined ? 'delete' : here === undefined ? 'create' : 'update' });
    else found.conflicts.push(ours);
  }
  return found;
}
