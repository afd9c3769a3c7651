// Prints the JavaScript that each page loads when it is opened first, compressed, and fails if a page is over the limit.
// Run after a build: `node packages/portal-kit/src/check-page-size.ts apps/portal`.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const maxBytes = 250 * 1_000;

/** A module of React Router's build manifest, with the modules that it imports. */
interface ManifestModule {
  module: string;
  imports?: string[];
}
interface ManifestRoute extends ManifestModule {
  id: string;
  parentId?: string;
  path?: string;
}
interface ServerBuild {
  assets: { entry: ManifestModule; routes: Record<string, ManifestRoute> };
}

const root = resolve(process.argv[2] ?? '.');
const { assets } = (await import(join(root, 'build/server/index.js'))) as ServerBuild;
const filesOf = ({ module, imports = [] }: ManifestModule) => [module, ...imports];
const compressedBytes = (file: string) => statSync(join(root, 'build/client', `${file}.br`)).size;

/** The route and its parents, outermost first. */
function withParents(route: ManifestRoute): ManifestRoute[] {
  const parent = route.parentId === undefined ? undefined : assets.routes[route.parentId];
  return parent ? [...withParents(parent), route] : [route];
}
const hasChildren = ({ id }: ManifestRoute) => Object.values(assets.routes).some(({ parentId }) => parentId === id);

const pages = Object.values(assets.routes)
  .filter((route) => route.id.startsWith('pages/') && !hasChildren(route))
  .map((route) => {
    const routes = withParents(route);
    const files = new Set([assets.entry, ...routes].flatMap(filesOf));
    const segments = routes.map(({ path }) => path).filter(Boolean);
    return {
      path: `/${segments.join('/')}`,
      bytes: [...files].reduce((sum, file) => sum + compressedBytes(file), 0),
    };
  })
  .toSorted((a, b) => b.bytes - a.bytes);

console.log(`First-load JavaScript per page, brotli (limit ${maxBytes / 1_000} KB):`);
for (const { path, bytes } of pages) console.log(`${(bytes / 1_000).toFixed(1).padStart(7)} KB  ${path}`);
const tooLarge = pages.filter(({ bytes }) => bytes > maxBytes);
if (tooLarge.length > 0 || pages.length === 0) {
  console.error(`Over the limit: ${tooLarge.map(({ path }) => path).join(', ') || 'no pages found'}`);
  process.exitCode = 1;
}
