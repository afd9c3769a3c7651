import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface KeyRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}
export interface KeyResponse {
  status: number;
  body: object;
}

/**
 * `up` responds. `failing` returns `outage`, like an overloaded or sealed service. `hanging` accepts requests without
 * responding. `gone` resets connections, like a network failure.
 */
type Mode = 'up' | 'failing' | 'hanging' | 'gone';

/** An HTTP server that simulates a key service and its outages. */
export async function startKeyServer(respond: (request: KeyRequest) => KeyResponse, outage: KeyResponse) {
  const state = { mode: 'up' as Mode, requests: 0 };
  const sockets = new Set<Socket>();
  const read = async (request: IncomingMessage): Promise<KeyRequest> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    return { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
  };
  const server = createServer((request, response) => {
    state.requests++;
    if (state.mode === 'gone') return void request.socket.resetAndDestroy();
    if (state.mode === 'hanging') return;
    void read(request).then((received) => {
      const { status, body } = state.mode === 'failing' ? outage : respond(received);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    state,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
