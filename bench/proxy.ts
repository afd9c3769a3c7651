// Distributes connections to several servers in turn, as a load balancer of a deployment does.
import { connect, createServer } from 'node:net';

const ports = (process.env['UPSTREAM_PORTS'] ?? '').split(',').map(Number);
let count = 0;
const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ host: '127.0.0.1', port: ports[count++ % ports.length] ?? 0, noDelay: true });
  client.pipe(upstream).pipe(client);
  client.on('error', () => upstream.destroy());
  upstream.on('error', () => client.destroy());
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
