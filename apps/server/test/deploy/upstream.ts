import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Upstream {
  port: number;
  /** Sends an event to the stream that is open at /events, or ends it. */
  sendEvent(name: string): void;
  endStream(): void;
  close(): Promise<void>;
}

/**
 * A stand-in for the API that says what arrived. Its stream has none of the headers with which the API asks proxies not
 * to buffer, so that their configuration alone is tested.
 */
export async function startUpstream(name: string): Promise<Upstream> {
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    if (request.url === '/events') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(':\n\n');
      return;
    }
    const { 'x-forwarded-for': forwardedFor, 'x-forwarded-proto': protocol, host } = request.headers;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, path: request.url, forwardedFor, protocol, host }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sendEvent: (event) => void stream?.write(`event: ${event}\ndata: {}\n\n`),
    endStream: () => void stream?.end(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
