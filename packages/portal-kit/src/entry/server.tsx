import { PassThrough } from 'node:stream';
import { portalContext } from '@parley/portal-kit/context';
import { createReadableStreamFromReadable } from '@react-router/node';
import { renderToPipeableStream } from 'react-dom/server';
import { isRouteErrorResponse, ServerRouter, type EntryContext, type RouterContextProvider } from 'react-router';
import { NonceContext } from '../ui/nonce.ts';

const renderTimeoutMs = 10_000;

export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entry: EntryContext,
  context: RouterContextProvider,
) {
  const { nonce, observe } = context.get(portalContext);
  observe.route(patternOf(entry));
  return new Promise<Response>((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <ServerRouter context={entry} url={request.url} nonce={nonce} />
      </NonceContext.Provider>,
      {
        nonce,
        onAllReady() {
          const body = new PassThrough();
          headers.set('content-type', 'text/html; charset=utf-8');
          resolve(new Response(createReadableStreamFromReadable(body), { headers, status }));
          pipe(body);
        },
        onShellError: reject,
        onError(error) {
          observe.error(error);
        },
      },
    );
    setTimeout(abort, renderTimeoutMs).unref();
  });
}

/** The route's path with the names of its parameters, such as `/bots/:botId`. */
const patternOf = ({ staticHandlerContext: { matches } }: EntryContext) =>
  `/${matches.flatMap(({ route }) => (route.path ?? '').split('/').filter(Boolean)).join('/')}`;

/** Reports errors of rendering, but not requests that the browser cancelled, nor responses such as 404. */
export function handleError(
  error: unknown,
  { request, context }: { request: Request; context: Readonly<RouterContextProvider> },
) {
  if (request.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  context.get(portalContext).observe.error(error);
}
