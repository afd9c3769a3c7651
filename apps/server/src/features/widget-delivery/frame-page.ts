import type { AppError } from '../../platform/errors.ts';
import type { PageResponse } from '../../platform/http/route.ts';
import { html, textOf, trusted } from '../hosted-pages/index.ts';
import type { WidgetSetup } from './widget-delivery.contract.ts';

export interface FrameView {
  setup: WidgetSetup;
  script: { name: string; integrity: string };
  cdnUrl: string;
  /** The pages that may show it. */
  allowedOrigins: readonly string[];
}

/** The iframe page that isolates the chat from the embedding page. A single script. */
export function framePage({ setup, script, cdnUrl, allowedOrigins }: FrameView): PageResponse {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${setup.title || 'Chat'}</title>
        ${trusted(`<script type="application/json" id="setup">${toInlineJson(setup)}</script>`)}
        <script
          type="module"
          src="${`${cdnUrl}/${script.name}`}"
          integrity="${script.integrity}"
          crossorigin="anonymous"
        ></script>
      </head>
      <body></body>
    </html>`;
  const cdn = new URL(cdnUrl).origin;
  const policy = [
    "default-src 'none'",
    `script-src ${cdn}`,
    `connect-src ${[...new Set([new URL(setup.apiUrl).origin, cdn])].join(' ')}`,
    `img-src ${cdn} data:`,
    "style-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `frame-ancestors ${allowedOrigins.join(' ') || "'none'"}`,
  ];
  return { html: textOf(document), headers: headersOf(policy, 'public, max-age=60') };
}

/** Shows why the request was rejected, for the developer of the page. Contains nothing confidential. */
export function errorPage({ message }: AppError): PageResponse {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Chat</title>
      </head>
      <body>
        <p>${message}</p>
      </body>
    </html>`;
  return {
    html: textOf(document),
    headers: headersOf(["default-src 'none'", "base-uri 'none'", "form-action 'none'"], 'no-store'),
  };
}

const headersOf = (policy: readonly string[], cacheControl: string) => ({
  'content-security-policy': policy.join('; '),
  'cache-control': cacheControl,
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
});

/** JSON that cannot close the script element, and has no JavaScript line terminators. */
const toInlineJson = (value: object) =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
