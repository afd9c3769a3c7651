import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { api, type Headers } from '../../../test/harness.ts';
import { makeWidgetDir, widgetFiles } from '../../../test/widget-files.ts';
import { readWidget } from './widget-files.ts';

const get = (url: string, headers: Headers = {}) => api.app.inject({ method: 'GET', url, headers });
const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error: { reason: string } }).error.reason;

test('serves every file in the smallest encoding that the browser accepts', async () => {
  for (const [name, text] of Object.entries(widgetFiles)) {
    const forms = [
      ['br, gzip', 'br', brotliDecompressSync],
      ['gzip, deflate, br;q=0', 'gzip', gunzipSync],
      ['deflate', undefined, (bytes: Buffer) => bytes],
      ['', undefined, (bytes: Buffer) => bytes],
    ] as const;
    for (const [request, encoding, unpack] of forms) {
      const response = await get(`/cdn/${name}`, { 'accept-encoding': request });
      expect(response.statusCode, name).toBe(200);
      expect(response.headers['content-encoding']).toBe(encoding);
      expect(unpack(response.rawPayload).toString()).toBe(text);
      expect(response.headers).toMatchObject({
        'content-type': `${name.endsWith('.js') ? 'text/javascript' : 'application/json'}; charset=utf-8`,
        vary: 'accept-encoding',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'timing-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      });
    }
  }
});

test('caches names with a hash or version as immutable, the others for five minutes', async () => {
  for (const name of Object.keys(widgetFiles)) {
    const isStable = name === 'chatbot-widget.js' || name === 'manifest.json';
    expect((await get(`/cdn/${name}`)).headers['cache-control'], name).toBe(
      isStable ? 'public, max-age=300, stale-while-revalidate=86400' : 'public, max-age=31536000, immutable',
    );
  }
});

test('ignores unknown query parameters', async () => {
  for (const query of ['ver=6.4', '1700000000', '__proto__=1', '%00'])
    expect((await get(`/cdn/chatbot-widget.js?${query}`)).statusCode, query).toBe(200);
});

test('returns 304 for a matching ETag of the same encoding only', async () => {
  const encodings = ['br', 'gzip', 'identity'];
  const tags: string[] = [];
  for (const encoding of encodings)
    tags.push(String((await get('/cdn/chatbot-widget.js', { 'accept-encoding': encoding })).headers.etag));
  expect(new Set(tags).size).toBe(3);
  for (const tag of tags) expect(tag).toMatch(/^"[\w-]{27}"$/);
  for (const [n, encoding] of encodings.entries())
    for (const [m, tag] of tags.entries()) {
      const response = await get('/cdn/chatbot-widget.js', { 'accept-encoding': encoding, 'if-none-match': tag });
      expect(response.statusCode).toBe(n === m ? 304 : 200);
      if (n !== m) continue;
      expect(response.rawPayload.length).toBe(0);
      expect(response.headers).toMatchObject({ etag: tag, vary: 'accept-encoding' });
      expect(response.headers['cache-control']).toContain('max-age=300');
    }
  const several = await get('/cdn/chatbot-widget.js', { 'if-none-match': `"x", W/${tags[2]}` });
  expect(several.statusCode).toBe(304);
});

test('returns an uncached 404 for source maps, compressed file names and unknown files', async () => {
  const map = 'chat.0a1b2c3d.js.map';
  const climbing = ['..%2f..%2fpackage.json', '%2e%2e%2fmanifest.json', '..%5cmanifest.json'];
  const others = ['__proto__', 'constructor', 'chatbot-widget.2.0.0.js', 'manifest.json%00'];
  for (const name of [map, `${map}.br`, 'manifest.json.br', 'chatbot-widget.js.gz', ...climbing, ...others]) {
    const response = await get(`/cdn/${name}`, { 'accept-encoding': 'br' });
    expect([response.statusCode, reasonOf(response)], name).toEqual([404, 'file_not_found']);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['access-control-allow-origin']).toBe('*');
  }
});

test('logs one warning when the widget is missing or incomplete, and none otherwise', () => {
  const warned = (dir: string) => {
    const lines: string[] = [];
    readWidget(dir, pino({ level: 'warn' }, { write: (line) => void lines.push(line) }));
    return lines.length;
  };
  const dir = makeWidgetDir();
  expect(warned(dir)).toBe(0);
  for (const broken of ['{', '{}', '{"current":"1.0.0","versions":{"1.0.0":{"frame":"../x","files":{}}}}']) {
    writeFileSync(join(dir, 'manifest.json'), broken);
    expect(warned(dir)).toBe(1);
  }
  rmSync(dir, { recursive: true });
  expect(warned(dir)).toBe(1);
});
