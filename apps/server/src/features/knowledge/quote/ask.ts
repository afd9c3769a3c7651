import type { CallerContext } from '../../../platform/http/route.ts';
import { answerWith } from '../../answers/index.ts';
import { draftContent } from '../../bots/index.ts';
import type { AskedBot } from '../knowledge.contract.ts';
import * as store from '../knowledge.store.ts';
import { maxFound, search, type Found } from '../search/search.ts';
import type { Embedder } from '../search/vectors.ts';

const maxShown = 8;
const maxCharacters = 600;

/** What is found for a question, and what a bot that quotes would say of it now: the draft, with what is enabled. */
export async function askBot(
  caller: CallerContext,
  embedQuestion: Embedder['ofQuestion'] | undefined,
  botId: string,
  question: string,
): Promise<AskedBot> {
  const content = await caller.inTenant((ctx) => draftContent(ctx, botId));
  const vector = await embedQuestion?.(question);
  return caller.inTenant(async ({ tx }) => {
    const { languages, knowledgeSourceIds } = content;
    const { chunks, isConfident } = await search(tx, knowledgeSourceIds, question, {
      max: maxShown,
      languages,
      vector,
    });
    const answer = answerWith(content, question, { chunks: chunks.slice(0, maxFound), isConfident });
    const names = await store.sourceNames(tx, [...new Set(chunks.map(({ sourceId }) => sourceId))]);
    const isQuoted = ({ documentId, place }: Found) =>
      answer.citations.some((cited) => cited.documentId === documentId && cited.place === place);
    const shown = chunks.map((chunk) => ({
      documentId: chunk.documentId,
      sourceId: chunk.sourceId,
      sourceName: names.get(chunk.sourceId) ?? '',
      title: chunk.title,
      heading: chunk.heading,
      url: chunk.url,
      text: beginningOf(chunk.body),
      score: Math.round(chunk.score * 1_000) / 1_000,
      matched: chunk.matched,
      isQuoted: isQuoted(chunk),
    }));
    return { answer: answer.isAnswer ? answer : null, chunks: shown } as AskedBot;
  });
}

/** Never half of a character that takes two. */
const beginningOf = (text: string) =>
  text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
