// What other features may use. Everything else here is private.
export { answerFromChunks, answerWith, type Answer } from './extractive.ts';
export { citedIn, hasMark, holdBackMark, mayBecomeMark, systemPrompt } from './prompt.ts';
export { actionTextsIn, chooseLanguage, isCancelling, textsIn } from './texts.ts';
