import { Parser } from 'htmlparser2';

/** A script element that should load the chat. */
export interface Snippet {
  /** Resolved against the page's URL. Empty without a src. */
  src: string;
  attributes: Record<string, string>;
}

export interface Markup {
  snippets: Snippet[];
  /** Policies in `<meta>` elements. */
  policies: string[];
  /** Where a snippet is inert: a comment, `<template>` or `<noscript>`. */
  hiddenIn: string | null;
}

const fileName = /\/chatbot-widget(\.\d+\.\d+\.\d+)?\.js$/;
const isParleyValue = (value: string) => /^(pk|sc)_live_|^bot_[0-9a-z]{20}/.test(value);

/** By its file name or by its attributes: a typo in one is found by the other. */
export const isSnippet = ({ src, attributes }: Snippet): boolean =>
  fileName.test(src.replace(/[?#].*/, '')) ||
  'data-bot-id' in attributes ||
  'data-public-key' in attributes ||
  Object.values(attributes).some(isParleyValue);

/** Of the page as sent. What scripts add later needs a browser. */
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
      if (!isSnippet(snippet)) return;
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

const absolute = (url: string, base: string): string => (url && URL.canParse(url, base) ? new URL(url, base).href : '');
