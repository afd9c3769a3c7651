import { rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { api, listen } from '../harness.ts';

// Paths as bytes on a socket: a client library would tidy up most of them before they are sent.

const widgetDir = api.platform.config.WIDGET_DIR;
/** Beside the folder of the widget's files, where one step up leads. */
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
/** Where files or documents are served, and where a path names something. */
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

/** One request after the other on one connection would end with the first that cannot be read. */
function ask(path: string): Promise<string> {
  const { port } = api.app.server.address() as AddressInfo;
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (bytes) => void (said += bytes.toString('latin1')));
    socket.on('error', () => undefined); // it may hang up in the middle
    socket.on('close', () => resolve(said));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`, 'latin1');
  });
}

test('control: the files that are meant to be served are', async () => {
  expect(await ask('/cdn/chatbot-widget.js')).toMatch(/^HTTP\/1\.1 200 /);
});

test('400 or 404: no path leads out of the folder that is served, or to a route that it does not name', async () => {
  const through: string[] = [];
  for (let at = 0; at < paths.length; at += 16)
    await Promise.all(
      paths.slice(at, at + 16).map(async (path) => {
        const response = await ask(path);
        const status = Number(response.split(' ')[1]);
        const isLeaked = response.includes(secret) || /root:[^:]*:0:0:|"name": ?"parley/.test(response);
        if (isLeaked || ![400, 404].includes(status)) through.push(`${path}: ${response.split('\r\n')[0]}`);
      }),
    );
  expect(through).toEqual([]);
  expect(new Set(paths).size).toBeGreaterThanOrEqual(probes.apiPaths.min);
});
