import { partsKnown, partsOf } from './compounds.ts';
import { configOf, headingsWithin, joinedTokens, toPlainText, tokensOf } from './tokens.ts';
import type { IndexedChunks, Chunk } from './chunks.store.ts';

/** Linear in the text, but long for a long one: on a sync it runs in a reader thread. */
export function indexChunks(
  { title, language }: { title: string; language: string | null },
  chunks: readonly Chunk[],
): IndexedChunks {
  const config = configOf(language);
  const read = chunks.map((chunk) => tokensByWeight(title, chunk));
  const known = partsKnown(config, new Set(read.flatMap(({ own, above, body }) => [...own, ...above, ...body])));
  const indexed = read.map(({ own, above, body, joined }, n) => {
    const parts = known ? [...new Set([...own, ...above, ...body])].flatMap((token) => partsOf(token, known)) : [];
    return {
      heading: storable(chunks[n]?.heading ?? ''),
      body: storable(chunks[n]?.body ?? ''),
      own: own.join(' '),
      above: above.join(' '),
      tokens: body.join(' '),
      parts: [...joined, ...parts].join(' '),
    };
  });
  return { config, chunks: indexed };
}

/** A PDF may hold the one character that PostgreSQL does not keep. */
const storable = (text: string) => text.replaceAll('\0', '');

/**
 * Its own headings say most of what a chunk is about (weight A), the title and the headings above less, as they stand
 * above its neighbours too (B); then its text (D), and what long or hyphenated tokens are put together from (C).
 */
function tokensByWeight(title: string, { heading, body }: Chunk) {
  const path = heading.split(' › ').filter((part) => part.trim() !== '' && part !== title);
  const text = toPlainText(body);
  return {
    own: [path.at(-1) ?? '', ...headingsWithin(body)].flatMap(tokensOf),
    above: [title, ...path.slice(0, -1)].flatMap(tokensOf),
    body: tokensOf(text),
    joined: [title, ...path, text].flatMap(joinedTokens),
  };
}
