import {
  createServer,
  request as ask,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Forwarded {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}
/** What happens to one request in place of being carried there and back. */
export type Fault = (forward: () => Promise<Forwarded>, response: ServerResponse) => unknown;

export const lostOnTheWay: Fault = (_forward, response) => response.destroy();
export const answerLost: Fault = async (forward, response) => {
  await forward();
  response.destroy();
};
export const answers =
  (status: number, headers: Record<string, string> = {}): Fault =>
  (_forward, response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>A proxy</h1>');
/** It is done, but whoever is in between says that it is not. */
export const doneBut =
  (status: number): Fault =>
  async (forward, response) => {
    await forward();
    response.writeHead(status).end();
  };
export const neverAnswers: Fault = () => {};

/** The way to an API: a real server in between, that does to each request what stands next in the list. */
export async function aFaultyRoad(target: string) {
  const seen: { method: string; url: string; headers: IncomingHttpHeaders }[] = [];
  const faults: Fault[] = [];
  const carry = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '/', headers } = incoming;
    seen.push({ method, url, headers });
    const body = await text(incoming);
    const forward = () =>
      new Promise<Forwarded>((done, failed) => {
        const outgoing = ask(target + url, { method, headers }, (answer) => {
          const { statusCode: status = 0, headers } = answer;
          text(answer).then((body) => done({ status, headers, body }), failed);
        });
        outgoing.on('error', failed).end(body);
      });
    const fault = faults.shift();
    if (fault) return fault(forward, response);
    const answer = await forward();
    return response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer((incoming, response) => void carry(incoming, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** From now on: these, in this order, and then nothing more. */
    meet(...next: Fault[]) {
      seen.length = 0;
      faults.splice(0, Infinity, ...next);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
