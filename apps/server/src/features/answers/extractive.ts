import type { Tx } from '../../platform/db.ts';
import type { VersionContent } from '../bots/bot-content.contract.ts';
import { quote, search, type Citation, type SearchResult, type QuestionVector } from '../knowledge/index.ts';
import { chooseLanguage, isGreeting, textsIn } from './texts.ts';

export interface Answer {
  text: string;
  citations: { n: number; title: string; heading: string; url: string | null; documentId: string }[];
  /** false if no answer was found. */
  isAnswer: boolean;
}

/** Quotes the best chunks verbatim with citations, without a model. */
export async function answerFromChunks(
  tx: Tx,
  content: VersionContent,
  question: string,
  pageLanguage: string | undefined,
  vector?: QuestionVector,
): Promise<Answer> {
  const { languages, knowledgeSourceIds } = content;
  const found = isGreeting(question)
    ? { chunks: [], isConfident: false }
    : await search(tx, knowledgeSourceIds, question, { languages, vector });
  const { text, citations, isAnswer } = answerWith(content, question, found, pageLanguage);
  return {
    text,
    citations: citations.map(({ n, title, heading, url, documentId }) => ({ n, title, heading, url, documentId })),
    isAnswer,
  };
}

/** The answer for given search results. */
export function answerWith(
  content: VersionContent,
  question: string,
  { chunks, isConfident }: { chunks: readonly SearchResult[]; isConfident: boolean },
  pageLanguage?: string,
): Omit<Answer, 'citations'> & { citations: Citation[] } {
  const language = chooseLanguage(content.languages, pageLanguage);
  const texts = textsIn(language);
  if (isGreeting(question)) return { text: content.greeting || texts.greeting, citations: [], isAnswer: true };
  if (!isConfident || chunks.length === 0)
    return { text: content.noAnswer || texts.noAnswer, citations: [], isAnswer: false };
  return { ...quote(question, chunks, { language }), isAnswer: true };
}
