import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Receiver } from '../../../tools/receiver/index.ts';

/** The proxy with the certificate in front of the admin portal. */
export async function openTlsFront(port: number, certify: Receiver['certify']) {
  const validFor = (days: number) => certify('localhost', { notAfterDate: new Date(Date.now() + days * 86_400_000) });
  const sockets = new Set<Socket>();
  const server = createServer(await validFor(90), (client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    /** New connections get a certificate that is valid for as long. */
    install: async (days: number) => server.setSecureContext(await validFor(days)),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
