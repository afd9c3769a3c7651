// What other features may use. Everything else here is private.
export { answerFromPassages, type Answer } from './extractive.ts';
export { citedIn, hasMark, holdBackMark, mayBecomeMark, systemPrompt } from './prompt.ts';
export { chooseLanguage, textsIn } from './texts.ts';
