import { expect, test } from 'vitest';
import { openApi } from '../../../test/harness.ts';

test('returns 503 temporarily_unavailable from an OpenID Connect endpoint while the database is down', async () => {
  const api = await openApi({ DATABASE_URL: 'postgres://parley_app@127.0.0.1:9/parley' });
  for (const url of ['/pools/customer/jwks', '/pools/admin/.well-known/openid-configuration']) {
    const response = await api.app.inject({ url });
    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([503, 'temporarily_unavailable']);
    expect(response.headers['x-request-id']).toBeDefined();
  }
  const page = await api.app.inject({ url: '/pools/customer/reset?token=x' });
  expect([page.statusCode, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
  await api.close();
});

test('returns 429 with Retry-After on pages and OpenID Connect endpoints', async () => {
  const api = await openApi({ PUBLIC_URL: 'http://127.0.0.1:3999' });
  const ask = (url: string) => api.app.inject({ url, remoteAddress: '10.66.0.1' });
  for (const [url, max] of [
    ['/pools/customer/forgot', 300],
    ['/pools/customer/jwks', 600],
  ] as const) {
    const responses = await Promise.all(Array.from({ length: max + 1 }, () => ask(url)));
    const refused = responses.find(({ statusCode }) => statusCode === 429);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused?.headers['ratelimit']).toBeDefined();
  }
  await api.close();
});
