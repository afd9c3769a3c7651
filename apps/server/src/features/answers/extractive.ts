import type { Tx } from '../../platform/db.ts';
import type { VersionContent } from '../bots/bot-content.contract.ts';
import { quote, search, type Citation, type SearchResult, type QuestionVector } from '../knowledge/index.ts';
import { replyLanguage } from './language.ts';
import { noAnswerText, offersPerson } from './replies.ts';

export interface Answer {
  text: string;
  citations: { n: number; title: string; heading: string; url: string | null; documentId: string }[];
  /** false if no answer was found. */
  isAnswer: boolean;
}

interface QuestionInput {
  text: string;
  /** The language of the page. */
  language?: string | undefined;
  vector?: QuestionVector | undefined;
}

/** Quotes the best chunks verbatim with citations, without a model. */
export async function answerFromChunks(
  tx: Tx,
  content: VersionContent,
  { text: question, language, vector }: QuestionInput,
): Promise<Answer> {
  const { languages, knowledgeSourceIds } = content;
  const found = await search(tx, knowledgeSourceIds, question, { languages, vector });
  const answer = await quoteChunks(content, { text: question, language }, found);
  if (answer) return { ...answer, citations: answer.citations.map(withoutPlace), isAnswer: true };
  const options = {
    language: await replyLanguage(languages, { text: question, language }),
    hasPerson: await offersPerson(tx, content),
  };
  return { text: noAnswerText(content, options), citations: [], isAnswer: false };
}

const withoutPlace = ({ n, title, heading, url, documentId }: Citation) => ({ n, title, heading, url, documentId });

/** The quoted answer for given search results; undefined if they don't answer the question. */
export async function quoteChunks(
  { languages }: VersionContent,
  asked: QuestionInput,
  { chunks, isConfident }: { chunks: readonly SearchResult[]; isConfident: boolean },
): Promise<{ text: string; citations: Citation[] } | undefined> {
  if (!isConfident || chunks.length === 0) return undefined;
  return quote(asked.text, chunks, { language: await replyLanguage(languages, asked) });
}
