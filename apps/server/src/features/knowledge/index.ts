export { configOf } from './chunk/tokens.ts';
export { quote, type Citation } from './quote/quote.ts';
export { search, type SearchResult } from './search/search.ts';
export { syncSource } from './knowledge.service.ts';
export { openEmbedder } from './embed/embedder.ts';
export type { QuestionVector } from './search/vectors.store.ts';
export { enabledSourceIds } from './search/bot-sources.store.ts';
