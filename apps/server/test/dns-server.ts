import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4, isIPv6 } from 'node:net';

/** IP addresses of both families, `cname:other.name`, or an empty list. `silence`: no response. `servfail`: an error. */
export type DnsAnswer = readonly string[] | 'silence' | 'servfail';
/** `nth` is the number of earlier queries for this name and type. */
export type Zone = Record<string, DnsAnswer | ((nth: number) => DnsAnswer)>;

const typeNames: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' };
const typeNumbers = { A: 1, AAAA: 28, CNAME: 5 };

/** A DNS server over UDP that evaluates `zone` for every query, with a TTL of 0. */
export async function startDns(zone: Zone, { port = 0, address = '127.0.0.1' } = {}) {
  const queries: string[] = [];
  const counts = new Map<string, number>();
  const socket = createSocket('udp4');

  socket.on('message', (query, from) => {
    const { name, type, question } = readQuestion(query);
    const typeName = typeNames[type];
    const queryKey = `${typeName} ${name}`;
    const nth = counts.get(queryKey) ?? 0;
    counts.set(queryKey, nth + 1);
    queries.push(queryKey);
    const answer = answerOf(zone, name, nth);
    if (answer === 'silence') return;
    const records = answer === 'servfail' || !typeName ? [] : recordsOf(zone, name, typeName, nth);
    const code = answer === 'servfail' ? 2 : answer === undefined ? 3 : 0;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, question, ...records]), from.port, from.address);
  });

  socket.bind(port, address);
  await once(socket, 'listening');
  return {
    server: `${address}:${socket.address().port}`,
    queries,
    close: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

function answerOf(zone: Zone, name: string, nth: number): DnsAnswer | undefined {
  const answer = zone[name];
  return typeof answer === 'function' ? answer(nth) : answer;
}

/** Follows CNAMEs like a resolver: the response contains the alias and its target. */
function recordsOf(zone: Zone, name: string, type: 'A' | 'AAAA', nth: number): Buffer[] {
  const answer = answerOf(zone, name, nth) ?? [];
  if (typeof answer === 'string') return [];
  return answer.flatMap((value) => {
    if (value.startsWith('cname:')) {
      const target = value.slice('cname:'.length);
      return [record(name, typeNumbers.CNAME, nameBytes(target)), ...recordsOf(zone, target, type, nth)];
    }
    if (type === 'A' ? !isIPv4(value) : !isIPv6(value)) return [];
    return [
      record(name, typeNumbers[type], type === 'A' ? Buffer.from(value.split('.').map(Number)) : ipv6Bytes(value)),
    ];
  });
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(12, at + 5),
  };
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), fixed, data]);
}

const nameBytes = (name: string) =>
  Buffer.concat([
    ...name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.from([0]),
  ]);

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined) => (part ? part.split(':') : []);
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
