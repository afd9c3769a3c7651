// `node relay.ts SOCKET HOST PORT`: a Unix socket that leads to a port. File names are the same in both networks, ports not.
import { connect, createServer } from 'node:net';

const [, , path, host, port] = process.argv;
createServer((from) => {
  const to = connect(Number(port), host ?? '');
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
  to.on('error', () => from.destroy()).on('close', () => from.destroy());
  from.pipe(to).pipe(from);
}).listen(path, () => console.log('ready'));
