import type { Tx } from '../../platform/db.ts';
import type { VersionContent } from '../bots/bot-content.contract.ts';
import { quote, search, type QuestionVector } from '../knowledge/index.ts';
import { chooseLanguage, isGreeting, textsIn } from './texts.ts';

export interface Answer {
  text: string;
  citations: { n: number; title: string; heading: string; url: string | null; documentId: string }[];
  /** Whether there was something to say. */
  isAnswer: boolean;
}

/** The best passages, word for word, with where they stand. No model, and nothing made up. */
export async function answerFromPassages(
  tx: Tx,
  content: VersionContent,
  question: string,
  pageLanguage: string | undefined,
  vector?: QuestionVector,
): Promise<Answer> {
  const language = chooseLanguage(content.languages, pageLanguage);
  const texts = textsIn(language);
  if (isGreeting(question)) return { text: content.greeting || texts.greeting, citations: [], isAnswer: true };
  const { passages, isConfident } = await search(tx, content.knowledgeSourceIds, question, {
    languages: content.languages,
    vector,
  });
  if (!isConfident || passages.length === 0)
    return { text: content.noAnswer || texts.noAnswer, citations: [], isAnswer: false };
  const { text, citations } = quote(question, passages, { language });
  return {
    text,
    citations: citations.map(({ n, title, heading, url, documentId }) => ({ n, title, heading, url, documentId })),
    isAnswer: true,
  };
}
