import { rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { api, listen } from '../harness.ts';

// Paths as bytes on a socket: a client library would normalise most of them first.

const widgetDir = api.platform.config.WIDGET_DIR;
/** Next to the folder of the widget's files, one level up. */
const canary = join(dirname(widgetDir), `canary-${basename(widgetDir)}`);
const secret = `canary ${basename(widgetDir)}`;
beforeAll(async () => {
  writeFileSync(canary, secret);
  await listen();
});
afterAll(() => rmSync(canary));

const up = [
  '../',
  '..%2f',
  '..%2F',
  '%2e%2e/',
  '%2e%2e%2f',
  '%2E%2E%2F',
  '.%2e/',
  '..\\',
  '..%5c',
  '%2e%2e%5c',
  '%252e%252e%252f',
  '..%252f',
  '..%c0%af',
  '%c0%ae%c0%ae/',
  '..%e0%80%af',
  '..%ef%bc%8f',
  '%uff0e%uff0e/',
  '....//',
  '..;/',
  './../',
  '.../',
  'x/../../',
  '..//',
  '%00../',
];
/** Where files or documents are served, and where a path names an object. */
const bases = ['/cdn/', '/cdn/config/', '/cdn/frame/', '/docs/', '/docs/static/', '/.well-known/', '/'];
const outside = (steps: string) => [
  `${steps}${basename(canary)}`,
  `${steps.repeat(3)}${canary.slice(1)}`,
  `${steps.repeat(12)}etc/passwd`,
];
const absolute = [
  canary,
  `/${canary}`,
  `/cdn/${canary}`,
  `/cdn/${encodeURIComponent(canary)}`,
  `/cdn/file:${canary}`,
  `/cdn/${basename(canary)}%00.js`,
  '/cdn/chatbot-widget.js/../../../etc/passwd',
  '/cdn/chatbot-widget.js%2f..%2f..%2fetc%2fpasswd',
  '/proc/self/environ',
  'http://127.0.0.1/cdn/../../etc/passwd',
  '*',
];
const paths = [
  ...bases.flatMap((base) => up.flatMap((steps) => outside(steps).map((path) => base + path))),
  ...absolute,
];

/** A connection per request: a malformed request would end a shared one. */
function get(path: string): Promise<string> {
  const { port } = api.app.server.address() as AddressInfo;
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (bytes) => void (received += bytes.toString('latin1')));
    socket.on('error', () => undefined); // the server may close the connection early
    socket.on('close', () => resolve(received));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`, 'latin1');
  });
}

test('control: serves the widget’s files', async () => {
  expect(await get('/cdn/chatbot-widget.js')).toMatch(/^HTTP\/1\.1 200 /);
});

test('returns 400 or 404: no path leads out of the served folder or to a route it does not name', async () => {
  const leaks: string[] = [];
  for (let at = 0; at < paths.length; at += 16)
    await Promise.all(
      paths.slice(at, at + 16).map(async (path) => {
        const response = await get(path);
        const status = Number(response.split(' ')[1]);
        const isLeaked = response.includes(secret) || /root:[^:]*:0:0:|"name": ?"parley/.test(response);
        if (isLeaked || ![400, 404].includes(status)) leaks.push(`${path}: ${response.split('\r\n')[0]}`);
      }),
    );
  expect(leaks).toEqual([]);
  expect(new Set(paths).size).toBeGreaterThanOrEqual(probes.apiPaths.min);
});
