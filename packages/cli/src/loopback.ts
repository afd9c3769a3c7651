import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError, exitCodes } from './exit-codes.ts';

const page = (title: string, text: string) =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><body style="font:1rem system-ui;margin:4rem auto;max-width:30rem"><h1>${title}</h1><p>${text}</p>`;

/** Listens on a free local port for the browser's redirect, once. Not reachable from the network. */
export async function awaitBrowser(timeoutMs: number) {
  const { promise: received, resolve, reject } = Promise.withResolvers<URL>();
  received.catch(() => {}); // those who await it get the error; without one it must not crash
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', redirectUri);
    if (url.pathname !== '/callback') {
      response.writeHead(404).end();
      return;
    }
    const isRefused = url.searchParams.has('error');
    const body = isRefused
      ? page('Sign-in failed', 'See your terminal for details.')
      : page('Signed in', 'You can close this page and return to your terminal.');
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'cache-control': 'no-store',
      connection: 'close',
    };
    response.writeHead(200, headers).end(body, () => resolve(url));
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', listening);
  });
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const timer = setTimeout(
    () =>
      reject(
        new CliError(
          exitCodes.notAllowed,
          'sign_in_timed_out',
          'Sign-in timed out after 5 minutes.',
          'Run `parley login` again.',
        ),
      ),
    timeoutMs,
  );
  return {
    redirectUri,
    received,
    close: () => {
      clearTimeout(timer);
      server.close();
    },
  };
}
