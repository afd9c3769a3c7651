// What other features may use. Everything else here is private.
export { callModelOnce, noAnswerMessages, type AskModelDeps } from './ask-model.ts';
export { answerFromChunks, quoteChunks, type Answer } from './extractive.ts';
export { likelyIntent, recognizeIntent, type RecognizedIntent } from './intents/intents.ts';
export type { Intent } from './intents/rules.ts';
export { likelyFirst, replyLanguage } from './language.ts';
export {
  callFoundModel,
  costOf,
  createModelAccess,
  findModel,
  readAnswer,
  reserveCall,
  settleCall,
  timeoutsOf,
  type Cost,
  type FoundModel,
  type ModelAccess,
  type ModelAnswer,
} from './model-call.ts';
export { holdBackMark, systemPrompt } from './prompt.ts';
export { handedOffText, noAnswerText, offersPerson, replyTo, withPerson } from './replies.ts';
export { replyToSmallTalk } from './small-talk.ts';
export { actionTextsIn, isCancelling, textsIn } from './texts.ts';
