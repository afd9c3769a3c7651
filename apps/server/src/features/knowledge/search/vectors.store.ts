import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { withMarks, type Candidate } from './search.store.ts';

// Raw SQL, because the table exists only with the `vector` extension and so has no generated type.
// No `where tenant_id` anywhere below: row-level security adds it, and a test proves it.

/** Checked first, because a query on a missing table would abort the transaction. */
export async function hasVectors(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass('public.knowledge_vectors') is not null as is_there`.execute(tx);
  return rows[0]?.isThere ?? false;
}

export interface UnembeddedChunk {
  documentId: string;
  place: number;
  title: string;
  heading: string;
  body: string;
}

/** Chunks of a source without a vector of this model. */
export async function chunksWithoutVector(
  tx: Tx,
  sourceId: string,
  model: string,
  max: number,
): Promise<UnembeddedChunk[]> {
  const { rows } = await sql<UnembeddedChunk>`
    select chunk.document_id, chunk.place, document.title, chunk.heading, chunk.body
    from knowledge_chunks chunk join knowledge_documents document on document.id = chunk.document_id
    left join knowledge_vectors known
      on known.document_id = chunk.document_id and known.place = chunk.place and known.model = ${model}
    where chunk.source_id = ${sourceId} and known.place is null
    order by chunk.document_id, chunk.place limit ${max}`.execute(tx);
  return rows;
}

/** Saves only vectors of unchanged chunks: a sync may have replaced a chunk in the meantime. */
export async function saveVectors(
  tx: Tx,
  model: string,
  chunks: readonly UnembeddedChunk[],
  vectors: readonly (readonly number[])[],
): Promise<void> {
  await sql`
    insert into knowledge_vectors (document_id, place, source_id, model, embedding)
    select chunk.document_id, chunk.place, chunk.source_id, ${model}, embedded.embedding::vector
    from unnest(${chunks.map(({ documentId }) => documentId)}::text[], ${chunks.map(({ place }) => place)}::int[],
      ${chunks.map(({ heading }) => heading)}::text[], ${chunks.map(({ body }) => body)}::text[],
      ${vectors.map(toVectorLiteral)}::text[]) as embedded (document_id, place, heading, body, embedding)
    join knowledge_chunks chunk using (document_id, place, heading, body)
    on conflict (tenant_id, document_id, place) do update set model = excluded.model, embedding = excluded.embedding`.execute(
    tx,
  );
}

/** The embedding of a question. Vectors of different models cannot be compared. */
export interface QuestionVector {
  model: string;
  values: readonly number[];
  /** From this similarity on, a result counts as an answer regardless of tokens. If unset, vectors alone never do. */
  confidentAt?: number | undefined;
}

/**
 * The nearest chunks by cosine similarity, 1 for identical. Scans all vectors of the sources: an index over all
 * tenants' vectors would return other tenants' rows first, and too few after filtering.
 */
export async function readNearest(
  tx: Tx,
  sourceIds: readonly string[],
  { model, values }: QuestionVector,
  { marked, max }: { marked: readonly string[]; max: number },
): Promise<{ candidate: Candidate; similarity: number }[]> {
  const { rows } = await sql<Omit<Candidate, 'headingLength' | 'marks'> & { tokens: string; similarity: number }>`
    select chunk.document_id, chunk.place, chunk.source_id, chunk.heading, chunk.body, chunk.config::text,
      chunk.tokens::text, document.title, document.location, length(chunk.tokens) as length, 1 - distance as similarity
    from (
      select document_id, place, embedding <=> ${toVectorLiteral(values)}::vector as distance from knowledge_vectors
      where source_id = any (${sourceIds}) and model = ${model}
      order by distance, document_id, place limit ${max}) as nearest
    join knowledge_chunks chunk using (document_id, place)
    join knowledge_documents document on document.id = chunk.document_id
    order by distance, document_id, place`.execute(tx);
  return rows.map(({ similarity, ...row }) => ({ candidate: withMarks(row, new Set(marked)), similarity }));
}

const toVectorLiteral = (vector: readonly number[]) => `[${vector.join(',')}]`;
