// The tests' `npx next dev`: serves the files of an app router as Next.js does, without its 200 MB. Routes get a
// `Request`; pages are rendered within their layout. `DOCS=next npm test -- test/docs` uses Next.js itself.
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('.jsx')) return nextLoad(url, context);
    const { code: source } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
      jsc: {
        parser: { syntax: 'ecmascript', jsx: true },
        transform: { react: { runtime: 'automatic' } },
        target: 'es2024',
      },
    });
    return { format: 'module', source, shortCircuit: true };
  },
});

type Component = (props: object) => unknown;
type Route = Record<string, (request: Request) => Promise<Response>>;
const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
const load = <T>(file: string) => import(pathToFileURL(join(process.cwd(), 'app', file)).href) as Promise<T>;
const projectRequire = createRequire(join(process.cwd(), 'package.json'));
const { createElement } = projectRequire('react') as {
  createElement: (of: Component, props: object, inner?: unknown) => unknown;
};
const { renderToString } = projectRequire('react-dom/server') as { renderToString: (element: unknown) => string };

async function pageAt(path: string): Promise<Response> {
  const { default: page } = await load<{ default: Component }>(`${path}page.jsx`);
  const { default: layout } = await load<{ default: Component }>('layout.jsx');
  const html = renderToString(createElement(layout, {}, createElement(page, {})));
  return new Response(`<!doctype html>${html}`, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

async function handle(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname.replace(/^\/+/, '').replace(/([^/])$/, '$1/');
  if (!existsSync(join('app', path, 'route.js'))) return pageAt(path);
  const handler = (await load<Route>(`${path}route.js`))[request.method];
  return handler ? handler(request) : new Response(null, { status: 405 });
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming;
  const body = method === 'GET' ? null : await buffer(incoming);
  const init = { method, headers: headers as Record<string, string>, body };
  const response = await handle(new Request(`http://localhost:${port}${url}`, init)).catch(
    (error: unknown) => new Response(String(error), { status: 500 }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

createServer((incoming, outgoing) => void serve(incoming, outgoing)).listen(port, () =>
  console.log(`Local: http://localhost:${port}`),
);
