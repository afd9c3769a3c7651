import {
  createServer,
  request as ask,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface UpstreamResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}
/** Replaces the normal forwarding of one request. */
export type Fault = (forward: () => Promise<UpstreamResponse>, response: ServerResponse) => unknown;

export const dropRequest: Fault = (_forward, response) => response.destroy();
export const dropResponse: Fault = async (forward, response) => {
  await forward();
  response.destroy();
};
export const respondWith =
  (status: number, headers: Record<string, string> = {}): Fault =>
  (_forward, response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>A proxy</h1>');
/** Forwards the request, but returns another status. */
export const respondAfterForwarding =
  (status: number): Fault =>
  async (forward, response) => {
    await forward();
    response.writeHead(status).end();
  };
export const neverRespond: Fault = () => {};

/** A proxy in front of an API that applies the next fault of a list to each request. */
export async function startFaultyProxy(target: string) {
  const requests: { method: string; url: string; headers: IncomingHttpHeaders }[] = [];
  const faults: Fault[] = [];
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '/', headers } = incoming;
    requests.push({ method, url, headers });
    const body = await text(incoming);
    const forward = () =>
      new Promise<UpstreamResponse>((done, failed) => {
        const outgoing = ask(target + url, { method, headers }, (upstream) => {
          const { statusCode: status = 0, headers } = upstream;
          text(upstream).then((body) => done({ status, headers, body }), failed);
        });
        outgoing.on('error', failed).end(body);
      });
    const fault = faults.shift();
    if (fault) return fault(forward, response);
    const upstream = await forward();
    return response.writeHead(upstream.status, upstream.headers).end(upstream.body);
  };
  const server = createServer((incoming, response) => void handle(incoming, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Applies these faults to the next requests, in this order. Also clears `requests`. */
    inject(...next: Fault[]) {
      requests.length = 0;
      faults.splice(0, Infinity, ...next);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
