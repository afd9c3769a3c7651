// Accepts every call over TLS, events and actions alike, at minimal cost: the caller is measured, not this. Calls to a path
// that starts with /hangs wait as long as the sender does.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { anAuthority } from '../tools/receiver/certificates.ts';

const authority = await anAuthority('bench');
const { cert, key } = await authority.certify('localhost');
const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
  const end = () => response.writeHead(200).end('{"output":{"status":"packed"}}');
  request.resume().on('end', () => (request.url?.startsWith('/hangs') ? setTimeout(end, 15_000) : end()));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ host: `localhost:${port}`, caPem: authority.pem });
});
process.once('disconnect', () => process.exit());
