export { quote } from './quote.ts';
export { search, type Found } from './search.ts';
export { enabledSourceIds } from './sources-of-bot.ts';
