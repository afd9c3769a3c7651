import { h } from '../shared/dom.ts';

// Renders the Markdown that answers use, node by node. While a reply streams, only its last block is rebuilt.

const safeScheme = /^(https?:|mailto:|tel:)/i;

/** A URL with an allowed scheme. Other links are shown as text. */
export function safeUrl(text: string): string | undefined {
  try {
    const { href, protocol } = new URL(text);
    return safeScheme.test(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

export const link = (url: string, ...children: (Node | string)[]) =>
  h('a', { href: url, target: '_blank', rel: 'noreferrer' }, ...children);

/** Renders a citation such as [1]. */
export type Cite = (n: number) => Node | undefined;

const inlineMark =
  /`([^`\n]+)`|!?\[((?:[^[\]]|\[[^[\]]*\])*)\]\(\s*<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+"[^"]*")?\s*\)|\[(\d{1,2})\]|(\*\*|__)(?=\S)(.+?\S?)\5|(?<![\w*])(\*|_)(?=\S)([^*_\n]+?)\7(?![\w*])|~~(.+?)~~|<?(https?:\/\/[^\s<>]*[^\s<>.,:;!?)'"\]])>?|\\([\\`*_{}[\]()#+.!~>|-])|\\?\n/gs;

function inline(text: string, cite: Cite): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let at = 0;
  for (const match of text.matchAll(inlineMark)) {
    const [matched, code, label, target, mark, , strong, , emphasis, struck, bare, escaped] = match;
    nodes.push(text.slice(at, match.index));
    at = match.index + matched.length;
    const url = safeUrl(target ?? bare ?? '');
    if (code) nodes.push(h('code', {}, code));
    else if (target) nodes.push(url ? link(url, ...inline(label || target, cite)) : matched);
    else if (mark) nodes.push(cite(Number(mark)) ?? matched);
    else if (strong) nodes.push(h('strong', {}, ...inline(strong, cite)));
    else if (emphasis) nodes.push(h('em', {}, ...inline(emphasis, cite)));
    else if (struck) nodes.push(h('s', {}, ...inline(struck, cite)));
    else if (bare) nodes.push(url ? link(url, bare) : matched);
    else if (escaped) nodes.push(escaped);
    else nodes.push(h('br'));
  }
  nodes.push(text.slice(at));
  return nodes.filter((node) => node !== '');
}

const fence = /^(```|~~~)/;
const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)/;
const quote = /^>\s?/;

/** Splits the text into blocks. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let [open, kind]: [string[], string] = [[], ''];
  const close = () => {
    if (open.length) blocks.push(open.join('\n'));
    [open, kind] = [[], ''];
  };
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (kind === 'code') {
      open.push(line);
      if (fence.test(line.trim())) close();
      continue;
    }
    const next = fence.test(line)
      ? 'code'
      : !line.trim()
        ? ''
        : item.test(line) || (kind === 'list' && /^\s/.test(line))
          ? 'list'
          : quote.test(line)
            ? 'quote'
            : /^#{1,6}\s/.test(line)
              ? 'heading'
              : /^\s*\|/.test(line)
                ? 'table'
                : 'text';
    if (next !== kind || next === 'heading') close();
    if (next) open.push(line);
    kind = next;
  }
  close();
  return blocks;
}

/** Deeper nesting is flattened. */
const maxDepth = 6;

function list(lines: string[], cite: Cite, depth = 0): HTMLElement {
  const [, indent = '', mark = ''] = item.exec(lines[0] ?? '') ?? [];
  const isOrdered = /\d/.test(mark);
  const node = h(isOrdered ? 'ol' : 'ul', isOrdered ? { start: Number.parseInt(mark, 10) } : {});
  let inner: string[] = [];
  const finish = () => {
    const last = node.lastElementChild;
    if (last && inner.length)
      last.append(
        ...(item.test(inner[0] ?? '')
          ? [list(inner, cite, depth + 1)]
          : ['\n', ...inline(inner.join('\n').trim(), cite)]),
      );
    inner = [];
  };
  for (const line of lines) {
    const [matched, before = '', , text = ''] = item.exec(line) ?? [];
    if (matched && (before.length <= indent.length + 1 || depth > maxDepth)) {
      finish();
      node.append(h('li', {}, ...inline(text, cite)));
    } else inner.push(line);
  }
  finish();
  return node;
}

function table(lines: string[], cite: Cite): HTMLElement {
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|', 99);
  const isRule = (line: string | undefined) => /^[\s|:-]+$/.test(line ?? '') && line!.includes('-');
  const hasHead = isRule(lines[1]);
  const rows = lines.filter((line) => !isRule(line));
  return h(
    'div',
    { class: 'table', tabindex: 0 },
    h(
      'table',
      {},
      ...rows.map((line, at) =>
        h('tr', {}, ...cells(line).map((cell) => h(hasHead && !at ? 'th' : 'td', {}, ...inline(cell.trim(), cite)))),
      ),
    ),
  );
}

function block(text: string, cite: Cite, depth: number): HTMLElement {
  const lines = text.split('\n');
  const [first = ''] = lines;
  if (fence.test(first)) {
    const isClosed = lines.length > 1 && fence.test(lines.at(-1)!.trim());
    return h('pre', { tabindex: 0 }, h('code', {}, lines.slice(1, isClosed ? -1 : undefined).join('\n')));
  }
  if (item.test(first)) return list(lines, cite);
  if (quote.test(first) && depth < maxDepth) {
    const node = h('blockquote');
    markdown(node, lines.map((line) => line.replace(quote, '')).join('\n'), cite, 0, depth + 1);
    return node;
  }
  if (/^\s*\|/.test(first)) return table(lines, cite);
  if (/^([-*_])\s*(\1\s*){2,}$/.test(text)) return h('hr');
  const heading = /^#{1,6}\s+(.*)/.exec(first);
  // No heading elements: they would appear in the outline of the tenant's page.
  return heading
    ? h('p', {}, h('strong', {}, ...inline(heading[1] ?? '', cite)))
    : h('p', {}, ...inline(text.trim(), cite));
}

const sources = new WeakMap<Element, string>();

/** Renders a text, replacing only changed blocks. `citationCount` changes when `cite` would return other results. */
export function markdown(container: Element, text: string, cite: Cite, citationCount = 0, depth = 0): void {
  const blocks = blocksOf(text);
  blocks.forEach((source, at) => {
    const existing = container.children[at];
    if (existing && sources.get(existing) === citationCount + source) return;
    const node = block(source, cite, depth);
    sources.set(node, citationCount + source);
    if (existing) existing.replaceWith(node);
    else container.append(node);
  });
  while (container.children.length > blocks.length) container.lastElementChild!.remove();
}
