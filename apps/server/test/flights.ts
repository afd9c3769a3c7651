import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A proxy in front of PostgreSQL that counts round trips: a flight starts when a client sends something while no answer is
 * outstanding on its connection. Whatever it sends before everything is answered belongs to the same flight.
 */
export async function countFlights(postgresUrl: string) {
  const { hostname, port } = new URL(postgresUrl);
  let flights = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectSocket(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    }
    let outstanding = 1; // the start of the connection, which is no flight
    let isInFlight = true;
    const sent = messageReader(1, (type) => {
      if (type !== 'Q' && type !== 'S') return; // both end with a ReadyForQuery
      outstanding++;
    });
    const received = messageReader(0, (type) => {
      if (type === 'Z') isInFlight = --outstanding > 0;
    });
    client.on('data', (bytes) => {
      if (!isInFlight) flights++; // once, also if it arrives in parts
      isInFlight = true;
      sent(bytes);
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      received(bytes);
      client.write(bytes);
    });
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = Object.assign(new URL(postgresUrl), {
    hostname: '127.0.0.1',
    port: String((server.address() as AddressInfo).port),
  }).href;
  return {
    /** The database through the proxy. */
    url,
    /** The flights that `work` takes, on all connections together. */
    async during<T>(work: () => Promise<T>): Promise<{ flights: number; result: T }> {
      const before = flights;
      const result = await work();
      return { flights: flights - before, result };
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Calls back with the type of each message of PostgreSQL's protocol. The first `untyped` messages have no type. */
function messageReader(untyped: number, onMessage: (type: string) => void) {
  let rest: Buffer = Buffer.alloc(0);
  let left = untyped;
  return (bytes: Buffer) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const header = left > 0 ? 0 : 1;
      if (rest.length < header + 4) return;
      const end = header + rest.readUInt32BE(header);
      if (rest.length < end) return;
      if (left > 0) left--;
      else onMessage(String.fromCharCode(rest[0] ?? 0));
      rest = rest.subarray(end);
    }
  };
}
