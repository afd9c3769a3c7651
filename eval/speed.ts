import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { indexChunks } from '../apps/server/src/features/knowledge/chunk/chunk-index.ts';
import { countTokens, saveChunks, type Chunk } from '../apps/server/src/features/knowledge/chunk/chunks.store.ts';
import { search } from '../apps/server/src/features/knowledge/index.ts';
import type { Tx } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import type { Embedder } from '../apps/server/src/features/knowledge/embed/embedder.ts';
import { saveVectors, chunksWithoutVector } from '../apps/server/src/features/knowledge/search/vectors.store.ts';
import type { Corpus } from './corpus.ts';

/** A tenant with a bot. `inside` runs under row-level security, as the server does. */
export interface EvalTenant {
  botId: string;
  inside: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
}

/** Ten chunks each. `--documents=20000` measures 200,000 chunks, which take minutes to write. */
const documentCounts = (/^--documents=([\d,]+)$/m.exec(process.argv.join('\n'))?.[1] ?? '100,2000')
  .split(',')
  .map(Number);
const perSource = 1_000;

/** CPU time of the embedding model for a question and a document's first 1,200 characters. */
export async function measureModel(embedder: Embedder, { documents, questions }: Corpus): Promise<void> {
  const english = documents.filter(({ language }) => language === 'en').slice(0, 20);
  const perText = async (count: number, work: () => Promise<unknown>) => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return ((user + system) / 1_000 / count).toFixed(1);
  };
  const asked = questions.slice(0, 100).map(({ question }) => `${question} `); // not those in the cache
  const forQuestion = await perText(asked.length, async () => {
    for (const question of asked) await embedder.embedQuestion(question);
  });
  const chunks = english.map(({ title, markdown }) => ({
    documentId: '',
    place: 0,
    title,
    heading: '',
    body: markdown.slice(0, 1_200),
  }));
  const forChunk = await perText(chunks.length, () => embedder.embedChunks(chunks));
  console.log(`${embedder.model}: ${forQuestion} ms of CPU for a question, ${forChunk} ms for a chunk`);
}

/** Measures search time with several numbers of documents, generated from the corpus vocabulary. */
export async function measureSpeed(
  { botId, inside }: EvalTenant,
  analyze: () => Promise<void>,
  { documents, questions }: Corpus,
  embedder: Embedder | undefined,
): Promise<void> {
  const pick = pseudoRandom(7);
  const vocabulary = documents.flatMap(({ markdown }) => markdown.match(/\p{L}{2,}/gu) ?? []);
  const invent = (): string => {
    const word = vocabulary[Math.floor(pick() * vocabulary.length)] ?? '';
    return pick() < 0.04 ? `${word}${Math.floor(pick() * 9_000)}` : word; // large sites have words that occur on few pages
  };
  const sentence = (words: number) => `${Array.from({ length: words }, invent).join(' ')}.`;
  const chunk = (): Chunk => ({
    heading: sentence(4),
    body: Array.from({ length: 8 }, () => sentence(8 + Math.floor(pick() * 12))).join(' '),
  });

  for (const documentCount of documentCounts) {
    const sourceIds: string[] = [];
    const startedAt = performance.now();
    for (let written = 0; written < documentCount; written += perSource) {
      const sourceId = newId('knowledgeSource');
      sourceIds.push(sourceId);
      const name = `${documentCount}-${written}`;
      const source = { id: sourceId, botId, kind: 'text', name, config: '{}', createdBy: 'eval' };
      await inside((tx) => tx.insertInto('knowledgeSources').values(source).execute());
      await inside(async (tx) => {
        for (let n = 0; n < Math.min(perSource, documentCount); n++) {
          const [id, language, title] = [newId('knowledgeDocument'), n % 2 ? 'de' : 'en', sentence(4)];
          const document = { id, sourceId, location: `${n}`, title, language, syncId: 'eval' };
          await tx.insertInto('knowledgeDocuments').values(document).execute();
          await saveChunks(tx, document, indexChunks(document, Array.from({ length: 10 }, chunk)));
        }
      });
      await inside((tx) => countTokens(tx, sourceId));
      if (embedder) await inside((tx) => inventVectors(tx, sourceId, embedder, pick));
    }
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    await analyze();
    const times: number[] = [];
    const cpuTimes: number[] = [];
    await inside(async (tx) => {
      const used = await cpuMeter(tx);
      for (const { question, language } of questions.slice(0, 150)) {
        const vector = await embedder?.embedQuestion(question);
        const [before, cpuBefore] = [performance.now(), used()];
        await search(tx, sourceIds, question, { languages: [language], vector });
        times.push(performance.now() - before);
        cpuTimes.push(used() - cpuBefore);
      }
    });
    const at = (values: number[], share: number) =>
      (values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0).toFixed(1);
    console.log(
      `${documentCount} documents, ${documentCount * 10} chunks: search ${at(times, 0.5)} ms p50, ${at(times, 0.95)} ms p95; ` +
        `CPU time of the database ${at(cpuTimes, 0.5)} ms p50, ${at(cpuTimes, 0.95)} ms p95; written in ${seconds} s`,
    );
  }
}

/** Random ones, since it takes half an hour to embed 20,000 chunks, and comparing takes the same time. */
async function inventVectors(tx: Tx, sourceId: string, embedder: Embedder, pick: () => number): Promise<void> {
  const { values } = (await embedder.embedQuestion('dimensions')) ?? { values: [] };
  for (;;) {
    const chunks = await chunksWithoutVector(tx, sourceId, embedder, 1_000);
    if (chunks.length === 0) return;
    const vectors = chunks.map(() => values.map(() => pick() - 0.5));
    await saveVectors(tx, embedder.model, chunks, vectors);
  }
}

/** CPU time that PostgreSQL's process for this connection used: unlike elapsed time, the same on a busy machine. */
async function cpuMeter(tx: Tx): Promise<() => number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
  return () => Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Deterministic, so that every run uses the same text (mulberry32). */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
