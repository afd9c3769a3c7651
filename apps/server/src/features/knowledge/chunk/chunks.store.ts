import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';

/** The unit of search and quotation: a piece of a document with its headings. */
export interface Chunk {
  /** The path of its headings, separated by ' › '. For a question-and-answer pair, the question. */
  heading: string;
  /** Markdown. */
  body: string;
}

/** A chunk with its search tokens by weight, separated by spaces. */
interface IndexedChunk extends Chunk {
  own: string;
  above: string;
  tokens: string;
  parts: string;
}

/** Everything that is written for a document, computed before the transaction starts. */
export interface IndexedChunks {
  /** The PostgreSQL text search configuration. */
  config: string;
  chunks: IndexedChunk[];
}

/** Replaces all chunks of the document. Call `countTokens` once the source is complete. */
export async function saveChunks(
  tx: Tx,
  document: { id: string; sourceId: string },
  { config, chunks }: IndexedChunks,
): Promise<void> {
  await deleteChunks(tx, document.id);
  if (chunks.length === 0) return;
  await sql`
    insert into knowledge_chunks (document_id, place, source_id, bot_id, heading, body, config, tokens)
    select ${document.id}, place - 1, source.id, source.bot_id, heading, body, config,
      setweight(to_tsvector(config, own), 'A') || setweight(to_tsvector(config, above), 'B')
        || setweight(to_tsvector(config, tokens), 'D') || setweight(to_tsvector(config, parts), 'C')
    from (select ${config}::regconfig as config) as language,
      (select id, bot_id from knowledge_sources where id = ${document.sourceId}) as source, unnest(
      ${chunks.map(({ heading }) => heading)}::text[], ${chunks.map(({ body }) => body)}::text[],
      ${chunks.map(({ own }) => own)}::text[], ${chunks.map(({ above }) => above)}::text[],
      ${chunks.map(({ tokens }) => tokens)}::text[], ${chunks.map(({ parts }) => parts)}::text[]
    ) with ordinality as chunk (heading, body, own, above, tokens, parts, place)`.execute(tx);
}

export const deleteChunks = (tx: Tx, documentId: string) =>
  tx.deleteFrom('knowledgeChunks').where('documentId', '=', documentId).execute();

/**
 * Rebuilds a source's token list: each token as written, its lexeme, and the number of chunks with that lexeme. The
 * empty token counts all chunks. Markdown markup and URLs produce tokens too, but no chunk has their lexemes, so the
 * join drops them.
 */
export async function countTokens(tx: Tx, sourceId: string): Promise<void> {
  await tx.deleteFrom('knowledgeTokens').where('sourceId', '=', sourceId).execute();
  await sql`
    with chunks as materialized (
      select c.config, c.tokens, d.title, c.heading, c.body
      from knowledge_chunks c join knowledge_documents d on d.id = c.document_id where c.source_id = ${sourceId}),
    counted as materialized (
      select config, lexeme, count(*)::int as chunks from chunks, unnest(tokens) group by config, lexeme),
    written as materialized (
      select distinct config, token from chunks, lateral (
        select token as token from ts_parse('default',
          regexp_replace(lower(title || ' ' || heading || ' ' || body), '[^[:alnum:]]+', ' ', 'g'))) as tokens
      where length(token) between 1 and 60),
    stemmed as materialized (
      select config, token, lexeme from written, unnest(tsvector_to_array(to_tsvector(config, token))) as lexeme)
    insert into knowledge_tokens (source_id, token, lexeme, chunks)
    select ${sourceId}, token, lexeme, chunks from (
      select distinct on (token) token, lexeme, chunks from (
        select token, lexeme, chunks from stemmed join counted using (config, lexeme)
        union all
        select lexeme, lexeme, chunks from counted where length(lexeme) <= 60) as every
      order by token, chunks desc, lexeme) as best
    union all
    select ${sourceId}, '', '', count(*)::int from chunks having count(*) > 0`.execute(tx);
}
