// Fails when a text uses a word that docs/glossary.md has replaced. `--count` prints how often each is used, by kind;
// `--list apps/portal` prints all copy below that path, to be read.
import { existsSync } from 'node:fs';
import { allowed, rejected } from './words/rejected.ts';
import { kinds, projectFiles, textsOf, type Kind, type Text } from './words/texts.ts';

const enforced: Kind[] = ['copy', 'document', 'name', 'type', 'title', 'comment', 'record'];
const isName = (kind: Kind) => kind === 'name' || kind === 'type' || kind === 'title';
const maxAllowed = 60;

const patterns = rejected.map((entry) => ({
  ...entry,
  pattern: new RegExp(entry.isTypeOnly ? `^(?:${entry.reject})$` : `\\b(?:${entry.reject})\\b`, 'giu'),
}));
const any = new RegExp(`\\b(?:${rejected.map(({ reject }) => reject).join('|')})\\b`, 'iu');

/** Splits camelCase and snake_case at their parts. */
const spaced = (text: string) =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .replaceAll('’', "'");

function isAllowed(text: string, kind: Kind, from: number, to: number): boolean {
  return allowed.some((entry) => {
    if (entry.isCommentOnly && kind !== 'comment') return false;
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
    (entry.isCopyOnly && (isName(kind) || kind === 'record')) ||
    (entry.isNameOnly && kind !== 'name' && kind !== 'type') ||
    (entry.isTypeOnly && kind !== 'type')
      ? []
      : [...searched.matchAll(entry.pattern)]
          .filter(({ 0: word, index }) => !isAllowed(searched, kind, index, index + word.length))
          .map(({ 0: word }) => ({ word, entry })),
  );
}

const none = (): Record<Kind, number> => ({
  copy: 0,
  document: 0,
  record: 0,
  name: 0,
  type: 0,
  title: 0,
  comment: 0,
  fixture: 0,
});

const [mode, below = ''] = process.argv.slice(2);
const texts = projectFiles()
  .filter((path) => path.startsWith(below) && existsSync(path))
  .flatMap(textsOf);

if (mode === '--list') {
  for (const { path, line, kind, text } of texts)
    if (kind === 'copy' || kind === 'document') console.log(`${path}:${line} ${text.trim()}`);
} else if (mode === '--count') {
  const counts = new Map<string, Record<Kind, number>>();
  for (const text of texts)
    for (const { entry } of hitsIn(text)) {
      const count = counts.get(entry.reject) ?? none();
      count[text.kind] += 1;
      counts.set(entry.reject, count);
    }
  const total = none();
  for (const count of counts.values()) for (const kind of kinds) total[kind] += count[kind];
  const sum = (count: Record<Kind, number>) => enforced.reduce((before, kind) => before + count[kind], 0);
  console.table({ ...Object.fromEntries([...counts].toSorted(([, a], [, b]) => sum(b) - sum(a))), total });
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
