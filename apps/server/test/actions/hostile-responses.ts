import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { isFull } from '../../../../tools/testing/size.ts';
import { reply } from './fixture.ts';

// Unexpected responses of a tenant's backend.

export interface OddResponse {
  name: string;
  respond(response: ServerResponse): unknown;
  /** The outcome of a read, and of an at_most_once write. */
  read: 'succeeded' | 'failed';
  write: 'succeeded' | 'failed' | 'unknown';
}

export const timeoutMs = 1_500;
const text = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
/** Writes to the socket directly, bypassing Node's HTTP server, and closes it. */
const raw = (response: ServerResponse, ...parts: string[]) => {
  response.socket?.write(parts.join(''));
  setTimeout(() => response.socket?.end(), 300);
};
const fullResponse = (body: string, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const good = (state: string) => JSON.stringify({ output: { state } });
const unclear = { read: 'failed', write: 'unknown' } as const;
const succeeds = { read: 'succeeded', write: 'succeeded' } as const;
const rejected = { read: 'failed', write: 'failed' } as const;

function drip(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"output":');
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
}

const bomb = gzipSync(Buffer.alloc((isFull ? 200 : 20) * 1024 * 1024, ' '));
const large = JSON.stringify({ output: { state: 'x'.repeat(5 * 1024 * 1024) } });

/** Only in a full run: the sample has another one that is handled in the same way. */
export const similarResponses = [
  'a late response',
  '204',
  'an array',
  'a null output',
  'an array output',
  'null fields',
  'truncated JSON',
  'a 5 MB error',
  'a 303 redirect',
  'less than its content-length',
  'something other than HTTP',
  '409 in another error format',
  'unpaired surrogates',
  'a success followed by an error',
];

export const oddResponses: OddResponse[] = [
  { name: 'no response', respond: () => {}, ...unclear },
  {
    name: 'a late response',
    respond: (response) => setTimeout(() => text(response, 200, good('late')), timeoutMs + 700),
    ...unclear,
  },
  { name: 'an endless slow body', respond: drip, ...unclear },
  {
    name: 'an HTML page',
    respond: (response) => text(response, 200, '<html>ok</html>', { 'content-type': 'text/html' }),
    ...unclear,
  },
  { name: '200 with an empty body', respond: (response) => text(response, 200, ''), ...unclear },
  { name: '204', respond: (response) => response.writeHead(204).end(), ...unclear },
  { name: 'an array', respond: (response) => reply(response, 200, [{ output: { state: 'x' } }]), ...unclear },
  { name: 'null', respond: (response) => text(response, 200, 'null'), ...unclear },
  { name: 'a null output', respond: (response) => reply(response, 200, { output: null }), ...unclear },
  { name: 'an array output', respond: (response) => reply(response, 200, { output: [] }), ...unclear },
  { name: 'null fields', respond: (response) => reply(response, 200, { output: { state: null } }), ...unclear },
  {
    name: 'an output with additional fields',
    respond: (response) => reply(response, 200, { output: { state: 'x', more: 1 } }),
    ...unclear,
  },
  {
    name: 'an array as display text',
    respond: (response) => reply(response, 200, { output: { state: 'x' }, display: ['x'] }),
    ...unclear,
  },
  {
    name: 'a __proto__ field',
    respond: (response) => text(response, 200, '{"output":{"__proto__":{"state":"x"}}}'),
    ...unclear,
  },
  { name: 'truncated JSON', respond: (response) => text(response, 200, good('x').slice(0, -3)), ...unclear },
  {
    name: 'deeply nested JSON',
    respond: (response) => text(response, 200, `{"output":{"state":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
    ...unclear,
  },
  { name: '5 MB', respond: (response) => text(response, 200, large), ...unclear },
  { name: 'a 5 MB error', respond: (response) => text(response, 422, large), ...rejected },
  {
    name: 'a gzip bomb',
    respond: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    ...unclear,
  },
  {
    name: 'a header of 20 KB',
    respond: (response) => text(response, 200, good('x'), { 'x-long': 'x'.repeat(20_000) }),
    ...unclear,
  },
  {
    name: 'a redirect',
    respond: (response) => text(response, 302, '', { location: 'http://169.254.169.254/' }),
    ...unclear,
  },
  {
    name: 'a 303 redirect',
    respond: (response) => text(response, 303, '', { location: '/done' }),
    ...unclear,
  },
  {
    name: 'a permanent redirect',
    respond: (response) => text(response, 308, '', { location: 'https://localhost:1/' }),
    ...rejected,
  },
  { name: 'a connection closed mid-body', respond: closeEarly, ...unclear },
  {
    name: 'less than its content-length',
    respond: (response) => raw(response, 'HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n', good('x')),
    ...unclear,
  },
  {
    name: 'more than its content-length',
    respond: (response) => raw(response, 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n', good('x')),
    ...unclear,
  },
  { name: 'something other than HTTP', respond: (response) => raw(response, 'SSH-2.0-OpenSSH_9.0\r\n'), ...unclear },
  {
    name: 'a protocol switch',
    respond: (response) =>
      raw(response, 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ...unclear,
  },
  { name: '500', respond: (response) => text(response, 500, 'Traceback'), ...unclear },
  { name: '404 without a JSON body', respond: (response) => text(response, 404, 'nope'), ...rejected },
  {
    name: '409 in another error format',
    respond: (response) => reply(response, 409, { error: 'conflict' }),
    ...rejected,
  },
  {
    name: 'NUL characters',
    respond: (response) => text(response, 200, '{"output":{"state":"a\\u0000b\\\\u0000"}}'),
    ...succeeds,
  },
  {
    name: 'unpaired surrogates',
    respond: (response) => text(response, 200, '{"output":{"state":"\\ud800 \\udc00"},"display":"\\ud800"}'),
    ...succeeds,
  },
  {
    name: 'invalid UTF-8',
    respond: (response) => response.writeHead(200).end(Buffer.from(good('\u00E9'), 'latin1')),
    ...succeeds,
  },
  {
    name: 'early hints',
    respond: (response) =>
      raw(
        response,
        'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n',
        fullResponse(good('x'), '200 OK\r\nconnection: close'),
      ),
    ...succeeds,
  },
  {
    name: 'two responses at once',
    respond: (response) => raw(response, fullResponse(good('first')), fullResponse(good('second'))),
    ...succeeds,
  },
  {
    name: 'a success followed by an error',
    respond: (response) => raw(response, fullResponse(good('first')), fullResponse('{"error":{"code":"x"}}', '422 No')),
    ...succeeds,
  },
];

function closeEarly(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write(good('x'));
  setTimeout(() => response.socket?.destroy(), 50);
}
