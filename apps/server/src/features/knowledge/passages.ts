import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { partsKnown, partsOf } from './passages-compounds.ts';
import { configOf, headingsWithin, joinedWords, toPlainText, wordsOf } from './passages-words.ts';

/** What is found and quoted: a piece of a document, under its headings. */
export interface Passage {
  /** The path of headings above it, ' › ' between them; of a pair, the question. */
  heading: string;
  /** Markdown. */
  body: string;
}

export interface PassagesOf {
  id: string;
  sourceId: string;
  title: string;
  language: string | null;
}

/** Puts these in the place of all that the document had. Call `countWords` once the source is complete. */
export async function savePassages(tx: Tx, document: PassagesOf, passages: readonly Passage[]): Promise<void> {
  await forgetPassages(tx, document.id);
  if (passages.length === 0) return;
  const config = configOf(document.language);
  const read = passages.map((passage) => wordsByWeight(document.title, passage));
  const known = partsKnown(config, new Set(read.flatMap(({ own, above, body }) => [...own, ...above, ...body])));
  const parts = read.map(({ own, above, body, joined }) => [
    ...joined,
    ...(known ? [...new Set([...own, ...above, ...body])].flatMap((word) => partsOf(word, known)) : []),
  ]);
  const texts = (pick: (words: (typeof read)[number]) => string[]) => read.map((words) => pick(words).join(' '));
  await sql`
    insert into knowledge_chunks (document_id, place, source_id, heading, body, config, words)
    select ${document.id}, place - 1, ${document.sourceId}, heading, body, config,
      setweight(to_tsvector(config, own), 'A') || setweight(to_tsvector(config, above), 'B')
        || setweight(to_tsvector(config, words), 'D') || setweight(to_tsvector(config, parts), 'C')
    from (select ${config}::regconfig as config) as language, unnest(
      ${passages.map(({ heading }) => storable(heading))}::text[], ${passages.map(({ body }) => storable(body))}::text[],
      ${texts(({ own }) => own)}::text[], ${texts(({ above }) => above)}::text[], ${texts(({ body }) => body)}::text[],
      ${parts.map((words) => words.join(' '))}::text[]
    ) with ordinality as passage (heading, body, own, above, words, parts, place)`.execute(tx);
}

/** A PDF may hold the one character that PostgreSQL does not keep. */
const storable = (text: string) => text.replaceAll('\0', '');

/**
 * Its own headings say most of what a passage is about (weight A), the title and the headings above less, as they stand
 * above its neighbours too (B); then its text (D), and what long or hyphenated words are put together from (C).
 */
function wordsByWeight(title: string, { heading, body }: Passage) {
  const path = heading.split(' › ').filter((part) => part.trim() !== '' && part !== title);
  const text = toPlainText(body);
  return {
    own: [path.at(-1) ?? '', ...headingsWithin(body)].flatMap(wordsOf),
    above: [title, ...path.slice(0, -1)].flatMap(wordsOf),
    body: wordsOf(text),
    joined: [title, ...path, text].flatMap(joinedWords),
  };
}

export const forgetPassages = (tx: Tx, documentId: string) =>
  tx.deleteFrom('knowledgeChunks').where('documentId', '=', documentId).execute();

/**
 * Writes a source's list of words anew: each as it is written, what it is found by, and how many passages are found by
 * that. The empty word stands for all passages. Marks and addresses of Markdown give words too, but none that a passage
 * is found by, so the join drops them.
 */
export async function countWords(tx: Tx, sourceId: string): Promise<void> {
  await tx.deleteFrom('knowledgeWords').where('sourceId', '=', sourceId).execute();
  await sql`
    with passages as materialized (
      select c.config, c.words, d.title, c.heading, c.body
      from knowledge_chunks c join knowledge_documents d on d.id = c.document_id where c.source_id = ${sourceId}),
    counted as materialized (
      select config, lexeme, count(*)::int as passages from passages, unnest(words) group by config, lexeme),
    written as materialized (
      select distinct config, word from passages, lateral (
        select token as word from ts_parse('default',
          regexp_replace(lower(title || ' ' || heading || ' ' || body), '[^[:alnum:]]+', ' ', 'g'))) as tokens
      where length(word) between 1 and 60),
    stemmed as materialized (
      select config, word, lexeme from written, unnest(tsvector_to_array(to_tsvector(config, word))) as lexeme)
    insert into knowledge_words (source_id, word, lexeme, passages)
    select ${sourceId}, word, lexeme, passages from (
      select distinct on (word) word, lexeme, passages from (
        select word, lexeme, passages from stemmed join counted using (config, lexeme)
        union all
        select lexeme, lexeme, passages from counted where length(lexeme) <= 60) as every
      order by word, passages desc, lexeme) as best
    union all
    select ${sourceId}, '', '', count(*)::int from passages having count(*) > 0`.execute(tx);
}
