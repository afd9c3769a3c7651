/** A link or an image in Markdown: [label](url "title"). */
export interface Link {
  isImage: boolean;
  label: string;
  url: string;
  /** What follows the URL, including the leading space. */
  rest: string;
}

/** Maximum nesting of parentheses in a URL. Without a limit, unclosed ones would make this quadratic. */
const maxDepth = 8;

/** Replaces each link; if links are nested, the inner one. Runs in linear time. */
export function replaceLinks(markdown: string, write: (link: Link) => string): string {
  const parts: string[] = [];
  let [at, open] = [0, -1];
  for (let n = 0; n < markdown.length; n++) {
    if (markdown[n] === '[') open = n;
    if (markdown[n] !== ']') continue;
    const end = open >= 0 && markdown[n + 1] === '(' ? closing(markdown, n + 1) : -1;
    if (end > 0) {
      const isImage = open > at && markdown[open - 1] === '!';
      const inside = markdown.slice(n + 2, end).trim();
      const space = inside.search(/\s/);
      const [url, rest] = space < 0 ? [inside, ''] : [inside.slice(0, space), inside.slice(space)];
      parts.push(
        markdown.slice(at, isImage ? open - 1 : open),
        write({ isImage, label: markdown.slice(open + 1, n), url, rest }),
      );
      at = end + 1;
      n = end;
    }
    open = -1;
  }
  parts.push(markdown.slice(at));
  return parts.join('');
}

/** The index of the matching closing parenthesis, or -1. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let n = from; n < text.length && depth <= maxDepth; n++) {
    if (text[n] === '(') depth++;
    if (text[n] === ')' && --depth === 0) return n;
  }
  return -1;
}
