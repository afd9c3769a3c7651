/** A text or a list of questions, as a Markdown file. */
export interface KnowledgeText {
  name: string;
  isEnabled: boolean;
  schedule: string;
  language: string | null;
  content: { kind: 'text'; text: string } | { kind: 'qa'; pairs: { question: string; answer: string }[] };
}

const defaults = { isEnabled: true, schedule: 'none', language: null };

/** Values are JSON, which is valid YAML: editors highlight it, and no custom escaping is needed. */
export function toMarkdown({ content, name, ...rest }: KnowledgeText): string {
  const changed = Object.entries(rest).filter(([key, value]) => defaults[key as keyof typeof defaults] !== value);
  const head = Object.entries({ name, ...(content.kind === 'qa' && { kind: 'qa' }), ...Object.fromEntries(changed) });
  const body =
    content.kind === 'text'
      ? content.text.trim()
      : content.pairs
          .map(({ question, answer }) => `## ${question.trim()}\n\n${escapeHeadings(answer.trim())}`)
          .join('\n\n');
  return `---\n${head.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('\n')}\n---\n\n${body}\n`;
}

export function fromMarkdown(markdown: string, fileName: string): KnowledgeText {
  const text = markdown.replaceAll('\r\n', '\n');
  const [all, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [''];
  const { name = fileName, kind, ...rest } = Object.fromEntries(head.split('\n').flatMap(readLine)) as Head;
  const body = text.slice(all.length).trim();
  const content =
    kind === 'qa' ? { kind: 'qa' as const, pairs: readPairs(body) } : { kind: 'text' as const, text: body };
  return { name, ...defaults, ...rest, content };
}

type Head = Partial<Omit<KnowledgeText, 'content'>> & { kind?: string };

function readLine(line: string): [string, unknown][] {
  const [, key, raw = ''] = /^(\w+):(.*)/.exec(line) ?? [];
  if (key === undefined) return [];
  const value = raw.trim();
  try {
    return [[key, JSON.parse(value)]];
  } catch {
    return [[key, value]]; // unquoted, written by hand
  }
}

const readPairs = (body: string) =>
  body
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [question = '', ...answer] = section.split('\n');
      return { question: question.trim(), answer: unescapeHeadings(answer.join('\n').trim()) };
    });

/** Otherwise a heading in an answer would start the next question. */
const escapeHeadings = (text: string) => text.replace(/^(\\*)## /gm, String.raw`$1\## `);
const unescapeHeadings = (text: string) => text.replace(/^(\\*)\\## /gm, '$1## ');
