import type { CallerContext } from '../../platform/http/route.ts';
import type { VersionContent } from '../bots/bot-content.contract.ts';
import { recognizeIntent } from './intents/intents.ts';
import { likelyFirst } from './language.ts';
import { offersPerson, replyTo } from './replies.ts';

/** What the draft says to a message that is not a question; undefined for a question. */
export async function replyToSmallTalk(
  caller: CallerContext,
  content: VersionContent,
  text: string,
): Promise<string | undefined> {
  const recognized = await recognizeIntent(text, await likelyFirst(content.languages, { text }));
  if (!recognized) return undefined;
  const hasPerson = await caller.inTenant(({ tx }) => offersPerson(tx, content));
  return replyTo(recognized.intent, content, { language: recognized.language, hasPerson });
}
