import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { prepared } from '../../../platform/prepared.ts';
import { configOf } from '../chunk/tokens.ts';
import { nearestIn, quantize } from './vector-arrays.ts';
import { readVectorArrays, type SourceState } from './vector-arrays.store.ts';
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

export interface NearestChunk {
  documentId: string;
  place: number;
  /** Cosine similarity to the question, 1 for identical. */
  similarity: number;
}

/** The sources of a bot, and where their vectors are. */
export interface VectorSources {
  sources: SourceState[];
  hasExtension: boolean;
}

/** In one statement, which can be sent together with others. */
export async function readVectorSources(tx: Tx, sourceIds: readonly string[]): Promise<VectorSources> {
  const { rows } = await sql<SourceState & { hasExtension: boolean }>`
    select id, sync_id, state, to_regclass('public.knowledge_vectors') is not null as has_extension
    from knowledge_sources where id = any (${sourceIds}) order by id`.execute(prepared(tx));
  return { sources: rows, hasExtension: rows[0]?.hasExtension ?? false };
}

/** The nearest chunks by cosine similarity, nearest first. */
export const findNearest = async (
  tx: Tx,
  { sources, hasExtension }: VectorSources,
  vector: QuestionVector,
  max: number,
): Promise<NearestChunk[]> =>
  hasExtension
    ? nearestInDatabase(tx, sources, vector, max)
    : nearestIn(await readVectorArrays(tx, sources, vector.model), vector.values, max);

/**
 * Scans all vectors of the sources: an index over all tenants' vectors would return other tenants' rows first, and too few
 * after filtering.
 */
async function nearestInDatabase(
  tx: Tx,
  sources: readonly SourceState[],
  { model, values }: QuestionVector,
  max: number,
): Promise<NearestChunk[]> {
  const { rows } = await sql<NearestChunk>`
    select document_id, place, 1 - (embedding <=> ${toVectorLiteral(values)}::vector) as similarity from knowledge_vectors
    where source_id = any (${sources.map(({ id }) => id)}) and model = ${model}
    order by similarity desc, document_id, place limit ${max}`.execute(prepared(tx));
  return rows;
}

/** The text of these chunks, in their order. */
export async function readChunks(
  tx: Tx,
  chunks: readonly Pick<NearestChunk, 'documentId' | 'place'>[],
  marked: readonly string[],
): Promise<Candidate[]> {
  if (chunks.length === 0) return [];
  const { rows } = await sql<Omit<Candidate, 'headingLength' | 'marks'> & { tokens: string }>`
    select chunk.document_id, chunk.place, chunk.source_id, chunk.heading, chunk.body, chunk.config::text,
      chunk.tokens::text, document.title, document.location, length(chunk.tokens) as length
    from unnest(${chunks.map(({ documentId }) => documentId)}::text[], ${chunks.map(({ place }) => place)}::int[])
      with ordinality as wanted (document_id, place, ordinal)
    join knowledge_chunks chunk using (document_id, place)
    join knowledge_documents document on document.id = chunk.document_id
    order by ordinal`.execute(prepared(tx));
  const lexemes = new Set(marked);
  return rows.map((row) => withMarks(row, lexemes));
}

const toVectorLiteral = (vector: readonly number[]) => `[${vector.join(',')}]`;
