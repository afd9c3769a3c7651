// Accepts every call over TLS, events and actions alike, at minimal cost: the caller is measured, not this.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { anAuthority } from '../tools/receiver/certificates.ts';

const authority = await anAuthority('bench');
const { cert, key } = await authority.certify('localhost');
const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume().on('end', () => response.writeHead(200).end('{"output":{"status":"packed"}}'));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ host: `localhost:${port}`, caPem: authority.pem });
});
process.once('disconnect', () => process.exit());
