import { describe, expect, test } from 'vitest';
import { assertOwnPage, ownPath } from './guard.ts';

const origin = 'https://portal.example';

describe('where somebody is led after signing in', () => {
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
  ])('%j leads home', (wanted) => expect(ownPath(wanted, origin)).toBe('/'));

  test('a place within stays, with its query', () =>
    expect(ownPath('/conversations?state=human#x', origin)).toBe('/conversations?state=human#x'));
});

describe('who may ask', () => {
  const own = { 'x-requested-with': 'portal', origin, 'sec-fetch-site': 'same-origin' };
  const ask = (method: string, url: string, headers: Record<string, string>) => () =>
    assertOwnPage({ method, url, headers }, origin);

  test('our own pages, and whoever only reads a page', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(ask(method, '/api/bots', own)).not.toThrow();
    expect(ask('GET', '/', {})).not.toThrow();
    expect(ask('GET', '/api/auth/callback?code=x', {})).not.toThrow();
  });

  test.each([
    ['no header', 'POST', '/api/bots', { origin }],
    ['a read of the service without the header', 'GET', '/api/bots', {}],
    ['another origin', 'POST', '/api/bots', { ...own, origin: 'https://evil.example' }],
    ['a sibling of ours', 'POST', '/api/bots', { ...own, 'sec-fetch-site': 'same-site' }],
    ['nobody knows where from', 'POST', '/api/bots', { 'x-requested-with': 'portal' }],
    ['a callback that is none', 'GET', '/api/auth/callbacks', {}],
    ['a word of another framework', 'GET', '/', { 'x-middleware-subrequest': '1' }],
  ] as [string, string, string, Record<string, string>][])('refused: %s', (_why, method, url, headers) =>
    expect(ask(method, url, headers)).toThrow(),
  );
});
