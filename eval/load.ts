import { indexChunks } from '../apps/server/src/features/knowledge/chunk/chunk-index.ts';
import { toChunks } from '../apps/server/src/features/knowledge/chunk/chunking.ts';
import { countTokens, saveChunks } from '../apps/server/src/features/knowledge/chunk/chunks.store.ts';
import type { Tx } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import type { Document } from './corpus.ts';

export interface LoadedCorpus {
  sourceIds: string[];
  /** Language by source id. */
  languages: Map<string, string>;
  /** Document name by document id. */
  names: Map<string, string>;
  chunks: number;
}

/** Saves the documents as knowledge of one bot, one source per language. */
export async function loadDocuments(tx: Tx, botId: string, documents: readonly Document[]): Promise<LoadedCorpus> {
  const loaded: LoadedCorpus = { sourceIds: [], languages: new Map(), names: new Map(), chunks: 0 };
  for (const [language, ofLanguage] of Map.groupBy(documents, (document) => document.language)) {
    const sourceId = newId('knowledgeSource');
    loaded.sourceIds.push(sourceId);
    loaded.languages.set(sourceId, language);
    await tx
      .insertInto('knowledgeSources')
      .values({ id: sourceId, botId, kind: 'text', name: language, config: '{}', createdBy: 'eval' })
      .execute();
    for (const { name, title, markdown } of ofLanguage) {
      const id = newId('knowledgeDocument');
      loaded.names.set(id, name);
      await tx
        .insertInto('knowledgeDocuments')
        .values({ id, sourceId, location: name, title, language, syncId: 'eval' })
        .execute();
      const chunks = toChunks(markdown, title);
      loaded.chunks += chunks.length;
      await saveChunks(tx, { id, sourceId }, indexChunks({ title, language }, chunks));
    }
    await countTokens(tx, sourceId);
  }
  return loaded;
}
