import { describe, expect, test } from 'vitest';
import { assertSameOrigin, sameOriginPath } from './guard.ts';

const origin = 'https://portal.example';

describe('sameOriginPath', () => {
  test.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'evil.example',
    '',
    undefined,
    ['/bots'],
  ])('returns / for %j', (path) => expect(sameOriginPath(path, origin)).toBe('/'));

  test('keeps a path in the portal, with its query and hash', () =>
    expect(sameOriginPath('/conversations?state=human#x', origin)).toBe('/conversations?state=human#x'));
});

describe('assertOwnPage', () => {
  const own = { 'x-requested-with': 'portal', origin, 'sec-fetch-site': 'same-origin' };
  const check = (method: string, url: string, headers: Record<string, string>) => () =>
    assertSameOrigin({ method, url, headers }, origin);

  test('allows requests from our own pages and page loads', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(check(method, '/api/bots', own)).not.toThrow();
    expect(check('GET', '/', {})).not.toThrow();
    expect(check('GET', '/api/auth/callback?code=x', {})).not.toThrow();
  });

  test.each([
    ['no header', 'POST', '/api/bots', { origin }],
    ['an API read without the header', 'GET', '/api/bots', {}],
    ['another origin', 'POST', '/api/bots', { ...own, origin: 'https://evil.example' }],
    ['a same-site origin', 'POST', '/api/bots', { ...own, 'sec-fetch-site': 'same-site' }],
    ['no origin and no sec-fetch-site', 'POST', '/api/bots', { 'x-requested-with': 'portal' }],
    ['a path similar to the callback', 'GET', '/api/auth/callbacks', {}],
    ['an internal header of another framework', 'GET', '/', { 'x-middleware-subrequest': '1' }],
  ] as [string, string, string, Record<string, string>][])('rejects %s', (_reason, method, url, headers) =>
    expect(check(method, url, headers)).toThrow(),
  );
});
