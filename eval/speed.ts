import { indexChunks } from '../apps/server/src/features/knowledge/chunk/chunk-index.ts';
import { countTokens, saveChunks, type Chunk } from '../apps/server/src/features/knowledge/chunk/chunks.store.ts';
import { search } from '../apps/server/src/features/knowledge/index.ts';
import type { Tx } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import type { Corpus } from './corpus.ts';

/** A tenant with a bot. `inside` runs under row-level security, as the server does. */
export interface EvalTenant {
  botId: string;
  inside: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
}

/** Ten chunks each. `EVAL_DOCUMENTS=20000` measures 200,000 chunks, which take minutes to write. */
const documentCounts = (process.env['EVAL_DOCUMENTS'] ?? '100,2000').split(',').map(Number);

/** Measures search time with several numbers of documents, generated from the corpus vocabulary. */
export async function measureSpeed(
  { botId, inside }: EvalTenant,
  analyze: () => Promise<void>,
  { documents, questions }: Corpus,
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
    const sourceId = newId('knowledgeSource');
    const source = { id: sourceId, botId, kind: 'text', name: `${documentCount}`, config: '{}', createdBy: 'eval' };
    await inside((tx) => tx.insertInto('knowledgeSources').values(source).execute());
    const saveStartedAt = performance.now();
    await inside(async (tx) => {
      for (let n = 0; n < documentCount; n++) {
        const [id, language, title] = [newId('knowledgeDocument'), n % 2 ? 'de' : 'en', sentence(4)];
        const document = { id, sourceId, location: `${n}`, title, language, syncId: 'eval' };
        await tx.insertInto('knowledgeDocuments').values(document).execute();
        await saveChunks(tx, document, indexChunks(document, Array.from({ length: 10 }, chunk)));
      }
    });
    const countStartedAt = performance.now();
    await inside((tx) => countTokens(tx, sourceId));
    const countedAt = performance.now();
    await analyze();
    const times: number[] = [];
    await inside(async (tx) => {
      for (const { question, language } of questions.slice(0, 150)) {
        const startedAt = performance.now();
        await search(tx, [sourceId], question, { languages: [language] });
        times.push(performance.now() - startedAt);
      }
    });
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
    const seconds = (ms: number) => (ms / 1_000).toFixed(1);
    console.log(
      `${documentCount} documents, ${documentCount * 10} chunks: search ${at(0.5)} ms p50, ${at(0.95)} ms p95; ` +
        `saved in ${seconds(countStartedAt - saveStartedAt)} s, tokens counted in ${seconds(countedAt - countStartedAt)} s`,
    );
  }
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
