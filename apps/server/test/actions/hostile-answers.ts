import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { reply } from './fixture.ts';

// What a tenant's system may answer that no documentation speaks of.

export interface Odd {
  name: string;
  answer(response: ServerResponse): unknown;
  /** What a read comes to, and what a write does that is sent at most once. */
  read: 'succeeded' | 'failed';
  write: 'succeeded' | 'failed' | 'unknown';
}

export const timeoutMs = 1_500;
const text = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
/** Past everything that would keep it well formed. The server does not know of it, so nothing else can follow. */
const raw = (response: ServerResponse, ...parts: string[]) => {
  response.socket?.write(parts.join(''));
  setTimeout(() => response.socket?.end(), 300);
};
const whole = (body: string, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const good = (state: string) => JSON.stringify({ output: { state } });
const unclear = { read: 'failed', write: 'unknown' } as const;
const well = { read: 'succeeded', write: 'succeeded' } as const;
const no = { read: 'failed', write: 'failed' } as const;

function drip(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"output":');
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
}

const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
const large = JSON.stringify({ output: { state: 'x'.repeat(5 * 1024 * 1024) } });

export const odd: Odd[] = [
  { name: 'nothing at all', answer: () => {}, ...unclear },
  {
    name: 'late',
    answer: (response) => setTimeout(() => text(response, 200, good('late')), timeoutMs + 700),
    ...unclear,
  },
  { name: 'one blank after the other', answer: drip, ...unclear },
  {
    name: 'a page',
    answer: (response) => text(response, 200, '<html>ok</html>', { 'content-type': 'text/html' }),
    ...unclear,
  },
  { name: 'nothing with 200', answer: (response) => text(response, 200, ''), ...unclear },
  { name: '204', answer: (response) => response.writeHead(204).end(), ...unclear },
  { name: 'a list', answer: (response) => reply(response, 200, [{ output: { state: 'x' } }]), ...unclear },
  { name: 'null', answer: (response) => text(response, 200, 'null'), ...unclear },
  { name: 'an output of null', answer: (response) => reply(response, 200, { output: null }), ...unclear },
  { name: 'an output that is a list', answer: (response) => reply(response, 200, { output: [] }), ...unclear },
  { name: 'nulls inside', answer: (response) => reply(response, 200, { output: { state: null } }), ...unclear },
  {
    name: 'another output',
    answer: (response) => reply(response, 200, { output: { state: 'x', more: 1 } }),
    ...unclear,
  },
  {
    name: 'words as a list',
    answer: (response) => reply(response, 200, { output: { state: 'x' }, display: ['x'] }),
    ...unclear,
  },
  {
    name: 'a prototype',
    answer: (response) => text(response, 200, '{"output":{"__proto__":{"state":"x"}}}'),
    ...unclear,
  },
  { name: 'half of its JSON', answer: (response) => text(response, 200, good('x').slice(0, -3)), ...unclear },
  {
    name: 'very deep',
    answer: (response) => text(response, 200, `{"output":{"state":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
    ...unclear,
  },
  { name: '5 MB', answer: (response) => text(response, 200, large), ...unclear },
  { name: '5 MB of error', answer: (response) => text(response, 422, large), ...no },
  {
    name: 'a bomb',
    answer: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    ...unclear,
  },
  {
    name: 'a header of 20 KB',
    answer: (response) => text(response, 200, good('x'), { 'x-long': 'x'.repeat(20_000) }),
    ...unclear,
  },
  {
    name: 'a redirect',
    answer: (response) => text(response, 302, '', { location: 'http://169.254.169.254/' }),
    ...unclear,
  },
  {
    name: 'a redirect after it was done',
    answer: (response) => text(response, 303, '', { location: '/done' }),
    ...unclear,
  },
  { name: 'moved', answer: (response) => text(response, 308, '', { location: 'https://localhost:1/' }), ...no },
  { name: 'cut off in the middle', answer: cutOff, ...unclear },
  {
    name: 'less than it said',
    answer: (response) => raw(response, 'HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n', good('x')),
    ...unclear,
  },
  {
    name: 'more than it said',
    answer: (response) => raw(response, 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n', good('x')),
    ...unclear,
  },
  { name: 'no HTTP', answer: (response) => raw(response, 'SSH-2.0-OpenSSH_9.0\r\n'), ...unclear },
  {
    name: 'another protocol',
    answer: (response) =>
      raw(response, 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ...unclear,
  },
  { name: '500', answer: (response) => text(response, 500, 'Traceback'), ...unclear },
  { name: 'no, without words', answer: (response) => text(response, 404, 'nope'), ...no },
  { name: 'no, in other words', answer: (response) => reply(response, 409, { error: 'conflict' }), ...no },
  {
    name: 'zero emails',
    answer: (response) => text(response, 200, '{"output":{"state":"a\\u0000b\\\\u0000"}}'),
    ...well,
  },
  {
    name: 'half a character',
    answer: (response) => text(response, 200, '{"output":{"state":"\\ud800 \\udc00"},"display":"\\ud800"}'),
    ...well,
  },
  {
    name: 'no UTF-8',
    answer: (response) => response.writeHead(200).end(Buffer.from(good('\u00E9'), 'latin1')),
    ...well,
  },
  {
    name: 'early words first',
    answer: (response) =>
      raw(response, 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', whole(good('x'), '200 OK\r\nconnection: close')),
    ...well,
  },
  {
    name: 'two answers at once',
    answer: (response) => raw(response, whole(good('first')), whole(good('second'))),
    ...well,
  },
  {
    name: 'yes, and then no',
    answer: (response) => raw(response, whole(good('first')), whole('{"error":{"code":"x"}}', '422 No')),
    ...well,
  },
];

function cutOff(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write(good('x'));
  setTimeout(() => response.socket?.destroy(), 50);
}
