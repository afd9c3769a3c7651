import { Registry } from 'prom-client';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { api } from '../../../test/harness.ts';
import { notFound } from '../errors.ts';
import { publicRoute } from './route.ts';
import { buildHttp } from './server.ts';

const notCalled = () => Promise.reject(new Error('must not be called'));
const app = await buildHttp({
  ...api.platform,
  metrics: new Registry(),
  authenticators: [],
  tenantState: notCalled,
  visitorOf: notCalled,
  publicUrl: 'https://x.example',
  routes: [
    publicRoute({
      method: 'GET',
      path: '/kept/:name',
      name: 'getKept',
      tag: 'x',
      summary: 'x',
      permission: 'public',
      cache: { seconds: 10, staleSeconds: 20, varyBy: 'origin' },
      params: z.object({ name: z.string().max(10) }),
      response: z.object({ name: z.string() }),
      handler: ({ params }) => {
        if (params.name === 'missing') throw notFound('name');
        return params;
      },
    }),
  ],
});
afterAll(() => app.close());
const get = (name: string, headers: Record<string, string> = {}) => app.inject({ url: `/kept/${name}`, headers });

test('returns 200 with Cache-Control, ETag and Vary for a cacheable route', async () => {
  const [one, again, other] = [await get('one'), await get('one'), await get('other')];
  expect(one.headers).toMatchObject({
    'cache-control': 'public, max-age=10, stale-while-revalidate=20',
    vary: 'origin',
    etag: expect.stringMatching(/^"[\w-]{27}"$/) as string,
  });
  expect([again.headers.etag === one.headers.etag, other.headers.etag === one.headers.etag]).toEqual([true, false]);
});

test('returns 304 for a matching If-None-Match, also in a list or weak, and 200 otherwise', async () => {
  const etag = String((await get('one')).headers.etag);
  for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const { statusCode, body } = await get('one', { 'if-none-match': header });
    expect([statusCode, body], header).toEqual([304, '']);
  }
  for (const header of ['"x"', etag.slice(1, -1), '', `${etag}x`])
    expect((await get('one', { 'if-none-match': header })).statusCode, header).toBe(200);
});

test('returns 404 and 400 with no-store, and never 304 instead', async () => {
  for (const [name, status] of [
    ['missing', 404],
    ['much-too-long', 400],
  ] as const) {
    const response = await get(name, { 'if-none-match': '*' });
    expect([response.statusCode, response.headers['cache-control']]).toEqual([status, 'no-store']);
    expect(response.headers).not.toHaveProperty('etag');
  }
});
