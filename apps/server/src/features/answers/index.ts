// What other features may use. Everything else here is private.
export { answerFromChunks, quoteChunks, type Answer } from './extractive.ts';
export { likelyIntent, recognizeIntent, type RecognizedIntent } from './intents/intents.ts';
export type { Intent } from './intents/rules.ts';
export { likelyFirst, replyLanguage } from './language.ts';
export { citedIn, hasMark, holdBackMark, mayBecomeMark, systemPrompt } from './prompt.ts';
export { handedOffText, noAnswerText, offersPerson, replyTo, withPerson } from './replies.ts';
export { actionTextsIn, isCancelling, textsIn } from './texts.ts';
