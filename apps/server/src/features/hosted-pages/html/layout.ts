import { hash } from 'node:crypto';
import type { PoolName } from '../../../platform/pool.ts';
import { html, textOf, trusted } from './html.ts';
import { textsOf, type LanguageLink, type Locale } from '../locale/locale.ts';
import { favicon, mark } from './logo.ts';
import type { PageContent } from './components.ts';
import { passkeyScript } from './passkey-script.ts';
import { proofScript } from './proof-script.ts';
import { style } from './style.ts';

export interface Page extends PageContent {
  pool: PoolName;
  locale: Locale;
  languageLinks: readonly LanguageLink[];
  /** Origins that a form may redirect to, in addition to our own: those of the clients. */
  formOrigins: readonly string[];
}

const productNames: Record<PoolName, string> = { customer: 'Parley', admin: 'Parley Admin' };
const brands = { customer: html`Parley`, admin: html`Parley <b>Admin</b>` };

/** Renders a page and its response headers. */
export function renderPage(page: Page): { html: string; headers: Record<string, string> } {
  const t = textsOf(page.locale);
  const document = html`<!doctype html>
    <html lang="${page.locale}" dir="${t.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${page.title} – ${productNames[page.pool]}</title>
        <link rel="icon" type="image/svg+xml" href="${favicon(page.pool)}" />
        ${trusted(`<style>${style}</style>`)}
      </head>
      <body class="${page.pool}">
        <header class="head">
          <p class="brand">${mark}<span>${brands[page.pool]}</span></p>
        </header>
        <main>${page.body}</main>
        ${page.languageLinks.length > 1 && languageNav(t.languages, page)}
        ${page.hasScript && trusted(`<script>${passkeyScript}</script>`)}
        ${page.check === 'proof_of_work' && trusted(`<script>${proofScript}</script>`)}
        ${typeof page.check === 'object' && html`<script src="${page.check.scriptUrl}" async defer></script>`}
      </body>
    </html>`;
  return { html: textOf(document), headers: headersOf(page) };
}

const languageNav = (label: string, { locale, languageLinks }: Page) =>
  html`<footer class="foot">
    <nav aria-label="${label}">
      <ul>
        ${languageLinks.map((link) =>
          link.locale === locale
            ? html`<li><span aria-current="true">${link.label}</span></li>`
            : html`<li>
                <a href="${link.url}" lang="${link.locale}" hreflang="${link.locale}">${link.label}</a>
              </li>`,
        )}
      </ul>
    </nav>
  </footer>`;

const sourceHash = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;
const styleSource = sourceHash(style);
const scriptSource = sourceHash(passkeyScript);
const proofSource = sourceHash(proofScript);

/**
 * Prevents loading, framing, caching and leaking the referrer. Inline code is allowed by its hash. The only exception is
 * the script of a configured CAPTCHA, on the page that needs it.
 */
function headersOf({ locale, hasScript, check, formOrigins }: Page): Record<string, string> {
  const captcha = typeof check === 'object' ? check.origins.map(sourceOf).join(' ') : '';
  const scripts = [hasScript && scriptSource, check === 'proof_of_work' && proofSource, captcha].filter(Boolean);
  const policy = [
    "default-src 'none'",
    `style-src ${[styleSource, captcha].filter(Boolean).join(' ')}`,
    scripts.length > 0 && `script-src ${scripts.join(' ')}`,
    check === 'proof_of_work' && "connect-src 'self'",
    captcha && `connect-src ${captcha}; frame-src ${captcha}`,
    'img-src data:',
    `form-action ${["'self'", ...formOrigins.map(originOf)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-language': locale,
    'content-security-policy': policy.filter(Boolean).join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin', // with `no-referrer`, our own forms would have `Origin: null`
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': permissions,
  };
}

const denied = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'hid', 'midi', 'display-capture'];
const permissions = [
  'publickey-credentials-get=(self)',
  'publickey-credentials-create=(self)',
  ...denied.map((name) => `${name}=()`),
].join(', ');

/** For CLIs on the visitor's machine, which listen on an arbitrary port. */
export const anyLoopbackPort = 'http://127.0.0.1:*';

/** An origin, or a wildcard for all subdomains. */
const sourceOf = (origin: string) =>
  origin.startsWith('https://*.') ? originOf(origin.replace('*.', '')).replace('//', '//*.') : originOf(origin);

/** Validates the host, because a semicolon in it would start a new directive. */
function originOf(url: string): string {
  if (url === anyLoopbackPort) return url;
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || !/^[a-z0-9.:[\]-]+$/.test(parsed.host))
    throw new Error(`Not an origin: ${url}`);
  return parsed.origin;
}
