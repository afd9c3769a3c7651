export { quote, type Citation, type Quote } from './quote.ts';
export { search, type Found, type SearchOptions } from './search.ts';
export { enabledSourceIds } from './sources-of-bot.ts';
