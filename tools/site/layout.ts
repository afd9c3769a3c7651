import { html, raw, type Html } from './html.ts';
import { shopStyle } from './style.ts';

export interface Bot {
  publicKey: string;
  botId: string;
}

export interface Shop extends Bot {
  apiUrl: string;
  cdnUrl: string;
  /** The second bot, on the page with two. */
  modelBot?: Bot | undefined;
}

interface Page {
  path: string;
  title: string;
  embeds: readonly Html[];
  main: Html;
  /** Runs in the head: a page may replace its body. */
  script?: string;
  /** Replaces the shop's own styles. */
  style?: string;
  language?: string;
  nonce?: string;
}

const navigation = [
  ['/', 'Shop'],
  ['/hostile', 'Hostile CSS'],
  ['/csp', 'Strict CSP'],
  ['/spa', 'Single page'],
  ['/frame', 'Iframe'],
  ['/two', 'Two bots'],
  ['/consent', 'Consent'],
  ['/rtl', 'Right to left'],
  ['/signed-in', 'Signed in'],
] as const;

/** The tag that puts a bot on a page, as a customer copies it. */
export function embed({ cdnUrl }: Shop, { publicKey, botId }: Bot, more: Record<string, string> = {}): Html {
  const named = { src: `${cdnUrl}/chatbot-widget.js`, 'data-public-key': publicKey, 'data-bot-id': botId, ...more };
  const attributes = Object.entries(named).map(([name, value]) => html`${name}="${value}"`.markup);
  return raw(`<script ${attributes.join(' ')} async></script>`);
}

/** One attribute per line, for reading. */
export const asCopied = ({ markup }: Html) => markup.replaceAll(' data-', '\n  data-');

export const snippet = (...embeds: readonly Html[]) =>
  html`<section>
    <h2>Embed code</h2>
    <pre><code>${embeds.map(asCopied).join('\n')}</code></pre>
  </section>`;

/** Error events of scripts do not bubble, so this listens in the capture phase, before any can fail. */
const noticeMissing = `addEventListener('error', ({ target }) => {
  if (target instanceof HTMLScriptElement) document.documentElement.dataset.widget = 'missing';
}, true);`;

export function page({
  path,
  title,
  embeds,
  main,
  script = '',
  style = shopStyle,
  language = 'en',
  nonce,
}: Page): Html {
  const nonceAttribute = nonce === undefined ? '' : html` nonce="${nonce}"`;
  // A strict policy counts even an empty icon as a blocked image.
  const icon = nonce === undefined ? html`<link rel="icon" href="data:," />` : '';
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  return html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Northlight Bikes</title>
${icon}
<style${nonceAttribute}>${raw(style)}</style>
<script${nonceAttribute}>${raw(noticeMissing)}</script>
${embeds}
<script type="module"${nonceAttribute}>${raw(script)}</script>
</head>
<body>
<div id="shop">
<header>
<a class="brand" href="/">${raw(bike)}<span>Northlight Bikes</span></a>
<nav aria-label="Demo pages"><ul>
${navigation.map(([to, name]) => html`<li><a lang="en" href="${to}" ${to === path ? raw('aria-current="page"') : ''}>${name}</a></li>`)}
</ul></nav>
</header>
<p class="missing" role="status">The widget didn’t load. Check that the API is running and the widget is built.</p>
<main>${main}</main>
<footer lang="en" dir="auto">A fictional shop for trying out the Parley chat widget.</footer>
</div>
</body>
</html>
`;
}

const bike = `<svg viewBox="0 0 48 30" width="40" height="25" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="10" cy="20" r="8"/><circle cx="38" cy="20" r="8"/><path d="M10 20 18 8h14l-9 12H10l6-15h-4m20 3 6 12M30 3h5l-3 5"/></svg>`;
