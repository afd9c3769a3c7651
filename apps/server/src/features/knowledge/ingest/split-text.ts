import { limits } from './reader/limits.ts';

/** Where a text may be cut, best first: before a heading, between paragraphs, between lines. */
const cuts = ['\n# ', '\n## ', '\n### ', '\n\n', '\n', ' '];

/** Parts that are each short enough for a document. Joined, they are the text again. */
export function splitText(text: string, max = limits.characters): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > max) {
    const end = start + cutWithin(text.slice(start, start + max));
    parts.push(text.slice(start, end));
    start = end;
  }
  return [...parts, text.slice(start)];
}

/** After the first half, so that a part is never tiny. */
function cutWithin(part: string): number {
  for (const cut of cuts) {
    const at = part.lastIndexOf(cut);
    if (at > part.length / 2) return at + 1;
  }
  return part.length;
}
