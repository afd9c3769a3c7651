import type { Tx } from '../../platform/db.ts';
import { readEntitlements } from '../entitlements/index.ts';
import type { VersionContent } from '../bots/bot-content.contract.ts';
import type { Intent } from './intents/rules.ts';
import { textsIn } from './texts.ts';

/** Whether visitors of this bot can talk to a person. */
export const offersPerson = async (tx: Tx, { handoff }: Pick<VersionContent, 'handoff'>): Promise<boolean> =>
  handoff.isOffered && (await readEntitlements({ tx })).entitlements.human_handoff > 0;

interface ReplyOptions {
  language: string;
  /** Whether the visitor can talk to a person here. */
  hasPerson: boolean;
}

/** What the bot says to a message that is not a question: the text of its owner, or the default in this language. */
export function replyTo(intent: Intent, content: VersionContent, { language, hasPerson }: ReplyOptions): string {
  const texts = textsIn(language);
  if (intent === 'greeting') return content.greeting || texts.greeting;
  if (intent !== 'human') return content.replies?.[intent] || texts[intent];
  if (hasPerson) return handedOffText(content, { language, asksForEmail: false, awayMessage: null });
  return content.replies?.noPerson || texts.noPerson;
}

/** What the bot says when a person will reply, and, while the team is away, its own message about that. */
export function handedOffText(
  { handoff }: Pick<VersionContent, 'handoff'>,
  { language, asksForEmail, awayMessage }: { language: string; asksForEmail: boolean; awayMessage: string | null },
): string {
  const { handedOff, replyEmail } = textsIn(language);
  const parts = [handoff.message || handedOff, awayMessage, asksForEmail ? replyEmail.ask : null];
  return parts.filter((part) => part !== null).join('\n\n');
}

/** What the bot says when it found no answer. */
export function noAnswerText(content: VersionContent, { language, hasPerson }: ReplyOptions): string {
  const texts = textsIn(language);
  return content.noAnswer || withPerson(texts.noAnswer, { language, hasPerson });
}

/** Adds that a person can be asked for, where that is so. */
export const withPerson = (text: string, { language, hasPerson }: ReplyOptions): string =>
  hasPerson ? `${text} ${textsIn(language).orPerson}` : text;
