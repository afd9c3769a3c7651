// The public interface of this feature. Other features import only from here.
export { html, textOf, trusted } from './html/html.ts';
