// Every language, one line each. The exported name is its locale.
export { de } from './texts.de.ts';
export { en } from './texts.en.ts';
