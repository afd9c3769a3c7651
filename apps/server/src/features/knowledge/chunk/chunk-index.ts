import { compoundParts, splitCompound } from './compounds.ts';
import { configOf, headingsWithin, joinedTokens, toPlainText, tokensOf } from './tokens.ts';
import type { IndexedChunks, Chunk } from './chunks.store.ts';

/** Linear, but slow for long documents: during a sync it runs in a reader thread. */
export function indexChunks(
  { title, language }: { title: string; language: string | null },
  chunks: readonly Chunk[],
): IndexedChunks {
  const config = configOf(language);
  const tokenized = chunks.map((chunk) => tokensByWeight(title, chunk));
  const dictionary = compoundParts(
    config,
    new Set(tokenized.flatMap(({ own, above, body }) => [...own, ...above, ...body])),
  );
  const indexed = tokenized.map(({ own, above, body, joined }, n) => {
    const parts = dictionary
      ? [...new Set([...own, ...above, ...body])].flatMap((token) => splitCompound(token, dictionary))
      : [];
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

/** PDF text may contain NUL, which PostgreSQL cannot store. */
const storable = (text: string) => text.replaceAll('\0', '');

/**
 * A chunk's own headings describe it best (weight A). The title and the parent headings apply to its neighbours too
 * (B). Its text has weight D, and the parts of compound or hyphenated tokens weight C.
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
