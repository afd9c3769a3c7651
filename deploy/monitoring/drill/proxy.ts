import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP proxy between a process and a server that it needs: the network, which can be slow or cut. */
export async function openProxy(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let isCut = false;

  /** Each part arrives as much later, in order. */
  const forward = (from: Socket, to: Socket) => {
    let last = Promise.resolve();
    from.on('data', (bytes: Buffer) => {
      if (delayMs === 0) return void last.then(() => to.write(bytes));
      const delayed = sleep(delayMs, undefined, { ref: false });
      last = last.then(() => delayed).then(() => void to.write(bytes));
    });
    from.on('end', () => void last.then(() => to.end()));
    from
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(from);
        void last.then(() => to.destroy());
      });
  };
  const server = createServer((client) => {
    if (isCut) return void client.resetAndDestroy();
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
    }
    forward(client, upstream);
    forward(upstream, client);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    /** The same URL through the proxy. */
    url: Object.assign(new URL(url), {
      hostname: '127.0.0.1',
      port: String((server.address() as AddressInfo).port),
    }).href.replace(/(?<=:\d+)\/$/, ''),
    /** A response takes twice as long: each direction counts. */
    slow: (ms: number) => void (delayMs = ms),
    /** Ends all connections and takes no more. */
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    restore: () => {
      isCut = false;
      delayMs = 0;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
