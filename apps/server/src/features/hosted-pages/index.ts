// What other features may use. Everything else here is private.
export { html, textOf, trusted } from './html/html.ts';
