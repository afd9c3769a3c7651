import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

/**
 * Where a text is met. `copy` is what people read on a screen, in an email, in a response or in a log; `document` is
 * Markdown; `record` is an architecture decision, which keeps its sentences but follows the names of the code; `name` is an identifier, a file name or SQL; `type` is the name of a declared type; `title` is a test title;
 * `comment` is one in source or SQL; `fixture` (other strings in tests) is counted and not enforced.
 */
export const kinds = ['copy', 'document', 'record', 'name', 'type', 'title', 'comment', 'fixture'] as const;
export type Kind = (typeof kinds)[number];

export interface Text {
  path: string;
  line: number;
  kind: Kind;
  text: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  value?: unknown;
  name?: unknown;
}

const isTest = (path: string) => /(^|\/)(test|e2e|bench|load|eval)\/|\.test\.tsx?$/.test(path);

/** What visitors may write, in any language. */
const isLanguageData = (path: string) => path.includes('/intents/languages/');

/** Sentences, labels that begin with a capital, and the snake_case words of reasons, statuses, metrics and settings. */
const isCopy = (text: string) =>
  /\p{L}[\p{L}’']*[,:]? \p{L}/u.test(text) || /^\p{Lu}\p{Ll}+…?$/u.test(text) || /^[a-z]+(_[a-z]+)+$/i.test(text);

function textsOfSource(path: string): Text[] {
  const source = readFileSync(path, 'utf8');
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (offset: number) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  const found: Text[] = [];
  const add = (kind: Kind, node: Node, text: string) =>
    found.push({
      path,
      line: lineAt(node.start),
      kind: (isTest(path) && kind === 'copy') || (isLanguageData(path) && kind !== 'comment') ? 'fixture' : kind,
      text,
    });
  const visit = (node: unknown, within = '') => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach((child) => visit(child, within));
    const { type, value, name } = node as Node;
    if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration') return;
    if (type === 'TSTypeAliasDeclaration' || type === 'TSInterfaceDeclaration')
      add('type', node as Node, nameOf((node as { id: unknown }).id));
    const title = isTest(path) ? titleOf(node) : undefined;
    if (title !== undefined) add('title', node as Node, title);
    if (type === 'JSXText' && typeof value === 'string' && /\p{L}/u.test(value))
      add('copy', node as Node, value.replace(/\s+/g, ' '));
    else if (type === 'Literal' && typeof value === 'string') {
      if (within !== 'className') add(isCopy(value) ? 'copy' : isTest(path) ? 'fixture' : 'name', node as Node, value);
    } else if (type === 'TemplateElement') {
      const cooked = (value as { cooked: string | null }).cooked ?? '';
      if (cooked !== '')
        add(within === 'sql' || !/\p{L}{2,} |\b [\p{L}]{2,}/u.test(cooked) ? 'name' : 'copy', node as Node, cooked);
    } else if ((type === 'Identifier' || type === 'JSXIdentifier') && typeof name === 'string')
      add(/^[A-Z]+(_[A-Z0-9]+)+$/.test(name) ? 'copy' : 'name', node as Node, name);
    const next =
      type === 'JSXAttribute'
        ? nameOf((node as { name: unknown }).name)
        : type === 'TaggedTemplateExpression'
          ? 'sql'
          : within;
    for (const child of Object.values(node)) visit(child, next);
  };
  const { program, comments } = parseSync(path, source);
  visit(program);
  for (const comment of comments)
    found.push({ path, line: lineAt(comment.start), kind: 'comment', text: withoutCode(unwrapped(comment.value)) });
  return found;
}

/** The title of `test('…')`, `describe('…')` and `test.each([…])('…')`. */
function titleOf(node: unknown): string | undefined {
  const { type, callee, arguments: [first] = [] } = node as { type: string; callee?: unknown; arguments?: unknown[] };
  if (type !== 'CallExpression' || !/^(test|describe|it)\b/.test(calleeOf(callee))) return undefined;
  const { value, quasis } = (first ?? {}) as { value?: unknown; quasis?: { value: { cooked: string } }[] };
  return typeof value === 'string' ? value : quasis?.map((part) => part.value.cooked).join(' … ');
}

function calleeOf(node: unknown): string {
  const { name, object, callee, tag } = (node ?? {}) as Record<string, unknown>;
  if (typeof name === 'string') return name;
  const inner = object ?? callee ?? tag;
  return inner === undefined ? '' : calleeOf(inner);
}

/** On one line, so that a phrase is found across line breaks. */
const unwrapped = (comment: string) => comment.replace(/\s*\n[\s*]*/g, ' ');

/** Without what is in backticks. */
const withoutCode = (text: string) => text.replace(/`[^`]*`/g, '`');

const nameOf = (node: unknown) => (node as { name?: string } | null)?.name ?? '';

/** Only prose: fenced and inline code has names, which are checked where they are declared. */
function textsOfDocument(path: string): Text[] {
  let isFenced = false;
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (/^\s*(```|~~~)/.test(line)) isFenced = !isFenced;
      if (isFenced || /^(import|export) /.test(line)) return [];
      const text = withoutCode(line)
        .replace(/\]\([^)]*\)/g, ']')
        .replace(/<[^>]*>/g, ' ');
      return [
        {
          path,
          line: index + 1,
          kind: path.startsWith('docs/adr/') ? ('record' as const) : ('document' as const),
          text,
        },
      ];
    });
}

const textsOfSql = (path: string): Text[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const [code = '', comment = ''] = line.split(/--(.*)/s);
      return [
        { path, line: index + 1, kind: 'name' as const, text: code },
        { path, line: index + 1, kind: 'comment' as const, text: withoutCode(comment) },
      ];
    });

export function projectFiles(): string[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate'], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

/** Generated from what is checked already, someone else's text, or not English. */
const isSkipped = (path: string) =>
  /\/generated\/|\/db\/schema\.sql$|^docs\/api-releases|^tools\/words\/|^docs\/glossary\.md$|\/service\/schema\.ts$|db-types\.ts$|^eval\/|\/search\/(common|chatter|synonyms)\.ts$|\/answers\/texts\/(de|es|fr|it|nl|pl|pt|tr)\.ts$/.test(
    path,
  );

export function textsOf(path: string): Text[] {
  if (isSkipped(path)) return [];
  const named: Text = { path, line: 0, kind: 'name', text: path };
  if (/\.(ts|tsx|mts|mjs)$/.test(path)) return [named, ...textsOfSource(path)];
  if (/\.mdx?$/.test(path)) return [named, ...textsOfDocument(path)];
  if (path.endsWith('.sql')) return [named, ...textsOfSql(path)];
  return [named];
}
