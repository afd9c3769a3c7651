export { configOf } from './chunks-words.ts';
export { quote, type Citation } from './quote.ts';
export { search, type Found } from './search.ts';
export { syncSource } from './knowledge.service.ts';
export { openEmbedder } from './vectors.ts';
export type { QuestionVector } from './vectors.store.ts';
export { enabledSourceIds } from './sources-of-bot.ts';
