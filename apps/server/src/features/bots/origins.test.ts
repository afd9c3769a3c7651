import { describe, expect, test } from 'vitest';
import { AllowedOrigin } from './bots.contract.ts';
import { isOriginAllowed } from './origins.ts';

const site = 'https://example.com';
const below = 'https://*.example.com';

describe('an exact origin', () => {
  test.each([
    site,
    'https://example.com:8443',
    'http://localhost:3000',
    'http://127.0.0.1',
    'https://xn--mnchen-3ya.de',
  ])('allows %s and nothing besides', (origin) => {
    expect(isOriginAllowed([origin], origin)).toBe(true);
    expect(isOriginAllowed([], origin)).toBe(false);
    expect(isOriginAllowed([`${origin}0`], origin)).toBe(false);
    expect(isOriginAllowed(['https://other.example', origin], origin)).toBe(true);
  });

  test.each([
    ['no origin at all', undefined],
    ['an empty one', ''],
    ['that of a sandboxed frame or a file', 'null'],
    ['another scheme', 'http://example.com'],
    ['another port', 'https://example.com:8443'],
    ['the default port, which no browser writes', 'https://example.com:443'],
    ['capitals', 'https://Example.com'],
    ['a scheme in capitals', 'HTTPS://example.com'],
    ['a slash after it', 'https://example.com/'],
    ['a path', 'https://example.com/chat'],
    ['a query', 'https://example.com?'],
    ['a fragment', 'https://example.com#'],
    ['a trailing dot', 'https://example.com.'],
    ['a name before it', 'https://a.example.com'],
    ['the name before another', 'https://example.com.evil.example'],
    ['the name after another', 'https://evilexample.com'],
    ['userinfo', 'https://user@example.com'],
    ['userinfo that looks like it', 'https://example.com@evil.example'],
    ['userinfo with a port', 'https://example.com:443@evil.example'],
    ['a space before', ' https://example.com'],
    ['a line break after', 'https://example.com\n'],
    ['two at once', 'https://example.com https://evil.example'],
    ['two at once, with a comma', 'https://example.com, https://evil.example'],
    ['a backslash', 'https://example.com\\.evil.example'],
    ['an encoded dot', 'https://example%2ecom'],
    ['a wide dot', 'https://example。com'],
    ['a soft hyphen', 'https://exam\u00adple.com'],
    ['a look-alike letter', 'https://еxample.com'],
  ])('refuses %s', (_name, origin) => {
    expect(isOriginAllowed([site], origin)).toBe(false);
  });

  test('an international name is compared as browsers send it', () => {
    expect(isOriginAllowed(['https://xn--mnchen-3ya.de'], 'https://münchen.de')).toBe(false);
  });

  test('`null` stays refused if it got onto a list', () => {
    expect(isOriginAllowed(['null', '', '*'], 'null')).toBe(false);
    expect(isOriginAllowed(['null', '', '*'], '')).toBe(false);
    expect(isOriginAllowed(['*', 'https://*'], site)).toBe(false);
  });
});

describe('a wildcard', () => {
  test.each([
    'https://www.example.com',
    'https://a.b.c.example.com',
    'https://my_shop.example.com',
    'https://xn--mnchen-3ya.example.com',
    'https://1.example.com',
    'https://example.com.example.com',
  ])('allows %s', (origin) => {
    expect(isOriginAllowed([below], origin)).toBe(true);
  });

  test.each([
    ['the name itself', site],
    ['a name that ends alike', 'https://evil-example.com'],
    ['a name that ends alike, with a dot elsewhere', 'https://www.evil-example.com'],
    ['an empty label', 'https://.example.com'],
    ['an empty label inside', 'https://a..example.com'],
    ['the star itself', below],
    ['another scheme', 'http://www.example.com'],
    ['a port', 'https://www.example.com:8443'],
    ['a trailing dot', 'https://www.example.com.'],
    ['capitals', 'https://WWW.example.com'],
    ['userinfo', 'https://user@www.example.com'],
    ['userinfo that ends alike', 'https://evil.example/@www.example.com'],
    ['a path that ends alike', 'https://evil.example/www.example.com'],
    ['a query that ends alike', 'https://evil.example?www.example.com'],
    ['a fragment that ends alike', 'https://evil.example#.example.com'],
    ['a backslash that browsers read as a slash', 'https://evil.example\\www.example.com'],
    ['the name before another', 'https://www.example.com.evil.example'],
    ['odd letters that a URL allows', 'https://evil.example,.example.com'],
    ['a hyphen at the edge', 'https://-.example.com'],
  ])('refuses %s', (_name, origin) => {
    expect(isOriginAllowed([below], origin)).toBe(false);
  });

  test('with a port it means that port', () => {
    expect(isOriginAllowed(['https://*.example.com:8443'], 'https://www.example.com:8443')).toBe(true);
    expect(isOriginAllowed(['https://*.example.com:8443'], 'https://www.example.com')).toBe(false);
    expect(isOriginAllowed(['https://*.example.com:8443'], 'https://www.example.com:18443')).toBe(false);
  });
});

describe('what may be put on the list', () => {
  test.each([
    site,
    below,
    'https://example.com:8443',
    'https://*.shop.example.com:8443',
    'https://xn--mnchen-3ya.de',
    'https://10.0.0.5:8443',
    'https://intranet',
    'http://localhost',
    'http://localhost:3000',
    'http://127.0.0.1:5173',
  ])('%s', (origin) => {
    expect(AllowedOrigin.safeParse(origin).success).toBe(true);
    expect(isOriginAllowed([origin], origin.replace('*', 'www'))).toBe(true); // what is taken can also be met
  });

  test.each([
    '',
    'null',
    '*',
    'https://*',
    'https://*.com',
    'https://*.localhost',
    'https://*example.com',
    'https://a.*.example.com',
    'https://*.*.example.com',
    'https://www.example.*',
    'https://*.127.0.0.1',
    'https://*.0.1',
    'https://*.example.com.',
    'https://*..example.com',
    'example.com',
    '//example.com',
    'http://example.com',
    'http://*.localhost:3000',
    'http://localhost.evil.example',
    'http://127.0.0.2',
    'http://127.1',
    'ws://localhost',
    'ftp://example.com',
    'chrome-extension://abcdef',
    'HTTPS://example.com',
    'https://Example.com',
    'https://example.com/',
    'https://example.com/path',
    'https://example.com?x',
    'https://example.com#x',
    'https://example.com.',
    'https://exam..ple.com',
    'https://.example.com',
    'https://-example.com',
    'https://example.com:443',
    'http://localhost:80',
    'https://example.com:0',
    'https://example.com:08443',
    'https://example.com:65536',
    'https://example.com:',
    'https://user@example.com',
    'https://user:word@example.com',
    'https://münchen.de',
    'https://010.1.1.1',
    'https://0x7f.1',
    'https://[::1]',
    'https://example.com https://evil.example',
    ' https://example.com',
    'https://example.com\n',
    `https://${'a'.repeat(260)}.com`,
  ])('not %j', (origin) => {
    expect(AllowedOrigin.safeParse(origin).success).toBe(false);
  });
});
