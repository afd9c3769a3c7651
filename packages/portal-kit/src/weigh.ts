// What the script of each page weighs when it is the first that somebody opens, compressed as it is sent. Run after a
// build: `node packages/portal-kit/src/weigh.ts apps/portal`. Fails where a page is heavier than it may be.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const maxBytes = 250 * 1_000;

interface Part {
  module: string;
  imports?: string[];
}
interface Page extends Part {
  id: string;
  parentId?: string;
  path?: string;
  index?: boolean;
}
interface Built {
  assets: { entry: Part; routes: Record<string, Page> };
}

const root = resolve(process.argv[2] ?? '.');
const { assets } = (await import(join(root, 'build/server/index.js'))) as Built;
const filesOf = ({ module, imports = [] }: Part) => [module, ...imports];
const bytesOf = (file: string) => statSync(join(root, 'build/client', `${file}.br`)).size;

/** The page with all that it stands in. */
function chainOf(page: Page): Page[] {
  const parent = page.parentId === undefined ? undefined : assets.routes[page.parentId];
  return parent ? [...chainOf(parent), page] : [page];
}
const hasChildren = ({ id }: Page) => Object.values(assets.routes).some(({ parentId }) => parentId === id);

const pages = Object.values(assets.routes)
  .filter((page) => page.id.startsWith('pages/') && !hasChildren(page))
  .map((page) => {
    const chain = chainOf(page);
    const files = new Set([assets.entry, ...chain].flatMap(filesOf));
    const address = `/${chain
      .map(({ path }) => path)
      .filter(Boolean)
      .join('/')}`;
    return { address, bytes: [...files].reduce((sum, file) => sum + bytesOf(file), 0) };
  })
  .toSorted((a, b) => b.bytes - a.bytes);

console.log(`First-load JavaScript per page, brotli (limit ${maxBytes / 1_000} KB):`);
for (const { address, bytes } of pages) console.log(`${(bytes / 1_000).toFixed(1).padStart(7)} KB  ${address}`);
const tooHeavy = pages.filter(({ bytes }) => bytes > maxBytes);
if (tooHeavy.length > 0 || pages.length === 0) {
  console.error(`Over the limit: ${tooHeavy.map(({ address }) => address).join(', ') || 'no pages found'}`);
  process.exitCode = 1;
}
