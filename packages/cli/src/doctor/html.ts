import { Parser } from 'htmlparser2';

/** A script element that is meant to bring the chat. */
export interface Snippet {
  /** Whole, by the address of the page. Empty when it has none. */
  src: string;
  attributes: Record<string, string>;
}

export interface Markup {
  snippets: Snippet[];
  /** Policies in `<meta>` elements. */
  policies: string[];
  /** There is one, where browsers do not look for any: in a comment, `<template>` or `<noscript>`. */
  hiddenIn: string | null;
}

const fileName = /\/chatbot-widget(\.\d+\.\d+\.\d+)?\.js$/;
const isValueOfOurs = (value: string) => /^(pk|sc)_live_|^bot_[0-9a-z]{20}/.test(value);

/** By its file, or by what it is given: whichever of both is written wrong, the other is found. */
export const isOurs = ({ src, attributes }: Snippet): boolean =>
  fileName.test(src.replace(/[?#].*/, '')) ||
  'data-bot-id' in attributes ||
  'data-public-key' in attributes ||
  Object.values(attributes).some(isValueOfOurs);

/** Of the page as it was sent. What scripts add to it later, only a browser knows. */
export function readMarkup(html: string, pageUrl: string): Markup {
  const found: Markup = { snippets: [], policies: [], hiddenIn: null };
  const inert: string[] = [];
  let base = pageUrl;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'template' || name === 'noscript') inert.push(name);
      if (name === 'base' && attributes['href']) base = absolute(attributes['href'], pageUrl);
      if (name === 'meta' && attributes['http-equiv']?.toLowerCase() === 'content-security-policy')
        found.policies.push(attributes['content'] ?? '');
      if (name !== 'script') return;
      const snippet = { src: absolute(attributes['src'] ?? '', base), attributes };
      if (!isOurs(snippet)) return;
      const hidden = inert.at(-1);
      if (hidden) found.hiddenIn = `<${hidden}>`;
      else found.snippets.push(snippet);
    },
    onclosetag(name) {
      if (name === inert.at(-1)) inert.pop();
    },
    oncomment(text) {
      if (/chatbot-widget|data-bot-id/.test(text)) found.hiddenIn ??= 'a comment';
    },
  });
  parser.write(html);
  parser.end();
  return found;
}

const absolute = (address: string, base: string): string =>
  address && URL.canParse(address, base) ? new URL(address, base).href : '';
