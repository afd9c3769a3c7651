import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { Unreadable } from '../problems.ts';
import { limits } from './limits.ts';
import { toMarkdown } from './markdown.ts';

interface Page {
  title: string;
  /** The declared language, which is often just the default of a template. */
  language: string | null;
  markdown: string;
}

/** Elements that are page chrome or not text. */
const clutter =
  'script,style,noscript,template,iframe,object,embed,svg,canvas,audio,video,form,button,select,input,textarea,' +
  'nav,header,footer,aside,dialog,[hidden],[aria-hidden="true"],[role="navigation"],[role="banner"],[role="contentinfo"],[role="search"],[role="dialog"]';

/** What an application shows before its script runs is shorter, such as “Loading…” */
const minLength = 60;

/** The main content of a page. */
export function readHtml(html: string): Page {
  const document = parsePage(html);
  const needsScript = needsJavaScript(document);
  const title = titleOf(document);
  const language = document.documentElement.getAttribute('lang')?.slice(0, 2).toLowerCase() ?? null;
  const fullBody = plainBody(document);
  if (needsScript && lengthOf(fullBody) < minLength) throw new Unreadable('needs_javascript');
  const article = new Readability(parseHTML(html).document, { serializer: (node) => node }).parse();
  // Readability extracts one article. On a page with many short sections it would drop the others.
  const isMost = (article?.length ?? 0) * 2 >= lengthOf(fullBody);
  const markdown = toMarkdown(article?.content && isMost ? article.content : fullBody);
  return { title: title || firstHeading(markdown), language, markdown };
}

/** Parses a page whose nesting is not too deep for what follows. */
export function parsePage(html: string): Dom {
  assertNotDeep(html);
  const { document } = parseHTML(html);
  if (!document.documentElement) throw new Unreadable('no_text');
  assertShallow(document.documentElement);
  return document;
}

/** Whether a page has the marks of an application that shows its content with JavaScript. */
function needsJavaScript(document: Dom): boolean {
  const hint = [...document.querySelectorAll('noscript')].some((element) =>
    /javascript/i.test(element.textContent ?? ''),
  );
  const root = document.querySelector('#root,#app,#__next,#__nuxt,#svelte,app-root,[data-reactroot],[ng-app]');
  return document.querySelector('script') !== null && (hint || (root !== null && lengthOf(root) < 20));
}

/** For Mammoth's HTML, which contains no page chrome. */
export function readFragment(html: string): string {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  assertShallow(document.documentElement);
  return toMarkdown(document.body);
}

type Dom = ReturnType<typeof parseHTML>['document'];

function titleOf(document: Dom): string {
  const meta = document.querySelector('meta[property="og:title"]')?.getAttribute('content');
  const [heading, ...others] = document.querySelectorAll('h1');
  const only = others.length === 0 ? heading?.textContent : undefined;
  const title = [meta, only, document.querySelector('title')?.textContent].find((text) => text?.trim()) ?? '';
  return title.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
}

function plainBody(document: Dom) {
  const root =
    [...document.querySelectorAll('main,[role="main"]')].find((main) => lengthOf(main) > 200) ??
    document.body ??
    document.documentElement;
  for (const element of root.querySelectorAll(clutter)) {
    // A heading in the header of an article is part of the article.
    const isOfArticle = element.tagName === 'HEADER' && element.parentElement?.closest('article,section,main');
    if (!isOfArticle) element.remove();
  }
  return root;
}

const lengthOf = (node: { textContent: string | null }) => (node.textContent ?? '').replaceAll(/\s+/g, ' ').length;

export const firstHeading = (markdown: string) => /^#{1,2}\s+(.{1,300})$/m.exec(markdown)?.[1]?.trim() ?? '';

/** Checked before parsing, because parsing deeply nested HTML takes seconds. Valid pages always close these tags. */
function assertNotDeep(html: string): void {
  let depth = 0;
  for (const [, slash] of html.matchAll(
    /<(\/?)(?:div|span|section|article|main|table|ul|ol|b|i|em|strong|font|a)\b/gi,
  )) {
    depth += slash === '/' ? -1 : 1;
    if (depth > 10 * limits.depth) throw new Unreadable('corrupted');
  }
}

interface Nested {
  children: ArrayLike<Nested>;
}

/** The following steps recurse once per level. Browsers limit the depth to 512. */
function assertShallow(root: Nested): void {
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.depth) throw new Unreadable('corrupted');
    level = level.flatMap((element) => Array.from(element.children));
  }
}
