import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { configOf } from '../chunk/tokens.ts';
import { nearestIn, quantize } from './vector-arrays.ts';
import { readVectorArrays } from './vector-arrays.store.ts';
import { withMarks, type Candidate } from './search.store.ts';

// Raw SQL, because `knowledge_vectors` exists only with the `vector` extension and so has no generated type. Without the
// extension, vectors are in `knowledge_embeddings`, and the server compares them.
// No `where tenant_id` anywhere below: row-level security adds it, and a test proves it.

/** Checked first, because a query on a missing table would abort the transaction. */
async function hasExtension(tx: Tx): Promise<boolean> {
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

/** Chunks of a source without a vector of this model, in its languages or in none that was detected. */
export async function chunksWithoutVector(
  tx: Tx,
  sourceId: string,
  { model, languages }: { model: string; languages?: readonly string[] | undefined },
  max: number,
): Promise<UnembeddedChunk[]> {
  const table = sql.table((await hasExtension(tx)) ? 'knowledge_vectors' : 'knowledge_embeddings');
  const configs = languages ? [...languages.map(configOf), 'simple'] : null;
  const { rows } = await sql<UnembeddedChunk>`
    select chunk.document_id, chunk.place, document.title, chunk.heading, chunk.body
    from knowledge_chunks chunk join knowledge_documents document on document.id = chunk.document_id
    left join ${table} known
      on known.document_id = chunk.document_id and known.place = chunk.place and known.model = ${model}
    where chunk.source_id = ${sourceId} and known.place is null
      and (${configs}::text[] is null or chunk.config::text = any (${configs}::text[]))
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
  const [table, type, values] = (await hasExtension(tx))
    ? ['knowledge_vectors', 'vector', vectors.map(toVectorLiteral)]
    : [
        'knowledge_embeddings',
        'bytea',
        vectors.map((vector) => `\\x${Buffer.from(quantize(vector).buffer).toString('hex')}`),
      ];
  await sql`
    insert into ${sql.table(table)} (document_id, place, source_id, model, embedding)
    select chunk.document_id, chunk.place, chunk.source_id, ${model}, embedded.embedding::${sql.raw(type)}
    from unnest(${chunks.map(({ documentId }) => documentId)}::text[], ${chunks.map(({ place }) => place)}::int[],
      ${chunks.map(({ heading }) => heading)}::text[], ${chunks.map(({ body }) => body)}::text[],
      ${values}::text[]) as embedded (document_id, place, heading, body, embedding)
    join knowledge_chunks chunk using (document_id, place, heading, body)
    on conflict (tenant_id, document_id, place) do update set model = excluded.model, embedding = excluded.embedding`.execute(
    tx,
  );
}

/** The embedding of a question. Vectors of different models cannot be compared. */
export interface QuestionVector {
  model: string;
  values: readonly number[];
  /** The languages that the model knows; undefined for all. */
  languages?: readonly string[] | undefined;
  /** From this similarity on, a result counts as an answer regardless of tokens. If unset, vectors alone never do. */
  confidentAt?: number | undefined;
}

interface NearestRow {
  documentId: string;
  place: number;
  /** Cosine similarity to the question, 1 for identical. */
  similarity: number;
}

/** The nearest chunks by cosine similarity. */
export async function readNearest(
  tx: Tx,
  sourceIds: readonly string[],
  vector: QuestionVector,
  { marked, max }: { marked: readonly string[]; max: number },
): Promise<{ candidate: Candidate; similarity: number }[]> {
  const places = (await hasExtension(tx))
    ? await nearestPlaces(tx, sourceIds, vector, max)
    : nearestIn(await readVectorArrays(tx, sourceIds, vector.model), vector.values, max);
  if (places.length === 0) return [];
  const { rows } = await sql<Omit<Candidate, 'headingLength' | 'marks'> & { tokens: string; similarity: number }>`
    select chunk.document_id, chunk.place, chunk.source_id, chunk.heading, chunk.body, chunk.config::text,
      chunk.tokens::text, document.title, document.location, length(chunk.tokens) as length, similarity
    from unnest(${places.map(({ documentId }) => documentId)}::text[], ${places.map(({ place }) => place)}::int[],
      ${places.map(({ similarity }) => similarity)}::float8[]) as nearest (document_id, place, similarity)
    join knowledge_chunks chunk using (document_id, place)
    join knowledge_documents document on document.id = chunk.document_id
    order by similarity desc, document_id, place`.execute(tx);
  return rows.map(({ similarity, ...row }) => ({ candidate: withMarks(row, new Set(marked)), similarity }));
}

/**
 * Scans all vectors of the sources: an index over all tenants' vectors would return other tenants' rows first, and too few
 * after filtering.
 */
async function nearestPlaces(
  tx: Tx,
  sourceIds: readonly string[],
  { model, values }: QuestionVector,
  max: number,
): Promise<NearestRow[]> {
  const { rows } = await sql<NearestRow>`
    select document_id, place, 1 - (embedding <=> ${toVectorLiteral(values)}::vector) as similarity from knowledge_vectors
    where source_id = any (${sourceIds}) and model = ${model}
    order by similarity desc, document_id, place limit ${max}`.execute(tx);
  return rows;
}

const toVectorLiteral = (vector: readonly number[]) => `[${vector.join(',')}]`;
