import { createServer } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkSignature } from '../../apps/server/src/features/webhooks/delivery/signature.ts';
import { anAuthority } from './certificates.ts';
import { actionCallIn, openOrders } from './orders.ts';

/** A received call. */
export interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Null if its signature, timestamp and headers are valid, or if no secret is known. */
  problem: string | null;
  at: number;
}

type Respond = (call: ReceivedCall, response: ServerResponse, request: IncomingMessage) => unknown;

/**
 * A tenant's own backend over HTTPS, with its own certificate authority: it verifies calls as a careful receiver does,
 * lists them at `/calls`, and responds to actions from a few made-up orders. A secret that is PUT to `/secrets` is accepted
 * from then on, in addition to the others.
 */
export async function startReceiver({ keep = 10_000, host = 'localhost', ip = '127.0.0.1', port = 0 } = {}) {
  const authority = await anAuthority('receiver');
  const { cert, key } = await authority.certify(host);
  const calls: ReceivedCall[] = [];
  const sockets = new Set<Duplex>();
  const receiver = {
    calls,
    caPem: authority.pem,
    certify: authority.certify,
    url: '',
    host: '',
    /** The accepted secrets; more than one during a rotation. */
    secrets: [] as string[],
    /** Replaces the default response. */
    respond: undefined as Respond | undefined,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };

  const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      if (request.method === 'GET' && request.url === '/calls') return void list(response);
      const body = Buffer.concat(chunks);
      if (request.method === 'PUT' && request.url === '/secrets') {
        receiver.secrets = [...receiver.secrets, body.toString()];
        return void response.writeHead(204).end();
      }
      const { headers, url: path = '/' } = request;
      const problem = receiver.secrets.length > 0 ? examine(receiver.secrets, headers, body) : null;
      const call = { path, headers, body: body.toString(), problem, at: Date.now() };
      if (calls.length < keep) calls.push(call);
      if (receiver.respond) receiver.respond(call, response, request);
      else respondByDefault(call, response);
    });
  });
  const orders = openOrders();
  const respondByDefault = ({ problem, body }: ReceivedCall, response: ServerResponse) => {
    const action = problem ? undefined : actionCallIn(body);
    if (!action) return response.writeHead(problem ? 401 : 200).end(problem ?? 'ok');
    const result = orders(action);
    return response.writeHead(result.status, { 'content-type': 'application/json' }).end(JSON.stringify(result.body));
  };
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const list = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(calls));

  await new Promise<void>((ready) => server.listen(port, ip, ready));
  receiver.host = `${host}:${(server.address() as AddressInfo).port}`;
  receiver.url = `https://${receiver.host}`;
  return receiver;
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** What a receiver should verify: the signature over the raw bytes, its timestamp, and the headers against the body. */
export function examine(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer): string | null {
  const text = (name: string) => String(headers[name] ?? '');
  const signed = { signature: text('x-service-signature'), timestamp: text('x-service-timestamp') };
  const problem = checkSignature(secrets, signed, body, new Date());
  if (problem) return problem;
  const envelope = JSON.parse(body.toString()) as Record<string, string | null>;
  const isSame =
    envelope['id'] === text('idempotency-key') &&
    envelope['tenantId'] === text('x-service-tenant-id') &&
    text('x-service-environment-id') !== '' &&
    (envelope['environmentId'] ?? text('x-service-environment-id')) === text('x-service-environment-id') &&
    envelope['actionId'] === text('x-service-action-id');
  return isSame ? null : 'headers_differ_from_body';
}
