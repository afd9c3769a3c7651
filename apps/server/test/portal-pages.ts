import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

/** What the pages of a portal are built to, with three of them: one that is rendered, one that is refused, and one that fails. */
const build = `
  export const entry = {
    module: {
      default: (request, status, headers, { staticHandlerContext }, context) => {
        const { observe } = context.get(globalThis.portalContextOfTest);
        observe.route('/' + staticHandlerContext.matches.map(({ route }) => route.path).filter(Boolean).join('/'));
        return new Response('<p>page</p>', { status, headers });
      },
      handleError: (error, { context }) => context.get(globalThis.portalContextOfTest).observe.error(error),
    },
  };
  const page = { default: () => null };
  export const routes = {
    root: { id: 'root', path: '', module: page },
    bot: { id: 'bot', parentId: 'root', path: 'bots/:botId', module: page },
    busy: { id: 'busy', parentId: 'root', path: 'busy', module: { ...page, loader: () => { throw new Response('', { status: 503 }) } } },
    broken: { id: 'broken', parentId: 'root', path: 'broken/:name?', module: { ...page, loader: ({ request }) => { throw new Error('broken: ' + request.url); } } },
  };
  export const assets = { entry: { imports: [], module: '' }, routes: {}, url: '', version: '1' };
  export const publicPath = '/';
  export const assetsBuildDirectory = 'build/client';
  export const basename = '/';
  export const future = {};
  export const ssr = true;
  export const isSpaMode = false;
  export const prerender = [];
  export const routeDiscovery = { mode: 'initial' };
`;

/** Writes them where `startPortal` looks for them. */
export function writePages(root: string) {
  for (const [path, text] of Object.entries({ 'server/index.js': build, 'client/robots.txt': '' })) {
    mkdirSync(join(root, 'build', path, '..'), { recursive: true });
    writeFileSync(join(root, 'build', path), text);
  }
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  return { remove: () => rmSync(root, { recursive: true, force: true }) };
}

interface Portal {
  app: Pick<FastifyInstance, 'inject'> & { log: unknown; listeningOrigin: string };
  metricsPort: number | undefined;
  stop(): Promise<void>;
}

/** The server of the portals, for these pages. */
export async function loadPortals() {
  // Not a static import: its types contain those of React, which declare the DOM for all of the server's code.
  const kit = resolve(import.meta.dirname, '../../../packages/portal-kit/src');
  const load = <T>(path: string) => import(join(kit, path)) as Promise<T>;
  const { portalContext } = await load<{ portalContext: object }>('context.ts');
  Object.assign(globalThis, { portalContextOfTest: portalContext });
  return load<{
    loadPortalConfig(name: 'portal', environment?: Record<string, string>): object;
    logCrashes(log: unknown): void;
    startPortal(options: object): Promise<Portal>;
  }>('server/index.ts');
}

// As a process, with the folder as its argument and its settings in the environment.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { loadPortalConfig, logCrashes, startPortal } = await loadPortals();
  const config = loadPortalConfig('portal');
  const root = process.argv[2];
  const portal = await startPortal({ name: 'portal', pool: 'customer', config, allowed: { '/me': ['GET'] }, root });
  logCrashes(portal.app.log);
  process.once('SIGTERM', () => void portal.stop().then(() => process.exit(0)));
}
