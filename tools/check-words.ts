// Fails when a text uses a word that docs/glossary.md has replaced. `--count` prints how often each is used, by kind;
// `--list apps/portal` prints all copy below that path, to be read.
import { existsSync } from 'node:fs';
import { allowed, rejected } from './words/rejected.ts';
import { projectFiles, textsOf, type Kind, type Text } from './words/texts.ts';

/** Kinds that must be free of them. Names follow, feature by feature. */
const enforced: Kind[] = ['copy', 'document'];
const maxAllowed = 60;

const patterns = rejected.map((entry) => ({ ...entry, pattern: new RegExp(`\\b(?:${entry.reject})\\b`, 'giu') }));
const any = new RegExp(`\\b(?:${rejected.map(({ reject }) => reject).join('|')})\\b`, 'iu');

/** camelCase and snake_case as the words they are made of. */
const spaced = (text: string) =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .replaceAll('’', "'");

function isAllowed(text: string, from: number, to: number): boolean {
  return allowed.some((entry) => {
    const phrase = entry.text.toLowerCase();
    for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1))
      if (at <= from && to <= at + phrase.length) return true;
    return false;
  });
}

function hitsIn({ text, kind }: Text): { word: string; entry: (typeof patterns)[number] }[] {
  const searched = spaced(text).toLowerCase();
  if (!any.test(searched)) return [];
  return patterns.flatMap((entry) =>
    entry.isCopyOnly && kind === 'name'
      ? []
      : [...searched.matchAll(entry.pattern)]
          .filter(({ 0: word, index }) => !isAllowed(searched, index, index + word.length))
          .map(({ 0: word }) => ({ word, entry })),
  );
}

const [mode, below = ''] = process.argv.slice(2);
const texts = projectFiles()
  .filter((path) => path.startsWith(below) && existsSync(path))
  .flatMap(textsOf);

if (mode === '--list') {
  for (const { path, line, kind, text } of texts) if (kind !== 'name') console.log(`${path}:${line} ${text.trim()}`);
} else if (mode === '--count') {
  const counts = new Map<string, Record<Kind, number>>();
  for (const text of texts)
    for (const { entry } of hitsIn(text)) {
      const count = counts.get(entry.reject) ?? { copy: 0, document: 0, name: 0 };
      count[text.kind] += 1;
      counts.set(entry.reject, count);
    }
  const total = { copy: 0, document: 0, name: 0 };
  for (const count of counts.values())
    for (const kind of ['copy', 'document', 'name'] as const) total[kind] += count[kind];
  console.table({
    ...Object.fromEntries([...counts].toSorted(([, a], [, b]) => b.copy + b.document - a.copy - a.document)),
    total,
  });
} else {
  const wrong = texts
    .filter(({ kind }) => enforced.includes(kind))
    .flatMap((text) => hitsIn(text).map(({ word, entry }) => `${text.path}:${text.line} "${word}": ${entry.use}`));
  if (allowed.length > maxAllowed) wrong.push(`${allowed.length} allow-list entries, limit ${maxAllowed}`);
  if (wrong.length > 0) {
    console.error(wrong.join('\n'));
    console.error(`${wrong.length} uses of terms that docs/glossary.md has replaced`);
    process.exitCode = 1;
  }
}
