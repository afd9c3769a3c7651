import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';

const sourceOf = (code: string) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;

/** The code that stands in the pages themselves, each once. */
function inline(pages: readonly string[], element: 'script' | 'style'): string[] {
  const found = new RegExp(`<${element}(?![^>]*\\bsrc=)[^>]*>([\\s\\S]*?)</${element}>`, 'g');
  return [...new Set(pages.flatMap((page) => [...page.matchAll(found)].map(([, code = '']) => sourceOf(code))))];
}

/** What browsers may do on the site: its own files, and the code in its pages that has one of these hashes. */
export const contentPolicy = (pages: readonly string[]): string =>
  [
    "default-src 'none'",
    // The search is compiled to WebAssembly.
    ["script-src 'self' 'wasm-unsafe-eval'", ...inline(pages, 'script')].join(' '),
    ["style-src 'self'", ...inline(pages, 'style')].join(' '),
    // Colours of code are style attributes. They carry no code and reach nothing outside.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Writes `policy.txt` beside the pages: the value of `Content-Security-Policy` for whatever serves them. */
export const policy = (): AstroIntegration => ({
  name: 'policy',
  hooks: {
    'astro:build:done': ({ dir }) => {
      const root = fileURLToPath(dir);
      const pages = globSync('**/*.html', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
      writeFileSync(join(root, 'policy.txt'), contentPolicy(pages));
    },
  },
});
