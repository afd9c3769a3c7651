/** A link or a picture, as Markdown writes it: [label](address "title"). */
export interface Link {
  isPicture: boolean;
  label: string;
  address: string;
  /** What follows the address, with the space before it. */
  rest: string;
}

/** Deeper than any address goes. With this, no text makes us read on from each of its beginnings to its end. */
const mostOpen = 8;

/** Puts something else in the place of each link, the inner one of two. Reads every character a few times at most. */
export function replaceLinks(markdown: string, write: (link: Link) => string): string {
  const parts: string[] = [];
  let [at, open] = [0, -1];
  for (let n = 0; n < markdown.length; n++) {
    if (markdown[n] === '[') open = n;
    if (markdown[n] !== ']') continue;
    const end = open >= 0 && markdown[n + 1] === '(' ? closing(markdown, n + 1) : -1;
    if (end > 0) {
      const isPicture = open > at && markdown[open - 1] === '!';
      const inside = markdown.slice(n + 2, end).trim();
      const space = inside.search(/\s/);
      const [address, rest] = space < 0 ? [inside, ''] : [inside.slice(0, space), inside.slice(space)];
      parts.push(
        markdown.slice(at, isPicture ? open - 1 : open),
        write({ isPicture, label: markdown.slice(open + 1, n), address, rest }),
      );
      at = end + 1;
      n = end;
    }
    open = -1;
  }
  parts.push(markdown.slice(at));
  return parts.join('');
}

/** Where the parenthesis that opens here is closed; an address may have some of its own. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let n = from; n < text.length && depth <= mostOpen; n++) {
    if (text[n] === '(') depth++;
    if (text[n] === ')' && --depth === 0) return n;
  }
  return -1;
}
