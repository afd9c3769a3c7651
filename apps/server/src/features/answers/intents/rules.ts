/** The most specific one first: it counts if a message has several. */
export const intents = ['human', 'identity', 'abuse', 'stop', 'goodbye', 'thanks', 'greeting'] as const;
export type Intent = (typeof intents)[number];

/** A language as data. Lists are separated by commas, phrases by lines; see phrases.ts for their notation. */
export interface LanguageRules {
  /** Tokens around a phrase that change nothing: "please", "hi", a name of the bot. */
  filler: string;
  lists: Readonly<Record<string, string>>;
  phrases: Readonly<Record<Intent, string>>;
  /** Phrases anywhere in a message that show its intent, unless it is a question that the bot can answer. */
  cues?: Partial<Readonly<Record<Intent, string>>>;
  /** Tokens of a question or a request. With one of them, a message is more than thanks, a greeting or the like. */
  questions?: string;
  /** Messages that look like a request for a person and are none. */
  notHuman: string;
}
