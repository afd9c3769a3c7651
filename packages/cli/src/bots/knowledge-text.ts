/** A text or a list of questions, as a Markdown file. */
export interface KnowledgeText {
  name: string;
  isEnabled: boolean;
  schedule: string;
  language: string | null;
  content: { kind: 'text'; text: string } | { kind: 'qa'; pairs: { question: string; answer: string }[] };
}

const usual = { isEnabled: true, schedule: 'none', language: null };

/** Values are JSON, which YAML is a superset of: editors colour it, and nothing needs escaping of our own. */
export function toMarkdown({ content, name, ...rest }: KnowledgeText): string {
  const unusual = Object.entries(rest).filter(([key, value]) => usual[key as keyof typeof usual] !== value);
  const head = Object.entries({ name, ...(content.kind === 'qa' && { kind: 'qa' }), ...Object.fromEntries(unusual) });
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
  return { name, ...usual, ...rest, content };
}

type Head = Partial<Omit<KnowledgeText, 'content'>> & { kind?: string };

function readLine(line: string): [string, unknown][] {
  const [, key, written = ''] = /^(\w+):(.*)/.exec(line) ?? [];
  if (key === undefined) return [];
  const value = written.trim();
  try {
    return [[key, JSON.parse(value)]];
  } catch {
    return [[key, value]]; // written by hand, without quotes
  }
}

const readPairs = (body: string) =>
  body
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [question = '', ...answer] = part.split('\n');
      return { question: question.trim(), answer: unescapeHeadings(answer.join('\n').trim()) };
    });

/** A heading in an answer would else begin the next question. */
const escapeHeadings = (text: string) => text.replace(/^(\\*)## /gm, String.raw`$1\## `);
const unescapeHeadings = (text: string) => text.replace(/^(\\*)\\## /gm, '$1## ');
