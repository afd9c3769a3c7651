import type { CallerContext } from '../../../platform/http/route.ts';
import { quoteChunks, replyToSmallTalk } from '../../answers/index.ts';
import { draftContent } from '../../bots/index.ts';
import type { AskedBot } from '../knowledge.contract.ts';
import * as store from '../knowledge.store.ts';
import { maxResults, search, type SearchResult } from '../search/search.ts';
import type { Embedder } from '../embed/embedder.ts';

const maxChunks = 8;
const maxCharacters = 600;

/** Searches the enabled sources and returns the reply that an extractive bot would give now, based on the draft. */
export async function askBot(
  caller: CallerContext,
  embedQuestion: Embedder['embedQuestion'] | undefined,
  botId: string,
  question: string,
): Promise<AskedBot> {
  const content = await caller.inTenant((ctx) => draftContent(ctx, botId));
  const smallTalk = await replyToSmallTalk(caller, content, question);
  if (smallTalk !== undefined) return { answer: { text: smallTalk, citations: [] }, chunks: [] };
  const vector = await embedQuestion?.(question);
  return caller.inTenant(async ({ tx }) => {
    const { languages, knowledgeSourceIds } = content;
    const { chunks, isConfident } = await search(tx, knowledgeSourceIds, question, {
      max: maxChunks,
      languages,
      vector,
    });
    const asked = { text: question };
    const found = { chunks: chunks.slice(0, maxResults), isConfident };
    const answer = (await quoteChunks(content, asked, found)) ?? null;
    const names = await store.sourceNames(tx, [...new Set(chunks.map(({ sourceId }) => sourceId))]);
    const isQuoted = ({ documentId, place }: SearchResult) =>
      answer?.citations.some((cited) => cited.documentId === documentId && cited.place === place) === true;
    const chunkResults = chunks.map((chunk) => ({
      documentId: chunk.documentId,
      sourceId: chunk.sourceId,
      sourceName: names.get(chunk.sourceId) ?? '',
      title: chunk.title,
      heading: chunk.heading,
      url: chunk.url,
      text: excerptOf(chunk.body),
      score: Math.round(chunk.score * 1_000) / 1_000,
      matched: chunk.matched,
      isQuoted: isQuoted(chunk),
    }));
    return { answer, chunks: chunkResults } as AskedBot;
  });
}

/** Never splits a surrogate pair. */
const excerptOf = (text: string) =>
  text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
