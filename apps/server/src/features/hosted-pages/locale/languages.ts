// One export per language, named like its locale.
export { de } from './texts.de.ts';
export { en } from './texts.en.ts';
