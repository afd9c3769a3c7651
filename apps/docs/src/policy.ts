import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';

const sourceOf = (code: string) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;

/** Hashes of the inline code of the pages, each once. */
function inline(pages: readonly string[], element: 'script' | 'style'): string[] {
  const found = new RegExp(`<${element}(?![^>]*\\bsrc=)[^>]*>([\\s\\S]*?)</${element}>`, 'g');
  return [...new Set(pages.flatMap((page) => [...page.matchAll(found)].map(([, code = '']) => sourceOf(code))))];
}

/** The site's Content Security Policy: its own files, and inline code with one of these hashes. */
export const contentPolicy = (pages: readonly string[]): string =>
  [
    "default-src 'none'",
    // The search is compiled to WebAssembly.
    ["script-src 'self' 'wasm-unsafe-eval'", ...inline(pages, 'script')].join(' '),
    ["style-src 'self'", ...inline(pages, 'style')].join(' '),
    // Code highlighting uses style attributes. They contain no code and load nothing.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Writes `policy.txt` next to the pages: the value of `Content-Security-Policy` for the web server. */
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
